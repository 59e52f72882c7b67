/**
 * A call: one line that says what, how it stands and how long it took, and below it what the tool makes of it.
 *
 * - Folded, it shows what a reader needs to follow: the end of an output, the first lines of a diff. Open, it shows all that is held.
 * - The same call looks the same while its arguments are written, while it runs and when it has ended; only more is known.
 */
import { cleanControls, cleanLine } from "../../std/clean.ts"
import type { ToolResultEntry } from "../../protocol/records.ts"
import { isObject, type JsonObject } from "../../std/json.ts"
import type { Highlighter } from "../highlight/highlighter.ts"
import { languageOf } from "../highlight/languages.ts"
import { codeText, type LineContext } from "../markdown/lines.ts"
import { span, textLine, type Line, type Span, type Style } from "../rows/row.ts"
import type { BlockOf, CallState } from "./block.ts"
import { diffLines, parseDiff, type DiffLine } from "./diff.ts"
import { hitLines } from "./hits.ts"
import { ansiLine, clipLines, outputLines } from "./output.ts"

type Call = BlockOf<"call">

/** Lines of a folded call: of one that runs, of one that failed, of one that ended well, and of a diff. */
const runningTail = 8
/** Code units that are looked at for them: a few wide lines, or the last states of a progress bar. */
const runningTailMax = 8 * 1024
const failedTail = 8
const doneTail = 3
const diffHead = 12
/** Lines of a file that is being written, while it is. */
const writingTail = 8
/** Lines of one output that are laid out in the conversation; the output panel shows the rest. */
const openLinesMax = 2_000

const rule: readonly Span[] = [span("│ ", { fg: "borderSubtle" })]

const looks: Readonly<Record<CallState, { readonly mark: string; readonly style: Style; readonly word: string }>> = {
  writing: { mark: "○", style: { fg: "toolPending" }, word: "writing" },
  queued: { mark: "○", style: { fg: "toolPending" }, word: "waiting" },
  running: { mark: "●", style: { fg: "toolPending" }, word: "running" },
  done: { mark: "✓", style: { fg: "toolDone" }, word: "" },
  reconciled: { mark: "✓", style: { fg: "toolDone" }, word: "done before the restart" },
  failed: { mark: "✗", style: { fg: "toolFailed" }, word: "failed" },
  "not started": { mark: "–", style: { fg: "textMuted" }, word: "not started" },
  unknown: { mark: "?", style: { fg: "warning" }, word: "outcome unknown" },
  aborted: { mark: "■", style: { fg: "toolFailed" }, word: "stopped" },
}

export function seconds(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return elapsed(Math.floor(ms / 1_000))
}

/** A time that is counted in whole seconds. */
export function elapsed(count: number): string {
  return count < 60 ? `${count} s` : `${Math.floor(count / 60)} m ${count % 60} s`
}

export function headLine(call: Call, open: boolean): Line {
  const { mark, style, word } = looks[call.state]
  const facts = [word, ...toolFacts(call), duration(call), call.unsaved ? "not saved" : ""].filter((one) => one !== "")
  const title = cleanLine(call.title)
  return textLine(
    [span(cleanLine(call.name), { ...style, bold: true }), span(title === "" ? "" : ` ${title}`, { fg: "text" })],
    {
      first: [span(`${open ? "▾" : "▸"} ${mark} `, style)],
      tail: facts.map((fact, place) => span(`${place === 0 ? "  " : " · "}${fact}`, { fg: "textMuted" })),
      wrap: "cut",
      action: "fold",
    },
  )
}

function duration(call: Call): string {
  if (call.seconds !== null) return elapsed(call.seconds)
  const took = call.result?.durationMs ?? 0
  return took >= 1_000 ? seconds(took) : ""
}

/** What a call is known by, in a few words: an exit status, a range of lines, lines added and removed. */
function toolFacts(call: Call): readonly string[] {
  const details = isObject(call.result?.details) ? call.result.details : {}
  const facts: string[] = []
  // How a command ended that was stopped says only how it was stopped.
  const ended = call.state === "aborted" ? {} : details
  if (typeof ended.exit === "number" && ended.exit !== 0) facts.push(`exit ${ended.exit}`)
  if (typeof ended.signal === "string") facts.push(`signal ${cleanLine(ended.signal)}`)
  if (typeof details.added === "number" && typeof details.removed === "number") {
    facts.push(`+${details.added} -${details.removed}`)
  }
  if (typeof details.from === "number" && typeof details.to === "number")
    facts.push(`lines ${details.from}-${details.to}`)
  if (details.created === true) facts.push("new file")
  return facts
}

export type CallContent = { readonly lines: readonly Line[]; readonly pending: boolean }

export function callContent(call: Call, open: boolean, highlighter: Highlighter): CallContent {
  const context: LineContext = { highlighter, open: call.result === null, pending: false }
  const body = bodyLines(call, open, context)
  return { lines: [headLine(call, open), ...body], pending: context.pending }
}

function bodyLines(call: Call, open: boolean, context: LineContext): readonly Line[] {
  const details = isObject(call.result?.details) ? call.result.details : {}
  if (typeof details.diff === "string" && details.diff !== "") return diffBody(call, details, open, context)
  if (call.result === null && call.output === "") return draftBody(call, open, context)
  const failed = call.state === "failed" || call.state === "unknown" || call.state === "aborted"
  // A file that was read is told by its name and range; what it holds is shown when asked for.
  if (call.name === "read" && call.result !== null && !open && !failed) return []
  if (call.result === null && !open) return runningLines(call.output)
  const images = imageLines(call)
  const lines = call.name === "read" && !failed ? readLines(call, context) : resultLines(call)
  const tail = failed ? failedTail : doneTail
  const note = (hidden: number): string => `… ${hidden} more lines`
  const ruled = lines.map((line) => ruledLine(line))
  const cut = open
    ? clipLines(ruled, openLinesMax / 2, openLinesMax / 2, (hidden) => `${note(hidden)}: see the output panel`, rule)
    : clipLines(ruled, 0, tail, note, rule)
  return [...images, ...cut]
}

function ruledLine(line: Line): Line {
  return line.kind === "rule" ? line : { ...line, first: [...rule, ...line.first], rest: [...rule, ...line.rest] }
}

/** What a call gave, raw: with the colours that a command printed where they were kept. */
export function outputTextOf(result: ToolResultEntry): string {
  const details = isObject(result.details) ? result.details : {}
  if (typeof details.raw === "string") return details.raw
  return result.message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

function resultLines(call: Call): readonly Line[] {
  const text = call.result === null ? call.output : outputTextOf(call.result)
  if (call.name === "grep" && call.state === "done") return hitLines(text, call.args)
  return outputLines(text).map((line) => ansiLine(line))
}

/** The end of an output that still comes: it is drawn anew at every frame, so only what shows is looked at. */
function runningLines(output: string): readonly Line[] {
  const near = output.slice(-runningTailMax)
  const start = near.length < output.length ? near.search(/[\r\n]/) + 1 : 0
  const ruled = outputLines(near.slice(start)).map((line) => ruledLine(ansiLine(line)))
  let above = 0
  const end = output.length - near.length + start
  for (let at = output.indexOf("\n"); at >= 0 && at < end; at = output.indexOf("\n", at + 1)) above++
  return clipLines(ruled, 0, runningTail, (hidden) => `… ${above + hidden} more lines`, rule)
}

function readLines(call: Call, context: LineContext): readonly Line[] {
  const text = cleanControls(call.result === null ? "" : outputTextOf(call.result)).replace(/\n$/, "")
  return text === "" ? [] : codeText(text, languageOf(cleanLine(call.title)), context)
}

function imageLines(call: Call): readonly Line[] {
  return (call.result?.message.content ?? []).flatMap((part) =>
    part.type === "image"
      ? [textLine([span(`[image: ${cleanLine(part.mimeType)}]`, { fg: "markdownImageText" })], { first: rule })]
      : [],
  )
}

function diffBody(call: Call, details: JsonObject, open: boolean, context: LineContext): readonly Line[] {
  const diff = parseDiff(String(details.diff))
  const language = languageOf(typeof details.path === "string" ? details.path : call.title)
  return diffPart(diff, language, open, context)
}

function diffPart(diff: readonly DiffLine[], language: string, open: boolean, context: LineContext): readonly Line[] {
  const made = { highlighter: context.highlighter, language, pending: false }
  const limit = open || diff.length <= diffHead + 1 ? Infinity : diffHead
  const lines = diffLines(diff, made, limit)
  context.pending ||= made.pending
  if (lines.length === diff.length) return lines
  const text = `… ${diff.length - lines.length} more lines`
  return [...lines, textLine([span(text, { fg: "textMuted" })], { first: rule, wrap: "cut", action: "fold" })]
}

/** What a call is going to do, while it is written or waits: a file's new text, the passages of an edit. */
function draftBody(call: Call, open: boolean, context: LineContext): readonly Line[] {
  const { args } = call
  const language = languageOf(typeof args.path === "string" ? args.path : "")
  if (typeof args.content === "string" && args.content !== "") {
    const lines = codeText(cleanControls(args.content).replace(/\n$/, ""), language, context).map(ruledLine)
    return open ? lines : clipLines(lines, 0, writingTail, (hidden) => `… ${hidden} lines above`, rule)
  }
  const edits = Array.isArray(args.edits) ? args.edits : []
  const diff = edits.filter(isObject).flatMap((edit, place) => draftEdit(edit, place))
  if (diff.length > 0) return diffPart(diff, language, open, context)
  if (typeof args.command === "string" && args.command.includes("\n")) {
    return codeText(cleanControls(args.command), "bash", context).map(ruledLine)
  }
  return open ? argumentLines(args) : []
}

function draftEdit(edit: JsonObject, place: number): readonly DiffLine[] {
  const side = (kind: "added" | "removed", text: unknown): readonly DiffLine[] =>
    typeof text !== "string" || text === ""
      ? []
      : cleanControls(text)
          .split("\n")
          .map((line, at) => ({ kind, text: line, number: at + 1 }))
  const head: readonly DiffLine[] = place === 0 ? [] : [{ kind: "hunk", text: "⋯" }]
  return [...head, ...side("removed", edit.oldText), ...side("added", edit.newText)]
}

function argumentLines(args: JsonObject): readonly Line[] {
  return Object.entries(args).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return textLine([span(`${cleanLine(name)}: `, { fg: "textMuted" }), span(cleanLine(text ?? ""), { fg: "text" })], {
      first: rule,
    })
  })
}
