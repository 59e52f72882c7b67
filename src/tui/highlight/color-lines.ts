/** What a parser found in code, as spans of its lines: the innermost name for each character, the last one where two name the same. */
import { roleNames, type Role } from "../../home/roles.ts"
import type { Span, Style } from "../rows/row.ts"

/** Code units `from` to `to` are of a kind, by the dotted name that queries use: `function.method`. */
export type Capture = { readonly from: number; readonly to: number; readonly name: string }

const kinds: Readonly<Partial<Record<Role, string>>> = {
  syntaxComment: "comment",
  syntaxKeyword: "keyword conditional repeat include storageclass exception tag",
  syntaxFunction: "function method attribute",
  syntaxType: "constructor type namespace module label",
  syntaxVariable: "variable parameter field property",
  syntaxString: "string character",
  syntaxNumber: "escape number float boolean constant",
  syntaxOperator: "operator",
  syntaxPunctuation: "punctuation delimiter",
  markdownCodeBlock: "embedded",
  markdownHeading: "heading",
  markdownLink: "link",
  markdownCode: "raw",
  markdownBlockQuote: "quote",
  markdownListItem: "list",
  markdownStrong: "strong",
  markdownEmph: "italic",
  diffAdded: "added",
  diffRemoved: "removed",
  diffHunkHeader: "hunk",
}

/** Roles by the first part of a name. */
const roleOf: ReadonlyMap<string, Role> = new Map(
  roleNames.flatMap((role) => (kinds[role]?.split(" ") ?? []).map((kind): [string, Role] => [kind, role])),
)

/** The role of a dotted name: of its first part that has one; `markup.` says nothing by itself. */
function roleFor(name: string): Role | undefined {
  const parts = name.split(".").filter((part) => part !== "markup" && part !== "text")
  if (parts[0] === "string" && (parts[1] === "escape" || parts[1] === "special")) return "syntaxNumber"
  if (parts[0] === "variable" && parts[1] === "builtin") return "syntaxKeyword"
  return roleOf.get(parts[0] ?? "")
}

function styleFor(name: string): Style | undefined {
  const role = roleFor(name)
  if (role === undefined) return undefined
  return role === "syntaxComment" ? { fg: role, italic: true } : { fg: role }
}

const plain: Style = { fg: "markdownCodeBlock" }

export function colorLines(code: string, captures: readonly Capture[]): readonly (readonly Span[])[] {
  const styles = new Array<Style | undefined>(code.length)
  const order = captures.map((capture, place) => ({ capture, place }))
  order.sort(({ capture: a, place: p }, { capture: b, place: q }) => a.from - b.from || b.to - a.to || p - q)
  for (const { capture } of order) {
    const style = styleFor(capture.name)
    if (style !== undefined) styles.fill(style, capture.from, Math.min(capture.to, code.length))
  }
  const lines: Span[][] = [[]]
  let from = 0
  for (let at = 0; at <= code.length; at++) {
    const ends = at === code.length || code[at] === "\n"
    if (!ends && styles[at] === styles[from]) continue
    if (at > from) lines.at(-1)?.push({ text: code.slice(from, at), style: styles[from] ?? plain })
    from = at
    if (!ends || at === code.length) continue
    lines.push([])
    from = at + 1
  }
  return lines
}
