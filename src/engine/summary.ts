/** What the summarizer is asked, and what of the conversation it reads. Pure. */
import { callsOf, textOf, type Message } from "../message/message.ts"

/** Of one tool result; what matters of more is in the answers that followed. */
const resultCharactersMax = 2_000

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

export function summaryPrompt(messages: readonly Message[], focus: string): string {
  const transcript = messages.map(lineOf).join("\n\n")
  const wish = focus === "" ? "" : `\nThe person asks you to pay special attention to: ${focus}`
  return `Summarize the conversation below under these headings: ${headings}. Keep exact names of files, functions, commands and errors.${wish}\n\n<conversation>\n${transcript}\n</conversation>`
}

/** The summary with the lists of files behind it. */
export function withFiles(summary: string, messages: readonly Message[]): string {
  const { read, changed } = filesOf(messages)
  const lists = [
    changed.length > 0 ? `Files changed: ${changed.join(", ")}` : "",
    read.length > 0 ? `Files read: ${read.join(", ")}` : "",
  ].filter((line) => line !== "")
  return [summary.trim(), ...lists].join("\n\n")
}
