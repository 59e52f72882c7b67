/**
 * The completion while it is open: made anew after every change of the text, and taken by a key.
 *
 * - Paths are there when the folder has been read, which is begun by the first `@`; the popup comes then.
 * - Once put away it stays away until the token is another one.
 */
import type { Completion } from "../state.ts"
import { complete, step, tokenAt, type SlashCommand, type Token } from "./completion.ts"
import type { Editor } from "./editor.ts"
import { Paths } from "./files.ts"
import { noPaths } from "./path-index.ts"

export type CompleterOptions = {
  /** The folder whose paths are offered. */
  readonly folder: () => string
  readonly editor: () => Editor
  readonly now: () => number
  commands(): readonly SlashCommand[]
  current(): Completion | null
  show(completion: Completion | null): void
}

const pageRows = 5

export class Completer {
  readonly #options: CompleterOptions
  #paths: Paths | null = null
  #asked = false
  /** Where the token began whose popup was put away. */
  #dismissed: number | null = null

  constructor(options: CompleterOptions) {
    this.#options = options
  }

  get open(): boolean {
    return this.#options.current() !== null
  }

  /** The text or the cursor is another. */
  refresh(): void {
    const token = this.#token()
    if (token === null) this.#asked = false
    if (token === null || token.from !== this.#dismissed) this.#dismissed = null
    this.#options.show(token === null || this.#dismissed !== null ? null : this.#complete(token))
  }

  /** Tab: complete a path without `@` too; with one candidate left, take it. False where there is nothing to complete. */
  ask(): boolean {
    this.#asked = true
    this.#dismissed = null
    const token = this.#token()
    if (token === null) {
      this.#asked = false
      return false
    }
    const completion = this.#complete(token)
    if (completion?.items.length === 1) return this.#take(completion)
    this.#options.show(completion)
    return true
  }

  close(): boolean {
    const { current, show } = this.#options
    const completion = current()
    if (completion === null) return false
    this.#dismissed = completion.from
    this.#asked = false
    show(null)
    return true
  }

  /** A `dialog.*` command by the rest of its name. */
  run(name: string): boolean {
    const completion = this.#options.current()
    if (completion === null) return false
    const by = { up: -1, down: 1, pageUp: -pageRows, pageDown: pageRows }[name]
    if (by !== undefined) {
      this.#options.show(step(completion, by))
      return true
    }
    if (name === "complete") return this.#take(completion)
    if (name === "cancel") return this.close()
    return name === "accept" && this.#accept(completion)
  }

  /** Enter on a command that is whole, or that takes nothing more, sends it: the key goes on to the editor. */
  #accept(completion: Completion): boolean {
    const item = completion.items[completion.chosen]
    if (item === undefined || !item.insert.startsWith("/")) return this.#take(completion)
    const name = item.insert.trim()
    const typed = this.#options.editor().edit.text.slice(completion.from, completion.to)
    if (typed === name) return !this.close()
    this.#take(completion)
    return item.label !== name
  }

  #take(completion: Completion): boolean {
    const item = completion.items[completion.chosen]
    if (item === undefined) return false
    this.#asked = false
    this.#options.show(null)
    this.#options.editor().replacePart(completion.from, completion.to, item.insert)
    return true
  }

  #token(): Token | null {
    const { text, cursor, anchor } = this.#options.editor().edit
    return anchor === null ? tokenAt(text, cursor, this.#asked) : null
  }

  #complete(token: Token): Completion | null {
    const paths = token.kind === "path" ? this.#pathsHere().get() : noPaths
    return complete(token, { commands: token.kind === "command" ? this.#options.commands() : [], paths })
  }

  /** The paths of the present folder: another session may have another one. */
  #pathsHere(): Paths {
    const { folder, now } = this.#options
    if (this.#paths?.folder !== folder()) this.#paths = new Paths(folder(), now, () => this.refresh())
    return this.#paths
  }
}
