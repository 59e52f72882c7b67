/**
 * grep: lines that match, in the files that a developer sees (`walk.ts`).
 *
 * - The matching is the system's `grep`, a process that can be ended: a regular expression of ours that runs away could not be.
 * - Its regular expressions are Perl's where it knows them, else the extended ones. Binary files are passed over.
 */
import { Type, type Static } from "@sinclair/typebox"
import { dirname, join, relative } from "node:path"
import { sleep } from "../std/clock.ts"
import { headBytes, headChars } from "../std/lines.ts"
import { pathAliases } from "./coerce.ts"
import { folderAt, shownFolderOf } from "./search-root.ts"
import { defineTool, errorResult, textResult, type ToolContext } from "./tool.ts"
import { globMatcher, walk } from "./walk.ts"

const matchesMax = 100
const bytesMax = 50 * 1024
const lineCharsMax = 500
/** Of a line of grep's own output: a path, a number and what is shown of a line. */
const rawCharsMax = 8 * 1024
/** Names given to one grep: systems take at least 128 KiB of arguments. */
const batchChars = 60_000
const searchMsMax = 60_000

const parameters = Type.Object({
  pattern: Type.String({ description: "Regular expression" }),
  path: Type.Optional(Type.String({ description: "Folder or file" })),
  glob: Type.Optional(Type.String()),
  ignoreCase: Type.Optional(Type.Boolean()),
  literal: Type.Optional(Type.Boolean()),
  context: Type.Optional(Type.Integer({ minimum: 0, description: "Lines around a match" })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})

type Args = Static<typeof parameters>

export const grepTool = defineTool({
  name: "grep",
  description: `Search file contents, without what .gitignore excludes. Up to ${matchesMax} matches.`,
  parameters,
  version: 1,
  effect: "pure",
  title: (args) => [args["pattern"], args["path"]].filter((part) => typeof part === "string").join(" in "),
  coerce: pathAliases,
  async execute(args, _intent, context) {
    if (args.pattern === "") return errorResult("The pattern is empty.")
    const root = await folderAt(args.path ?? ".", context)
    if (!root.ok) return errorResult(root.message)
    const limit = args.limit ?? matchesMax
    const folder = root.kind === "folder" ? root.real : dirname(root.real)
    const shownFolder = shownFolderOf(root.kind === "folder" ? root.path : dirname(root.path), context.cwd)
    const files = root.kind === "folder" ? filesIn(root.real, args, context) : single(relative(folder, root.real))
    const search = new Search(shownFolder, limit)
    const failure = await searchFiles(files, folder, args, search, context)
    if (context.signal.aborted) return errorResult("The search was interrupted.")
    if (failure !== null) return errorResult(failure)
    const details = { path: root.path, pattern: args.pattern, count: search.matches, more: search.more }
    if (search.lines.length === 0) return textResult(`No line matches ${args.pattern}.`, { details })
    const text = headBytes(search.lines.join("\n"), bytesMax)
    const more = search.more
      ? `\n\n[The first ${search.matches}; there are more. Narrow the search, or give a higher limit.]`
      : ""
    return textResult(text + more, { details })
  },
})

async function* single(name: string): AsyncGenerator<string> {
  yield name
}

async function* filesIn(root: string, { glob }: Args, context: ToolContext): AsyncGenerator<string> {
  const matches = glob === undefined ? () => true : globMatcher(glob)
  for await (const entry of walk(root, context)) if (entry.kind === "file" && matches(entry)) yield entry.path
}

/** Search in batches until there is enough; the reason where grep refuses. */
async function searchFiles(
  files: AsyncIterable<string>,
  folder: string,
  args: Args,
  search: Search,
  context: ToolContext,
): Promise<string | null> {
  const program = Bun.which("grep", { PATH: context.env["PATH"] ?? "" })
  if (program === null) return "There is no grep on this machine's PATH: search with bash, or install grep."
  const options = [...(await kindOf(program, args)), "-HnI", "--null", "--color=never"]
  if (args.ignoreCase === true) options.push("-i")
  if (args.context !== undefined && args.context > 0) options.push("-C", `${args.context}`)
  const argv = [program, ...options, "-e", args.pattern, "--"]
  const over = new AbortController()
  const ending = AbortSignal.any([context.signal, over.signal])
  const late = sleep(context.clock, searchMsMax, ending)
  const stop = AbortSignal.any([context.signal, abortedWhen(late)])
  try {
    let batch: string[] = []
    let chars = 0
    for await (const file of files) {
      batch.push(`./${file}`)
      chars += file.length + 3
      if (chars < batchChars) continue
      const failure = await searchBatch([...argv, ...batch], folder, search, stop)
      if (failure !== null || search.more || stop.aborted) return failure
      batch = []
      chars = 0
    }
    return batch.length === 0 ? null : await searchBatch([...argv, ...batch], folder, search, stop)
  } finally {
    over.abort()
  }
}

/** A signal that aborts when the whole time of a sleep has passed. */
function abortedWhen(late: Promise<boolean>): AbortSignal {
  const controller = new AbortController()
  void late.then((whole) => {
    if (whole) controller.abort()
  })
  return controller.signal
}

async function kindOf(program: string, { literal }: Args): Promise<readonly string[]> {
  if (literal === true) return ["-F"]
  const probe = Bun.spawn([program, "-P", "x"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" })
  // Nothing matches in no input: 1 is a grep that knows the option, 2 one that does not.
  return (await probe.exited) === 1 ? ["-P"] : ["-E"]
}

async function searchBatch(
  argv: readonly string[],
  cwd: string,
  search: Search,
  stop: AbortSignal,
): Promise<string | null> {
  const env = { LC_ALL: process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8" }
  const child = Bun.spawn([...argv], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const end = (): void => child.kill("SIGKILL")
  stop.addEventListener("abort", end, { once: true })
  const complaint = new Response(child.stderr).text()
  const splitter = new RawLines()
  const decoder = new TextDecoder("utf-8")
  for await (const bytes of child.stdout) {
    for (const line of splitter.push(decoder.decode(bytes, { stream: true }))) search.take(line)
    if (search.more) end()
  }
  stop.removeEventListener("abort", end)
  const status = await child.exited
  if (stop.aborted) return `The search took more than ${searchMsMax / 1_000} s: narrow it, or make the pattern simpler.`
  // 2 with matches is a file that could not be read; without, it is the pattern.
  if (status !== 2 || search.matches > 0) return null
  const reason = (await complaint).split("\n")[0]?.replace(/^\S*grep: /, "") ?? ""
  return /: (Permission denied|No such file)/.test(reason) ? null : `grep refuses the pattern: ${reason}.`
}

/** Splits text that comes in pieces into lines, keeping a bounded part of each. */
class RawLines {
  #line = ""

  push(text: string): readonly string[] {
    const parts = text.split("\n")
    const last = parts.pop() ?? ""
    const lines = parts.map((part) => {
      const line = headChars(this.#line + part, rawCharsMax)
      this.#line = ""
      return line
    })
    if (this.#line.length < rawCharsMax) this.#line += headChars(last, rawCharsMax)
    return lines
  }
}

/** What has been found so far, in the words of the result. */
class Search {
  readonly #folder: string
  readonly #limit: number
  readonly lines: string[] = []
  #groupStart = 0
  #groupMatches = false
  matches = 0
  /** True once one more match than the limit was seen. */
  more = false

  constructor(folder: string, limit: number) {
    this.#folder = folder
    this.#limit = limit
  }

  /** A line of grep's output: `path NUL number : text`, with `-` for `:` around a match, or `--` between groups. */
  take(raw: string): void {
    if (this.more) return
    const [, path, number, kind, text] = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(raw) ?? []
    if (path === undefined || text === undefined) {
      if (raw === "--") this.#endGroup()
      return
    }
    if (kind === ":" && this.matches === this.#limit) {
      this.more = true
      // What leads up to a match that is not shown is not shown either.
      if (!this.#groupMatches) this.lines.length = this.#groupStart
      return
    }
    if (kind === ":") this.#countMatch()
    const line = text.replace(/\r$/, "")
    const shown = line.length > lineCharsMax ? `${headChars(line, lineCharsMax)}…` : line
    this.lines.push(`${join(this.#folder, path)}${kind}${number}${kind} ${shown}`)
  }

  #endGroup(): void {
    this.#groupStart = this.lines.length
    this.#groupMatches = false
    this.lines.push("--")
  }

  #countMatch(): void {
    this.matches++
    this.#groupMatches = true
  }
}
