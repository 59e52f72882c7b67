/**
 * grep: lines that match, in the files that a developer sees, by ripgrep's rules (`ripgrep.ts`).
 *
 * - Binary files are passed over; a long line is cut; the search ends when there is enough.
 * - Matches are told in the order of their paths. First all processors search in whatever order, and what they find is sorted. Where that is more
 *   than is wanted, which of it comes first is known only to a search that goes in order, and that one has soon found enough.
 */
import { Type, type Static } from "@sinclair/typebox"
import { basename, dirname } from "node:path"
import { unreachable } from "../std/assert.ts"
import { pathAliases } from "./coerce.ts"
import { Hits } from "./grep-hits.ts"
import { ripgrep, runRipgrep, type Order } from "./ripgrep.ts"
import { folderAt, shownFolderOf } from "./search-root.ts"
import { listText } from "./show.ts"
import { defineTool, errorResult, textResult, type ToolContext } from "./tool.ts"

const matchesMax = 100
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
    let hits = new Hits(shownFolder, limit)
    let failure = await searchFiles(program.path, place, args, hits, "any order", context)
    if (hits.more) {
      hits = new Hits(shownFolder, limit)
      failure = await searchFiles(program.path, place, args, hits, "by path", context)
    }
    if (context.signal.aborted) return errorResult("The search was interrupted.")
    if (failure !== null) return errorResult(failure)
    const details = { path: root.path, pattern: args.pattern, count: hits.matches, more: hits.more }
    if (hits.binary) return textResult(`${args.path} matches, and is binary: its lines are not shown.`, { details })
    if (hits.matches === 0) return textResult(`No line matches ${args.pattern}.`, { details })
    const more = hits.more
      ? [`The first ${hits.matches}; there are more. Narrow the search, or give a higher limit.`]
      : []
    return textResult(listText(hits.text(), more), { details })
  },
})

/** Search until there is enough; the reason where the engine refuses. */
async function searchFiles(
  program: string,
  place: Place,
  args: Args,
  hits: Hits,
  order: Order,
  context: ToolContext,
): Promise<string | null> {
  const { env, clock, signal } = context
  const lines = args.context !== undefined && args.context > 0 ? [`--context=${args.context}`] : []
  // One more than is wanted tells that there are more.
  const most = `--max-count=${hits.limit + 1}`
  const options = [
    "--with-filename",
    "--line-number",
    "--no-heading",
    "--null",
    most,
    ...lines,
    ...patternOptions(args),
  ]
  const ran = await runRipgrep(program, {
    options: [...options, ...globOptions(args.glob), "--regexp", args.pattern, "--", `./${place.name}`],
    cwd: place.folder,
    refused: context.refused,
    order,
    env,
    clock,
    signal,
    limitMs: searchMsMax,
    take: (line) => {
      hits.take(line)
      return !hits.more
    },
  })
  switch (ran.status) {
    case "ran":
      return null
    case "late":
      return `The search took more than ${searchMsMax / 1_000} s: narrow it, or make the pattern simpler.`
    case "unstarted":
      return ran.message
    case "failed":
      // With matches it is a file that could not be read.
      return hits.matches > 0 || ran.complaint === ""
        ? null
        : `grep refuses the pattern: ${ran.complaint}. Escape what is meant to the letter, or set literal.`
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
