/**
 * Random files and edits as models quote them: what holds of every one of them, whatever the seed.
 *
 * - A file is lines that are all different, with every kind of end, blank, quote and letter, in one of the encodings.
 * - An edit quotes some of its lines, to the letter or as models do: other quotes, dashes, blanks, line ends, indentation.
 * - Bytes outside the quoted lines never change; a quote to the letter is always found; a refusal is one of the sentences that there are.
 */
import { applyEdits, type Edit } from "../../src/tools/edit-match.ts"
import { decodeText, encodeText, type TextForm } from "../../src/tools/encoding.ts"
import { seeded } from "./seeded.ts"

export type FuzzCase = {
  /** How the edits were found: `exact`, the loosest rung of the ladder that was needed, or `refused`. */
  readonly how: string
  /** What does not hold, in sentences; empty where all does. */
  readonly problems: readonly string[]
}

const forms: readonly TextForm[] = [
  { encoding: "UTF-8", bom: false },
  { encoding: "UTF-8", bom: false },
  { encoding: "UTF-8", bom: true },
  { encoding: "UTF-16 LE", bom: true },
  { encoding: "UTF-16 BE", bom: true },
]

type Random = () => number

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function randomLines(random: Random): readonly string[] {
  const ends = pick(random, [["\n"], ["\r\n"], ["\n", "\n", "\r\n"]])
  const count = 3 + Math.floor(random() * 14)
  return Array.from({ length: count }, (_, at) => {
    const indent = pick(random, ["", "  ", "    ", "\t", "\t\t", "  \t"])
    const word = pick(random, [
      "let",
      "“x”",
      "C’est",
      "e\u0301t\u00e9",
      "\u00e9t\u00e9",
      "阴😀",
      "a–b",
      "$& \\1",
      "a  b",
    ])
    const end = at === count - 1 && random() < 0.3 ? "" : pick(random, ends)
    return `${indent}${word} v${at};${pick(random, ["", "", "  ", "\t", "\u00a0"])}${end}`
  })
}

/** What a model makes of lines that it read. */
function misquoted(lines: readonly string[], random: Random): string {
  let text = lines.join("")
  if (random() < 0.5) text = text.replaceAll("\r\n", "\n")
  if (random() < 0.4) text = text.replace(/[“”]/g, '"').replaceAll("’", "'").replaceAll("–", "-")
  if (random() < 0.4) text = text.replace(/[ \t\u00a0]+(?=\r?\n|$)/g, "")
  if (random() < 0.2) text = text.normalize("NFC")
  if (random() < 0.15) text = text.replace(/^(?=.)/gm, "  ")
  if (random() < 0.15) text = text.replaceAll("  ", " ")
  return text
}

const refusals = [
  /^\S* was not found in f\./,
  /^\S* is in f \d+ times \(lines [\d, ]+( and \d+ more)?\): add lines around it until it is there once\.$/,
  /^\S* and \S* overlap at line \d+ of f: make one edit of them\.$/,
  /^Nothing to change: /,
  /^\S* is empty: /,
]

type Span = { readonly from: number; readonly to: number; readonly edit: Edit }

/** Lines that are replaced, apart from one another, in order. */
function randomSpans(lines: readonly string[], random: Random): readonly Span[] {
  const spans: Span[] = []
  for (let at = 0; at < lines.length && spans.length < 3;) {
    const from = at + Math.floor(random() * 4)
    const to = from + 1 + Math.floor(random() * 3)
    if (to > lines.length) break
    const newText = pick(random, ["", `«${from}»`, `«${from}»\n`, `«${from}»\n$& $1 \\n\n`, `\t«${from}»\n  “q”\n`])
    spans.push({ from, to, edit: { oldText: misquoted(lines.slice(from, to), random), newText } })
    at = to + 1
  }
  return spans
}

export function fuzzEdit(seed: number): FuzzCase {
  const random = seeded(seed)
  const lines = randomLines(random)
  const form = pick(random, forms)
  const bytes = encodeText(lines.join(""), form)
  const decoded = decodeText(bytes)
  if (!("text" in decoded)) return { how: "no text", problems: [`seed ${seed}: the file is taken for no text`] }
  const spans = randomSpans(lines, random)
  const edits = spans.map(({ edit }) => edit)
  const given = random() < 0.5 ? edits.toReversed() : edits
  const outcome = applyEdits(decoded.text, given, "f")
  const said = (problem: string): string => `seed ${seed}: ${problem}`
  if (!outcome.ok) {
    const known = refusals.some((refusal) => refusal.test(outcome.message)) || edits.length === 0
    const exact = spans.length > 0 && spans.every((span) => isExact(span, lines))
    const problems = [
      ...(known ? [] : [said(`an unknown refusal: ${outcome.message}`)]),
      ...(exact ? [said(`a quote to the letter was refused: ${outcome.message}`)] : []),
    ]
    return { how: "refused", problems }
  }
  const after = encodeText(outcome.text, decoded.form)
  const outside = outsideOf(lines, spans).map((text) => encodeText(text, { ...form, bom: false }))
  const plain = { ...form, bom: false }
  const { problem, inside } = split(after.subarray(form.bom ? bomBytes(form) : 0), outside)
  const says = inside.map((part) => letters(textOf(part, plain)))
  const wanted = spans.map(({ edit }) => letters(edit.newText))
  const wrong = problem === null && says.join("|") !== wanted.join("|")
  const how =
    outcome.notes.length === 0 ? "exact" : (outcome.notes[0] ?? "").replace(/^.* differed in (.*) \(line.*$/, "$1")
  const problems = [
    ...(problem === null ? [] : [said(problem)]),
    ...(wrong ? [said(`the file says ${says.join("|")} and not ${wanted.join("|")}`)] : []),
  ]
  return { how, problems }
}

function textOf(bytes: Uint8Array, { encoding }: TextForm): string {
  const labels = {
    "UTF-8": "utf-8",
    "UTF-16 LE": "utf-16le",
    "UTF-16 BE": "utf-16be",
    "Latin-1": "windows-1252",
  } as const
  return new TextDecoder(labels[encoding], { ignoreBOM: true }).decode(bytes)
}

/** What a text says, whatever its blanks and whichever of two characters that look alike it has. */
function letters(text: string): string {
  return text.normalize("NFKC").replace(/[“”]/g, '"').replaceAll("’", "'").replaceAll("–", "-").replace(/\s/g, "")
}

function bomBytes({ encoding }: TextForm): number {
  return encoding === "UTF-8" ? 3 : 2
}

function isExact({ from, to, edit }: Span, lines: readonly string[]): boolean {
  return edit.oldText === lines.slice(from, to).join("") && edit.oldText !== edit.newText
}

/** The texts before, between and after the spans. */
function outsideOf(lines: readonly string[], spans: readonly Span[]): readonly string[] {
  const bounds = [0, ...spans.flatMap(({ from, to }) => [from, to]), lines.length]
  const parts: string[] = []
  for (let at = 0; at < bounds.length; at += 2) parts.push(lines.slice(bounds[at], bounds[at + 1]).join(""))
  return parts
}

/** What is between the outer parts, which `bytes` begin and end with, and the others, in order between them; `problem` where they are not there. */
function split(
  bytes: Uint8Array,
  parts: readonly Uint8Array[],
): { readonly problem: string | null; readonly inside: readonly Uint8Array[] } {
  const all = Buffer.from(bytes)
  const inside: Uint8Array[] = []
  let at = 0
  for (const [place, part] of parts.entries()) {
    const last = place === parts.length - 1
    const found = place === 0 ? 0 : last ? all.length - part.length : all.indexOf(part, at)
    if (found < at || !all.subarray(found, found + part.length).equals(part))
      return { problem: `bytes outside the edits changed: part ${place} of ${parts.length} is not there`, inside }
    if (place > 0) inside.push(all.subarray(at, found))
    at = found + part.length
  }
  return { problem: null, inside }
}
