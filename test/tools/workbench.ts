/** A folder, a context, and calls made as an engine makes them: repaired, prepared, dispatched, executed. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../src/std/clock.ts"
import type { Json, JsonObject } from "../../src/std/json.ts"
import type { CallFiles, FileHistory, Tool, ToolContext, ToolResult } from "../../src/tools/tool.ts"

export type Workbench = {
  readonly folder: string
  /** An absolute path in the folder. */
  path(name: string): string
  put(name: string, content: string | Uint8Array): void
  get(name: string): string
  bytes(name: string): Uint8Array
  context(more?: Partial<ToolContext>): ToolContext
  call(tool: Tool, args: JsonObject, more?: Partial<ToolContext>): Promise<ToolResult>
  /** Fresh paths for a command's output and status. */
  files(): CallFiles
  remove(): void
  [Symbol.dispose](): void
}

/** The history of a model that has seen nothing, in a session that keeps nothing. */
export const emptyHistory: FileHistory = {
  seen: () => Promise.resolve(null),
  content: () => Promise.resolve(null),
  keep: () => Promise.resolve(),
}

let calls = 0

export function workbench(): Workbench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-tools-")))
  const outputs = realpathSync(mkdtempSync(join(tmpdir(), "cairn-outputs-")))
  const path = (name: string): string => join(folder, name)
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(outputs, { recursive: true, force: true })
  }
  const context = (more: Partial<ToolContext> = {}): ToolContext => ({
    cwd: folder,
    key: `test-${process.pid}:${++calls}`,
    signal: new AbortController().signal,
    clock: systemClock,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8" },
    files: null,
    home: folder,
    cache: outputs,
    refused: [],
    readable: [],
    history: emptyHistory,
    images: true,
    progress: () => {},
    remember: () => Promise.resolve(),
    ...more,
  })
  return {
    folder,
    path,
    put: (name, content) => writeFileSync(path(name), content),
    get: (name) => readFileSync(path(name), "utf8"),
    bytes: (name) => new Uint8Array(readFileSync(path(name))),
    context,
    files() {
      const base = join(outputs, `${++calls}`)
      return { output: `${base}.out`, status: `${base}.status`, begun: `${base}.begun` }
    },
    async call(tool, given, more) {
      const at = context(more)
      const args = tool.coerce?.(given) ?? given
      const prepared = (await tool.prepare?.(args, at)) ?? { ok: true, intent: {} }
      if (!prepared.ok) return prepared.result
      // Through the ledger, an intent is JSON.
      return tool.execute(args, JSON.parse(JSON.stringify(prepared.intent)) as JsonObject, at)
    },
    remove,
    [Symbol.dispose]: remove,
  }
}

/** The text of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("\n")
}

/** A field of a result's details. */
export function detail(result: ToolResult, name: string): Json | undefined {
  const { details } = result
  return typeof details === "object" && details !== null && !Array.isArray(details)
    ? (details as JsonObject)[name]
    : undefined
}
