/**
 * find: paths by a glob, as a developer sees the folder (`walk.ts`).
 *
 * - A pattern with a slash is matched against the path from the searched folder, another one against the name.
 */
import { Type } from "@sinclair/typebox"
import { join } from "node:path"
import { pathAliases } from "./coerce.ts"
import { folderAt, shownFolderOf } from "./search-root.ts"
import { listText } from "./show.ts"
import { defineTool, errorResult, textResult } from "./tool.ts"
import { globMatcher, walk, walkEntriesMax } from "./walk.ts"

const pathsMax = 1_000

const parameters = Type.Object({
  pattern: Type.String({ description: "Glob: *.ts, src/**/*.{js,ts}" }),
  path: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})

export const findTool = defineTool({
  name: "find",
  description: `Find files and folders by glob, without what .gitignore excludes. Up to ${pathsMax} paths.`,
  parameters,
  version: 1,
  effect: "pure",
  title: (args) => [args["pattern"], args["path"]].filter((part) => typeof part === "string").join(" in "),
  coerce: pathAliases,
  async execute(args, _intent, context) {
    const root = await folderAt(args.path ?? ".", context)
    if (!root.ok) return errorResult(root.message)
    if (root.kind === "file") return errorResult(`${args.path ?? "."} is a file, not a folder.`)
    const limit = args.limit ?? pathsMax
    const matches = globMatcher(args.pattern)
    const shownRoot = shownFolderOf(root.path, context.cwd)
    const found: string[] = []
    let seen = 0
    for await (const entry of walk(root.real, context)) {
      seen++
      if (!matches(entry)) continue
      found.push(join(shownRoot, entry.path) + (entry.kind === "folder" ? "/" : ""))
      if (found.length > limit) break
    }
    if (context.signal.aborted) return errorResult("The search was interrupted.")
    const shown = found.slice(0, limit)
    const more = found.length > limit
    const notes = more
      ? [`The first ${limit}; there are more. Narrow the pattern, or give a higher limit.`]
      : seen >= walkEntriesMax
        ? [`Only the first ${walkEntriesMax} entries were looked at: search a smaller folder.`]
        : []
    const details = { path: root.path, pattern: args.pattern, count: shown.length, more: notes.length > 0 }
    const text = shown.length === 0 ? `No path matches ${args.pattern}.` : shown.join("\n")
    return textResult(listText(text, notes), { details })
  },
})
