/**
 * Parsing by tree-sitter in a worker of its own, started when the first code is seen.
 *
 * - The worker keeps its files under `dataPath`, which must be writable; where it is not, or where the worker fails, there are no colours and
 *   everything else is as ever.
 */
import { TreeSitterClient } from "@opentui/core"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { Capture } from "./color-lines.ts"
import { builtIn, grammars } from "./grammars.ts"
import type { Parser } from "./highlighter.ts"

const languages = new Set([...builtIn, ...grammars.map(({ filetype }) => filetype)])

export class TreeSitterParser implements Parser {
  readonly #client: TreeSitterClient
  readonly #dataPath: string
  #started: Promise<boolean> | null = null

  /** `failed` hears once, in a sentence, why there are no colours. */
  constructor(dataPath: string, failed: (reason: string) => void) {
    this.#dataPath = dataPath
    this.#client = new TreeSitterClient({ dataPath })
    this.#client.on("error", (error) => failed(`Code is shown without colours: ${error}`))
  }

  knows(language: string): boolean {
    return languages.has(language)
  }

  async parse(language: string, code: string): Promise<readonly Capture[] | null> {
    this.#started ??= this.#start()
    if (!(await this.#started)) return null
    // Some grammars know a line only by its end.
    const { highlights } = await this.#client.highlightOnce(`${code}\n`, language)
    return highlights?.map(([from, to, name]) => ({ from, to, name })) ?? null
  }

  async #start(): Promise<boolean> {
    try {
      // The library would tell a terminal, not us, that it cannot write there.
      await mkdir(join(this.#dataPath, "tree-sitter", "languages"), { recursive: true })
      await this.#client.initialize()
    } catch (error) {
      this.#client.emit("error", error instanceof Error ? error.message : String(error))
      return false
    }
    for (const grammar of grammars) this.#client.addFiletypeParser(grammar)
    return true
  }

  async close(): Promise<void> {
    await this.#client.destroy()
  }
}
