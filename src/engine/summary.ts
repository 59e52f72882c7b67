/** What the summarizer is asked, and what of the conversation it reads. Pure. */
import { estimateText } from "../message/estimate.ts"
import { callsOf, textOf, type Message } from "../message/message.ts"

/** Of one tool result; what matters of more is in the answers that followed. */
const resultCharactersMax = 2_000

/** Files that a summary names of each kind: those that were touched last. */
const filesMax = 100

export const summarySystem =
  "You summarize a conversation between a person and a coding agent, so that the agent can go on from your summary alone. Answer with the summary and nothing else; call no tools."

const headings =
  "Goal, Constraints and preferences, Progress (done, in progress, blocked), Decisions, Next steps, Critical context"

function lineOf(message: Message): string {
  switch (message.role) {
    case "user":
      return `[person]\n${textOf(message)}`
    case "assistant": {
      const calls = callsOf(message).map((call) => `[call ${call.name}] ${JSON.stringify(call.arguments)}`)
      return `[agent]\n${[textOf(message), ...calls].filter((text) => text !== "").join("\n")}`
    }
    case "toolResult": {
      const text = textOf(message)
      const shown = text.length > resultCharactersMax ? `${text.slice(0, resultCharactersMax)}…` : text
      return `[result of ${message.toolName}${message.isError ? ", an error" : ""}]\n${shown}`
    }
  }
}

/** Files that the calls read, and files that they changed, each once, in the order in which they were last touched. */
export function filesOf(messages: readonly Message[]): {
  readonly read: readonly string[]
  readonly changed: readonly string[]
} {
  const read = new Set<string>()
  const changed = new Set<string>()
  for (const message of messages) {
    if (message.role !== "assistant") continue
    for (const call of callsOf(message)) {
      const { path } = call.arguments
      if (typeof path !== "string") continue
      const set = call.name === "read" ? read : changed
      if (call.name !== "read" && call.name !== "edit" && call.name !== "write") continue
      set.delete(path)
      set.add(path)
    }
  }
  return { read: [...read].filter((path) => !changed.has(path)), changed: [...changed] }
}

/** A message that takes more than this share of the room is cut in its middle. */
const lineShare = 0.1
/** Of a transcript that does not fit, the beginning says what it is all about: this share of the room is its. */
const headShare = 0.2

function cutLine(line: string, tokensMax: number): string {
  const size = estimateText(line)
  if (size <= tokensMax) return line
  const half = Math.floor((line.length * tokensMax) / size / 2)
  return `${line.slice(0, half)}\n[… cut …]\n${line.slice(-half)}`.toWellFormed()
}

/** How many of `sizes` fit into `room`, from the first on. */
function fitting(sizes: readonly number[], room: number): number {
  let left = room
  const over = sizes.findIndex((size) => (left -= size) < 0)
  return over < 0 ? sizes.length : over
}

/** The messages as text of about `tokensMax` at most: where they are more, the beginning and the end of it. */
function transcriptOf(messages: readonly Message[], tokensMax: number): string {
  const lines = messages.map(lineOf).map((line) => cutLine(line, tokensMax * lineShare))
  const sizes = lines.map(estimateText)
  if (sizes.reduce((sum, size) => sum + size, 0) <= tokensMax) return lines.join("\n\n")
  const head = fitting(sizes, tokensMax * headShare)
  const tail = fitting(sizes.slice(head).toReversed(), tokensMax * (1 - headShare))
  const gap = `[… ${lines.length - head - tail} messages left out …]`
  return [...lines.slice(0, head), gap, ...lines.slice(lines.length - tail)].join("\n\n")
}

/** `tokensMax`: what of the conversation is told at most, in estimated tokens. */
export function summaryPrompt(messages: readonly Message[], focus: string, tokensMax: number): string {
  const transcript = transcriptOf(messages, tokensMax)
  const wish = focus === "" ? "" : `\nThe person asks you to pay special attention to: ${focus}`
  return `Summarize the conversation below under these headings: ${headings}. Keep exact names of files, functions, commands and errors.${wish}\n\n<conversation>\n${transcript}\n</conversation>`
}

/** The summary with the lists of files behind it. */
export function withFiles(summary: string, messages: readonly Message[]): string {
  const { read, changed } = filesOf(messages)
  const lists = [
    changed.length > 0 ? `Files changed: ${changed.slice(-filesMax).join(", ")}` : "",
    read.length > 0 ? `Files read: ${read.slice(-filesMax).join(", ")}` : "",
  ].filter((line) => line !== "")
  return [summary.trim(), ...lists].join("\n\n")
}
