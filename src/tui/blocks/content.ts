/**
 * Blocks to lines, one look for each kind.
 *
 * - Pure but for the colours of code, which are asked for here and come later.
 * - Every text from outside passes the one door (`std/clean.ts`, `std/ansi.ts`) on its way in.
 */
import { cleanControls, cleanLine } from "../../std/clean.ts"
import { unreachable } from "../../std/assert.ts"
import type { Highlighter } from "../highlight/highlighter.ts"
import { markdownContent } from "../markdown/markdown.ts"
import type { Content, RowSource } from "../rows/content.ts"
import { prefixLines, span, textLine, type Line, type Span, type Style } from "../rows/row.ts"
import type { Block, BlockOf } from "./block.ts"
import { callContent, elapsed, seconds } from "./call.ts"
import { ansiLine, clipLines, outputLines } from "./output.ts"

/** Lines of an input that is shown whole: a paste of thousands is told, not shown. */
const inputLinesMax = 200
/** Lines of a command's output that stay when it is folded. */
const shellTail = 5
/** Rows of folded reasoning that are shown while it comes, and the text that they are made of: more than any screen has in so few rows. */
const thinkingTail = 4
const thinkingTailUnits = 4_000
const rule: readonly Span[] = [span("│ ", { fg: "borderSubtle" })]

export function blockSource(highlighter: Highlighter): RowSource<Block> {
  return { content: (block, open, previous) => contentOf(block, open, highlighter, previous) }
}

function fixed(lines: readonly Line[], pending = false): Content {
  return { parts: [{ lines }], pending }
}

function contentOf(block: Block, open: boolean, highlighter: Highlighter, previous: Content | undefined): Content {
  switch (block.kind) {
    case "input":
      return fixed(inputLines(block))
    case "answer":
      return markdownContent(block.text, { highlighter, streaming: block.streaming }, previous)
    case "thinking":
      return thinkingContent(block, open)
    case "call": {
      const { lines, pending } = callContent(block, open, highlighter)
      return fixed(lines, pending)
    }
    case "attempt":
      return fixed(attemptLines(block, open))
    case "notice":
      return fixed(noticeLines(block))
    case "retry":
      return fixed(retryLines(block))
    case "working":
      return fixed([quiet(`… ${cleanLine(block.what)}${block.seconds > 0 ? ` · ${elapsed(block.seconds)}` : ""}`)])
    case "compaction":
      return fixed(compactionLines(block, open, highlighter))
    case "shell":
      return fixed(shellLines(block, open))
    case "queued":
      return fixed(queuedLines(block))
    case "model":
      return fixed([
        quiet(`${cleanLine(block.model)}${block.thinking === "off" ? "" : `, thinking ${block.thinking}`}`),
      ])
    case "unknown":
      return fixed(unknownLines(block, open))
    default:
      return unreachable(block)
  }
}

/** A line of its own that steps back. */
function quiet(text: string, style: Style = { fg: "textMuted" }): Line {
  return textLine([span(text, style)])
}

function foldable(open: boolean, text: string, style: Style): Line {
  const first = [span(open ? "▾ " : "▸ ", style)]
  return textLine([span(text, style)], { first, rest: [span("  ")], wrap: "cut", action: "fold" })
}

function plainLines(text: string, style: Style): readonly Line[] {
  return cleanControls(text)
    .split("\n")
    .map((line) => textLine(line === "" ? [] : [span(line, style)]))
}

function inputLines(block: BlockOf<"input">): readonly Line[] {
  const lines = plainLines(block.text.replace(/\s+$/, ""), { fg: "text" })
  const half = inputLinesMax / 2
  const shown = clipLines(lines, half, half, (hidden) => `… ${hidden} more lines`)
  const images = block.images.map((image) =>
    textLine([span(`[image: ${cleanLine(image)}]`, { fg: "markdownImageText" })]),
  )
  const all = [...(block.text === "" ? [] : shown), ...images]
  return prefixLines(all, [span("› ", { fg: "primary", bold: true })], [span("  ")]).map((line) =>
    line.kind === "text" ? { ...line, fill: "userMessage" as const } : line,
  )
}

function thinkingContent(block: BlockOf<"thinking">, open: boolean): Content {
  const style: Style = { fg: "thinking", italic: true }
  if (block.redacted) return fixed([quiet("Thinking that the provider keeps to itself", style)])
  const text = block.text.trim()
  const count = text.length < 1_000 ? `${text.length} characters` : `${(text.length / 1_000).toFixed(1)} k characters`
  const head = { lines: [foldable(open, block.streaming ? "Thinking…" : `Thinking, ${count}`, style)] }
  const body = (shown: string): readonly Line[] => prefixLines(plainLines(shown, style), rule)
  if (open) return { parts: [head, { lines: body(text) }], pending: false }
  if (!block.streaming || text === "") return { parts: [head], pending: false }
  // While it comes, its newest rows show that something goes on, and what.
  const newest = text.slice(-thinkingTailUnits).split("\n").slice(-thinkingTail).join("\n")
  return { parts: [head, { lines: body(newest), last: thinkingTail }], pending: false }
}

function clockTime(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, "0")
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

function attemptLines(block: BlockOf<"attempt">, open: boolean): readonly Line[] {
  const what = block.aborted ? "Stopped" : "Attempt failed"
  const facts = [clockTime(block.at), `${block.tokens} tokens`, ...(block.again ? ["asked again"] : [])].join(" · ")
  const reason = cleanLine(block.reason)
  if (!block.aborted && !block.again) return failureLines(block, open, reason, facts)
  const head = foldable(open, `${what}${reason === "" ? "" : `: ${reason}`}`, { fg: "textMuted", dim: true })
  const line: Line =
    head.kind === "text" ? { ...head, tail: [span(` · ${facts}`, { fg: "textMuted", dim: true })] } : head
  if (!open) return [line]
  const whole = reason.length > 40 ? plainLines(block.reason, { fg: "textMuted" }) : []
  const text = block.text === "" ? [] : plainLines(block.text, { fg: "textMuted" })
  return [line, ...prefixLines([...whole, ...text], rule)]
}

/** The last attempt of a run: why it failed and what to do about it stands there in full, since nothing follows. */
function failureLines(block: BlockOf<"attempt">, open: boolean, reason: string, facts: string): readonly Line[] {
  const style: Style = { fg: "error" }
  const spans = [span(`Failed: ${reason}`, style), span(` · ${facts}`, { fg: "textMuted", dim: true })]
  const head = textLine(spans, { first: [span(open ? "▾ ✗ " : "▸ ✗ ", style)], rest: [span("    ")], action: "fold" })
  const text = block.text === "" || !open ? [] : plainLines(block.text, { fg: "textMuted" })
  return [head, ...prefixLines(text, rule)]
}

const noticeLooks = {
  info: { mark: "i ", style: { fg: "notice" } },
  warning: { mark: "! ", style: { fg: "warning" } },
  error: { mark: "✗ ", style: { fg: "error" } },
} as const

function noticeLines(block: BlockOf<"notice">): readonly Line[] {
  const { mark, style } = noticeLooks[block.level]
  return prefixLines(plainLines(block.text.trim(), style), [span(mark, { ...style, bold: true })], [span("  ")])
}

function retryLines(block: BlockOf<"retry">): readonly Line[] {
  const when = block.seconds > 0 ? `in ${elapsed(block.seconds)}` : "now"
  const text = `Asking again ${when} (try ${block.attempt} of ${block.of}): ${cleanLine(block.error)}`
  return prefixLines([textLine([span(text, { fg: "warning" })])], [span("↻ ", { fg: "warning" })], [span("  ")])
}

function compactionLines(block: BlockOf<"compaction">, open: boolean, highlighter: Highlighter): readonly Line[] {
  const text =
    block.branch === null
      ? `Earlier conversation summarized (${block.tokensBefore.toLocaleString("en")} tokens before)`
      : `Summary of what was said in the branch that was left (c${block.branch})`
  const head = foldable(open, text, { fg: "notice" })
  if (!open) return [head]
  const { parts } = markdownContent(block.summary, { highlighter, streaming: false })
  return [
    head,
    ...prefixLines(
      parts.flatMap(({ lines }) => lines),
      rule,
    ),
  ]
}

function endOfShell({ exit, outcome }: BlockOf<"shell">): string {
  if (exit !== null) return exit === 0 ? "" : `exit ${exit}`
  switch (outcome) {
    case "aborted":
      return "stopped"
    case "not started":
    case "unknown":
      return outcome === "unknown" ? "outcome unknown" : outcome
    default:
      return "ended by a signal"
  }
}

function shellLines(block: BlockOf<"shell">, open: boolean): readonly Line[] {
  const runs = block.seconds !== undefined
  const facts = [
    runs ? "running" : endOfShell(block),
    block.excluded ? "not told to the model" : "",
    runs ? elapsed(block.seconds) : block.durationMs >= 1_000 ? seconds(block.durationMs) : "",
  ].filter((one) => one !== "")
  const style: Style = { fg: runs ? "toolPending" : block.exit === 0 ? "toolDone" : "toolFailed" }
  const head = textLine(
    [span(`${block.excluded ? "!!" : "!"} `, { ...style, bold: true }), span(cleanLine(block.command))],
    {
      first: [span(open ? "▾ " : "▸ ", style)],
      tail: facts.length === 0 ? [] : [span(`  ${facts.join(" · ")}`, { fg: "textMuted" })],
      wrap: "cut",
      action: "fold",
    },
  )
  const lines = outputLines(block.output).map((line) => ansiLine(line, rule))
  return [head, ...(open ? lines : clipLines(lines, 0, shellTail, (hidden) => `… ${hidden} more lines`, rule))]
}

function queuedLines(block: BlockOf<"queued">): readonly Line[] {
  const when = block.steer ? "joins at the next turn" : "after this run"
  const text = cleanLine(block.text)
  return [
    textLine([span(text, { fg: "textMuted" })], {
      first: [span("⧗ ", { fg: "accent" })],
      tail: [span(`  queued, ${when}`, { fg: "textMuted", italic: true })],
      wrap: "cut",
    }),
  ]
}

function unknownLines(block: BlockOf<"unknown">, open: boolean): readonly Line[] {
  const head = foldable(open, cleanLine(block.name), { fg: "textMuted" })
  if (!open) return [head]
  return [head, ...prefixLines(plainLines(JSON.stringify(block.value, null, 2), { fg: "textMuted" }), rule)]
}
