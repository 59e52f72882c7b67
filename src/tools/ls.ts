/** ls: what is in a folder, in one line each; folders end in `/`, links in `@`. */
import { Type } from "@sinclair/typebox"
import { readdir } from "node:fs/promises"
import { errorCode } from "../std/files.ts"
import { pathAliases } from "./coerce.ts"
import { missingMessage, reasonOf, resolvePath } from "./paths.ts"
import { listText } from "./show.ts"
import { defineTool, errorResult, textResult } from "./tool.ts"

const entriesMax = 500

const parameters = Type.Object({
  path: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})

export const lsTool = defineTool({
  name: "ls",
  description: `List a folder, hidden files too. Up to ${entriesMax} entries.`,
  parameters,
  version: 1,
  effect: "pure",
  title: (args) => (typeof args["path"] === "string" ? args["path"] : "."),
  coerce: pathAliases,
  async execute(args, _intent, context) {
    const input = args.path ?? "."
    const place = await resolvePath(input, context)
    if (!place.ok) return errorResult(place.message)
    try {
      const entries = await readdir(place.path, { withFileTypes: true })
      const names = entries
        .map((entry) => `${entry.name}${entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""}`)
        .sort((a, b) => compare(a.toLowerCase(), b.toLowerCase()) || compare(a, b))
      const limit = args.limit ?? entriesMax
      const shown = names.slice(0, limit)
      const details = { path: place.path, count: names.length, shown: shown.length }
      if (names.length === 0) return textResult("(empty folder)", { details })
      const more = names.length > limit ? [`${limit} of ${names.length} entries. Give a higher limit for more.`] : []
      return textResult(listText(shown.join("\n"), more), { details })
    } catch (error) {
      if (errorCode(error) === "ENOENT") return errorResult(await missingMessage(input, place.path))
      const what = errorCode(error) === "ENOTDIR" ? "it is a file, not a folder" : reasonOf(error)
      return errorResult(`${input}: ${what}.`)
    }
  },
})

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
