/**
 * A Markdown file with a head: YAML between two lines of `---` at its start, then text. A file without one is all text.
 *
 * - A byte order mark and either kind of line end are no matter.
 */
import { isObject, type Json, type JsonObject } from "../std/json.ts"

export type FrontMatter = { readonly head: JsonObject; readonly body: string; readonly problem: string | null }

const fenced = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/

export function splitFrontMatter(source: string): FrontMatter {
  const text = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
  const found = fenced.exec(text)
  if (found === null) return { head: {}, body: text, problem: null }
  const body = text.slice(found[0].length)
  try {
    const head = Bun.YAML.parse(found[1] ?? "") as Json | undefined
    if (isObject(head)) return { head, body, problem: null }
    return {
      head: {},
      body,
      problem: head === undefined || head === null ? null : "its head is not a list of names and values",
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { head: {}, body, problem: `its head is no YAML (${reason})` }
  }
}

/** A text of the head; numbers and truth values as they are written. Undefined where there is none. */
export function headText(head: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(head, name) ? head[name] : undefined
  if (typeof value === "string") return value.trim()
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined
}
