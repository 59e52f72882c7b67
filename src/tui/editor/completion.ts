/**
 * What may be completed at the cursor: a command after a leading `/`, a path after `@`, any path on demand. Pure; the files come from outside.
 *
 * - A completion replaces the token that it was made for and nothing else. A path with white space is put in quotes.
 */
import { fuzzy } from "../../std/fuzzy.ts"
import type { Completion } from "../state.ts"
import { narrowPaths, type PathIndex } from "./path-index.ts"

/** Rows of the popup; more would hide what is being talked about. */
export const completionsMax = 20

/** Paths that are ranked by all their letters: a key is never late for the rest. */
const rankedMax = 500

export type SlashCommand = { readonly name: string; readonly title: string; readonly args?: string }

export type Token =
  | { readonly kind: "command"; readonly query: string; readonly from: number; readonly to: number }
  | { readonly kind: "path"; readonly query: string; readonly from: number; readonly to: number; readonly at: boolean }

const mention = /(?:^|\s)@(?:"([^"\n]*)|([^\s"@]*))$/
const lastWord = /\S+$/

/** The token that ends at the cursor. `asked`: a path without `@` is meant too. */
export function tokenAt(text: string, cursor: number, asked: boolean): Token | null {
  const head = text.slice(0, cursor)
  if (head.startsWith("/") && !/\s/.test(head)) return { kind: "command", query: head.slice(1), from: 0, to: cursor }
  const found = mention.exec(head)
  if (found !== null) {
    const query = found[1] ?? found[2] ?? ""
    const from = cursor - query.length - (found[1] === undefined ? 1 : 2)
    return { kind: "path", query, from, to: cursor, at: true }
  }
  const word = asked ? lastWord.exec(head)?.[0] : undefined
  if (word === undefined) return null
  return { kind: "path", query: word, from: cursor - word.length, to: cursor, at: false }
}

function insertPath(path: string, at: boolean): string {
  const sign = at ? "@" : ""
  // A folder goes on: the next key completes inside it.
  const end = path.endsWith("/") ? "" : " "
  return /\s/.test(path) ? `${sign}"${path}"${end}` : `${sign}${path}${end}`
}

/** The popup for `token`; null where nothing fits. */
export function complete(
  token: Token,
  given: { readonly commands: readonly SlashCommand[]; readonly paths: PathIndex },
): Completion | null {
  const items =
    token.kind === "command"
      ? fuzzy(token.query, given.commands, ({ name }) => [name], completionsMax).map(({ item }) => ({
          label: `/${item.name}${item.args === undefined ? "" : ` ${item.args}`}`,
          detail: item.title,
          insert: `/${item.name} `,
        }))
      : paths(token.query, given.paths).map((item) => ({ label: item, detail: "", insert: insertPath(item, token.at) }))
  return items.length === 0 ? null : { items, chosen: 0, from: token.from, to: token.to }
}

/** The best of those that can be meant. */
function paths(query: string, index: PathIndex): readonly string[] {
  const able = narrowPaths(index, query, rankedMax)
  return fuzzy(query, able, (path) => [nameOf(path), path], completionsMax).map(({ item }) => item)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/", path.length - 2) + 1)
}

/** The bar one row on, round at the ends. */
export function step(completion: Completion, by: number): Completion {
  const count = completion.items.length
  return { ...completion, chosen: (completion.chosen + by + count) % count }
}
