/** JSON with comments, read so that every value knows its place: what is wrong in it is told with line and column. */
import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser"
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import type { Problem } from "./problem.ts"

export type { Node }

/** A file that could be parsed. `starts` are the offsets at which its lines begin. */
export type Document = { readonly file: string; readonly starts: readonly number[]; readonly root: Node }

export type Property = { readonly name: string; readonly key: Node; readonly value: Node }

/** What the parser's codes mean to a person. */
const sentences: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not JSON: text needs double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a name in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is expected here",
  CommaExpected: "a comma is expected here",
  CloseBraceExpected: "a closing brace } is expected here",
  CloseBracketExpected: "a closing bracket ] is expected here",
  EndOfFileExpected: "the file should end here",
  InvalidCommentToken: "a comment begins with // or /*",
  UnexpectedEndOfComment: "this comment is never closed",
  UnexpectedEndOfString: "this text is never closed by a double quote",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidUnicode: "this \\u escape needs four hex digits",
  InvalidEscapeCharacter: "this escape is not known; a backslash is written \\\\",
  InvalidCharacter: "this character has to be escaped",
}

/** Values inside values: no file of ours has ten. What reads them calls itself for each, and must not run out of stack. */
const depthMax = 100

/** Where `text` is nested deeper than that; null where it is not. */
function tooDeepAt(text: string): number | null {
  const scanner = createScanner(text, true)
  for (let depth = 0; ;) {
    scanner.scan()
    const at = scanner.getTokenOffset()
    const first = text[at]
    if (first === undefined) return null
    // No other token begins with one of these.
    if (first === "{" || first === "[") depth++
    if (first === "}" || first === "]") depth--
    if (depth > depthMax) return at
  }
}

function startsOf(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/** Line and column of an offset, from 1. */
function placeOf(starts: readonly number[], offset: number): { readonly line: number; readonly column: number } {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}

/** A problem at a value's place. */
export function problemAt(document: Document, node: Node, message: string): Problem {
  return { file: document.file, ...placeOf(document.starts, node.offset), message }
}

/** `text` parsed; an empty file is an empty object. A byte order mark is no problem, nor is a comma at the end of a list. */
export function parseDocument(file: string, source: string): { document: Document } | { problem: Problem } {
  const text = source.startsWith("\ufeff") ? source.slice(1) : source
  const errors: ParseError[] = []
  const whole = text.trim() === "" ? "{}" : text
  const deep = tooDeepAt(whole)
  if (deep !== null) {
    const message = `values are nested more than ${depthMax} deep here`
    return { problem: { file, ...placeOf(startsOf(text), deep), message } }
  }
  const root = parseTree(whole, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const first = errors[0]
  if (first !== undefined) {
    const sentence = sentences[printParseErrorCode(first.error)] ?? "this is not JSON"
    return { problem: { file, ...placeOf(startsOf(text), first.offset), message: sentence } }
  }
  // A file of nothing but comments has no value.
  if (root === undefined) return parseDocument(file, "{}")
  const document = { file, starts: startsOf(whole), root }
  if (root.type !== "object") return { problem: problemAt(document, root, "the file has to hold one object, { … }") }
  return { document }
}

/** The properties of an object in the order in which they stand, also those whose name stands twice. Empty for anything else. */
export function propertiesOf(node: Node | undefined): readonly Property[] {
  if (node?.type !== "object") return []
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? []
    return key !== undefined && value !== undefined ? [{ name: String(key.value), key, value }] : []
  })
}

/** The property of that name; where it stands twice, the last one counts, as in any JSON. */
export function propertyOf(node: Node | undefined, name: string): Property | undefined {
  return propertiesOf(node).findLast((property) => property.name === name)
}

/** The plain value. */
export function valueOf(node: Node): Json {
  if (node.type === "object") {
    // `__proto__` is a name like any other.
    const entries = propertiesOf(node).map(({ name, value }): [string, Json] => [name, valueOf(value)])
    return Object.fromEntries(entries)
  }
  if (node.type === "array") return (node.children ?? []).map(valueOf)
  return node.value as Json
}

/** The plain value of a whole file. */
export function objectOf(document: Document): JsonObject {
  const value = valueOf(document.root)
  return isObject(value) ? value : {}
}

/** What to say of a name that is not known: the nearest one that is, when there is one. */
export function suggestion(name: string, known: readonly string[]): string {
  const lower = name.toLowerCase()
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)[0]
  return near !== undefined && near.distance <= Math.max(2, Math.ceil(name.length / 3))
    ? `; did you mean \`${near.candidate}\`?`
    : ""
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same))
    }
    row = next
  }
  return row[b.length] ?? 0
}
