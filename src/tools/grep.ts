/**
 * grep: lines that match, in the files that a developer sees, by ripgrep's rules (`ripgrep.ts`).
 *
 * - Binary files are passed over; a long line is cut; the search ends when there is enough.
 */
import { Type, type Static } from "@sinclair/typebox"
import { basename, dirname, join } from "node:path"
import { unreachable } from "../std/assert.ts"
import { headBytes, headChars } from "../std/lines.ts"
import { pathAliases } from "./coerce.ts"
import { ripgrep, runRipgrep } from "./ripgrep.ts"
import { folderAt, shownFolderOf } from "./search-root.ts"
import { defineTool, errorResult, textResult, type ToolContext } from "./tool.ts"

const matchesMax = 100
const bytesMax = 50 * 1024
const lineCharsMax = 500
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
/** `name` is empty where all of the folder is searched. */
type Place = { readonly folder: string; readonly name: string }

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
    const program = await ripgrep(context.cache)
    if (!program.ok) return errorResult(program.message)
    const isFolder = root.kind === "folder"
    const place = isFolder ? { folder: root.real, name: "" } : { folder: dirname(root.real), name: basename(root.real) }
    const shownFolder = shownFolderOf(isFolder ? root.path : dirname(root.path), context.cwd)
    const search = new Search(shownFolder, limit)
    const failure = await searchFiles(program.path, place, args, search, context)
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

/** Search until there is enough; the reason where the engine refuses. */
async function searchFiles(
  program: string,
  place: Place,
  args: Args,
  search: Search,
  context: ToolContext,
): Promise<string | null> {
  const { env, clock, signal } = context
  const lines = args.context !== undefined && args.context > 0 ? [`--context=${args.context}`] : []
  const options = ["--with-filename", "--line-number", "--no-heading", "--null", ...lines, ...patternOptions(args)]
  const ran = await runRipgrep(program, {
    options: [...options, ...globOptions(args.glob), "--regexp", args.pattern, "--", `./${place.name}`],
    cwd: place.folder,
    refused: context.refused,
    env,
    clock,
    signal,
    limitMs: searchMsMax,
    take: (line) => {
      search.take(line)
      return !search.more
    },
  })
  switch (ran.status) {
    case "ran":
      return null
    case "late":
      return `The search took more than ${searchMsMax / 1_000} s: narrow it, or make the pattern simpler.`
    case "failed":
      // With matches it is a file that could not be read.
      return search.matches > 0 || ran.complaint === "" ? null : `grep refuses the pattern: ${ran.complaint}.`
    default:
      return unreachable(ran)
  }
}

/** Case counts where the pattern has capitals, unless somebody says otherwise; what its own engine does not know, PCRE2 may. */
function patternOptions({ literal, ignoreCase }: Args): readonly string[] {
  const how = literal === true ? "--fixed-strings" : "--engine=auto"
  return [how, ignoreCase === undefined ? "--smart-case" : ignoreCase ? "--ignore-case" : "--case-sensitive"]
}

/** A glob without a slash is about names, and does not bring back what is ignored; case counts as in a pattern. */
function globOptions(glob: string | undefined): readonly string[] {
  if (glob === undefined) return []
  const plain = glob.replace(/^(\.?\/)+/, "")
  const smart = plain === plain.toLowerCase()
  if (plain.includes("/") || plain.startsWith("!")) return [smart ? `--iglob=${plain}` : `--glob=${plain}`]
  return [`--type-add=wanted:${smart ? anyCase(plain) : plain}`, "--type=wanted"]
}

/** A glob that matches in any case, by a set for each letter. */
function anyCase(glob: string): string {
  return glob.replace(/\[[^\]]*\]|\\.|\p{Ll}/gu, (part) =>
    part.length > 1 && !/^\p{Ll}$/u.test(part) ? part : `[${part}${part.toUpperCase()}]`,
  )
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

  /** A line of its output: `path NUL number : text`, with `-` for `:` around a match, or `--` between groups. */
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
