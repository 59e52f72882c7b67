/** Languages for which no grammar is to be had as WebAssembly: a few patterns do for SQL, and a line's first character for a diff. */
import type { Capture } from "./color-lines.ts"

export type Lexer = (code: string) => readonly Capture[]

const sqlWords =
  "add all alter analyze and any as asc autoincrement begin between by cascade case cast check collate column commit conflict constraint create cross current default deferrable delete desc distinct do drop else end escape except exclude exists explain fetch filter first following for foreign from full function generated grant group grouping having if ignore ilike in index inner insert instead intersect into is isnull join key language last lateral left like limit matched materialized merge natural no not nothing notnull nulls of offset on only or order outer over partition preceding primary procedure range recursive references rename replace returning returns revoke right rollback row rows savepoint schema select sequence set show table temp temporary then to transaction trigger truncate unbounded union unique update using vacuum values view virtual when where window with within without"
const sqlTypes =
  "bigint binary bit blob bool boolean bytea char character date datetime decimal double enum float int integer interval json jsonb numeric real serial smallint text time timestamp timestamptz tinyint uuid varchar"

const kinds: ReadonlyMap<string, string> = new Map([
  ...sqlWords.split(" ").map((word): [string, string] => [word, "keyword"]),
  ...sqlTypes.split(" ").map((word): [string, string] => [word, "type"]),
  ["true", "boolean"],
  ["false", "boolean"],
  ["null", "constant"],
])

const sqlToken =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?|`[^`]*`?)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_][A-Za-z0-9_]*)(\s*\()?|([-+*/%<>=!|&]+)/g

function sql(code: string): readonly Capture[] {
  const out: Capture[] = []
  for (const found of code.matchAll(sqlToken)) {
    const [all, comment, text, , number, word, call, operator] = found
    const from = found.index
    const push = (name: string, length: number): void => void out.push({ from, to: from + length, name })
    if (comment !== undefined) push("comment", all.length)
    else if (text !== undefined) push("string", all.length)
    else if (number !== undefined) push("number", all.length)
    else if (operator !== undefined) push("operator", all.length)
    else if (word !== undefined) {
      const kind = kinds.get(word.toLowerCase()) ?? (call === undefined ? undefined : "function")
      if (kind !== undefined) push(kind, word.length)
    }
  }
  return out
}

function diff(code: string): readonly Capture[] {
  const out: Capture[] = []
  let from = 0
  for (const line of code.split("\n")) {
    const name = diffKind(line)
    if (name !== undefined) out.push({ from, to: from + line.length, name })
    from += line.length + 1
  }
  return out
}

function diffKind(line: string): string | undefined {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|rename )/.test(line)) return "comment"
  if (line.startsWith("@@")) return "hunk"
  if (line.startsWith("+")) return "added"
  return line.startsWith("-") ? "removed" : undefined
}

export const lexers: Readonly<Record<string, Lexer | undefined>> = { sql, diff }
