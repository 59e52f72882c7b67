/**
 * A transcript as Markdown: what `sessions show` prints and `sessions export --md` writes. Pure.
 *
 * - Everything that was said and done is in it, once, in order; attempts that gave no answer are one line each.
 * - What models and tools said goes in as it is, in fences that it cannot close. Whoever shows it on a terminal cleans it.
 */
import { type AssistantMessage, type AssistantPart, type UserPart } from "../message/message.ts"
import { isObject, stableText, type JsonObject } from "../std/json.ts"
import { silentKinds, type EntryData, type EntryRecord, type SessionDocument, type ToolResultEntry } from "./records.ts"
import { undoText } from "./undo-text.ts"

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ")
}

/** `text` between fences that are longer than any within it. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")
}

function partsText(parts: readonly UserPart[]): string {
  return parts
    .map((part) => (part.type === "text" ? part.text : `*[image, ${part.mimeType}]*`))
    .join("\n\n")
    .trim()
}

function argumentsText(args: JsonObject): string {
  const { command, path } = args
  if (typeof command === "string") return `\n\n${fenced(command, "sh")}`
  if (typeof path === "string" && Object.keys(args).length === 1) return ` \`${path}\``
  return `\n\n${fenced(JSON.stringify(args, null, 2), "json")}`
}

function partText(part: AssistantPart): string {
  switch (part.type) {
    case "text":
      return part.text.trim()
    case "thinking":
      return part.thinking.trim() === "" ? "" : quoted(part.thinking.trim())
    case "toolCall":
      return `**${part.name}**${argumentsText(part.arguments)}`
  }
}

function answerText(message: AssistantMessage): string {
  return message.content
    .map(partText)
    .filter((text) => text !== "")
    .join("\n\n")
}

function attemptText(message: AssistantMessage, again: boolean): string {
  const said = message.stopReason === "aborted" ? "stopped" : "failed"
  const why = message.errorMessage === undefined || message.errorMessage === "" ? "" : `: ${message.errorMessage}`
  return `*[attempt ${said}${why}${again ? "; asked again" : ""}]*`
}

function keptText(output: ToolResultEntry["output"]): string {
  if (output === undefined) return ""
  if (output.dropped === true) return "\n\nThe whole output is not kept any more."
  return `\n\nThe whole output: \`${output.path}\``
}

function sectionOf(data: EntryData, at: number): string {
  switch (data.kind) {
    case "user":
      return `## You, ${time(at)}\n\n${partsText(data.content)}`
    case "assistant": {
      const { message } = data
      if (message.stopReason === "error" || message.stopReason === "aborted")
        return attemptText(message, data.again === true)
      const text = answerText(message)
      return text === "" ? "" : `## ${message.provider}/${message.model}\n\n${text}`
    }
    case "toolResult": {
      const text = partsText(data.message.content)
      const outcome = data.outcome === "done" ? "" : ` (${data.outcome})`
      return `### ${data.title}${outcome}\n\n${fenced(text)}${keptText(data.output)}`
    }
    case "notice":
      return `*[${data.text}]*`
    case "model":
      return `*[model ${data.model}, thinking ${data.thinking}]*`
    case "shell": {
      const status = data.exit === 0 ? "" : `\n\nexit status ${data.exit ?? "unknown"}`
      return `## You ran, ${time(at)}\n\n${fenced(data.command, "sh")}\n\n${fenced(data.output)}${status}`
    }
    case "undo":
      return `*[${undoText(data)}]*`
    case "compaction":
      return `*[what came before was summarized]*\n\n${quoted(data.summary)}`
    case "prompt":
      return ""
  }
}

function isKnown(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

/** One entry as a section of Markdown; empty where a reader has nothing to read of it. */
export function entryText(entry: EntryRecord): string {
  if (isKnown(entry.data)) return sectionOf(entry.data, entry.at)
  if (silentKinds.has(entry.data.kind)) return ""
  const value: unknown = "value" in entry.data ? entry.data.value : {}
  const kind = entry.data.kind.slice(1)
  if (isObject(value) && value["pruned"] === true) return `*[${kind}, pruned]*`
  return `*[${kind}]*\n\n${fenced(stableText(isObject(value) ? value : {}), "json")}`
}

/** A whole transcript. */
export function transcriptText(session: SessionDocument | undefined, entries: readonly EntryRecord[]): string {
  const title = session?.title === undefined || session.title === "" ? "A session" : session.title
  const from = session === undefined ? "" : `*${session.folder}, ${time(session.createdAt)}*`
  const calls = entries.filter(({ data }) => isKnown(data) && data.kind === "toolResult").length
  const inputs = entries.filter(({ data }) => isKnown(data) && data.kind === "user").length
  const counts = `*${inputs} inputs, ${calls} tool calls*`
  const sections = [`# ${title.replaceAll("\n", " ")}`, from, counts, ...entries.map(entryText)]
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`
}
