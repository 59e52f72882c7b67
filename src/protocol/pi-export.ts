/**
 * A session in pi's session format, version 3: one JSON object a line, a tree by `parentId`. Pure.
 *
 * - Entries keep their order and get eight-digit ids that tell their own; a fork's first entry hangs on the one that it was made at.
 * - What the format has no word for goes into `custom` lines under `cairn.<kind>`, and what an import kept as it was comes out as it was, so
 *   that neither way loses what the format can say.
 * - The leaf of such a file is its last line: that is a `session_info` at the end of the conversation that is exported.
 */
import { noUsage, type Usage } from "../message/usage.ts"
import type { AssistantMessage } from "../message/message.ts"
import type { Json, JsonObject } from "../std/json.ts"
import type { ConversationRecord, EntryData, EntryRecord, LabelsDocument, SessionDocument } from "./records.ts"

export const piVersion = 3

/** Kinds that hold a line of the format that we have no word for: `pi.<type>`, its fields as data. */
export const keptKind = "pi."
/** Types of `custom` lines that hold an entry of ours. */
export const ownType = "cairn."

export type PiSource = {
  readonly id: string
  readonly session: SessionDocument | undefined
  readonly conversations: readonly ConversationRecord[]
  readonly entries: readonly EntryRecord[]
  readonly labels: LabelsDocument
  /** Where context begins from an entry on, for those that head it. */
  readonly heads: ReadonlyMap<number, number>
  /** The conversation whose end the file opens at. */
  readonly conversation: number
}

/** The id of an entry in such a file. */
export function piId(entry: number): string {
  return entry.toString(16).padStart(8, "0")
}

/** A second line that one entry needs: out of the way of all entries. */
function secondId(entry: number): string {
  return (0x8000_0000 + entry).toString(16)
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

/** The format has no unknown cost. */
function usageOf(usage: Usage): JsonObject {
  const { input, output, cacheRead, cacheWrite } = noUsage
  return { ...usage, cost: usage.cost ?? { input, output, cacheRead, cacheWrite, total: 0 } }
}

function assistantMessage(message: AssistantMessage): JsonObject {
  return { ...message, usage: usageOf(message.usage) } as unknown as JsonObject
}

type Line = JsonObject & { readonly type: string }

function message(data: object): readonly Line[] {
  return [{ type: "message", message: data as JsonObject }]
}

/** The newest entry of a conversation before another. */
function tailBefore(entries: readonly EntryRecord[], conversation: number, before: number): number {
  return entries.findLast((it) => it.conversation === conversation && it.id < before)?.id ?? 0
}

/** The lines of an entry, without their place in the tree. */
function linesOf({ id, at, data }: EntryRecord, { heads, entries }: PiSource): readonly Line[] {
  if (!isOurs(data)) {
    const kind = data.kind.slice(1)
    if (kind.startsWith(keptKind)) return [{ type: kind.slice(keptKind.length), ...data.value }]
    return [{ type: "custom", customType: `${ownType}${kind}`, data: data.value }]
  }
  switch (data.kind) {
    case "user":
      return data.custom === undefined
        ? message({ role: "user", content: data.content, timestamp: at })
        : [{ type: "custom_message", content: data.content as unknown as Json, ...data.custom }]
    case "assistant":
      return message(assistantMessage(data.message))
    case "toolResult": {
      const { durationMs, details } = data
      return message({ ...data.message, ...(details === undefined ? {} : { details }), durationMs })
    }
    case "shell": {
      const { command, output, exit, excluded } = data
      const run = { command, output, exitCode: exit ?? undefined, cancelled: exit === null, truncated: false }
      return message({ role: "bashExecution", ...run, excludeFromContext: excluded || undefined, timestamp: at })
    }
    case "model": {
      const [provider = "", ...model] = data.model.split("/")
      const lines = [
        { type: "model_change", provider, modelId: model.join("/") },
        { type: "thinking_level_change", thinkingLevel: data.thinking },
      ]
      return data.only === undefined ? lines : lines.filter(({ type }) => type.startsWith(data.only ?? ""))
    }
    case "compaction": {
      const { summary, tokensBefore, branch } = data
      if (branch !== undefined)
        return [{ type: "branch_summary", fromId: piId(tailBefore(entries, branch, id)), summary }]
      return [{ type: "compaction", summary, firstKeptEntryId: piId(heads.get(id) ?? id), tokensBefore }]
    }
    default: {
      const { kind, ...rest } = data
      return [{ type: "custom", customType: `${ownType}${kind}`, data: rest as unknown as JsonObject }]
    }
  }
}

function isOurs(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

/** The file's lines, each with its newline. */
export function piLines(source: PiSource): readonly string[] {
  const { id, session, conversations, entries, labels, conversation } = source
  const created = session?.createdAt ?? entries[0]?.at ?? 0
  const parents = new Map(conversations.map((it) => [it.id, it.parent === null ? null : piId(it.parent.entry)]))
  const tips = new Map(parents)
  const header = { type: "session", version: piVersion, id, timestamp: iso(created), cwd: session?.folder ?? "" }
  const lines: object[] = [header]
  for (const entry of entries) {
    for (const [place, { type, ...fields }] of linesOf(entry, source).entries()) {
      const own = place === 0 ? piId(entry.id) : secondId(entry.id)
      const parentId = tips.get(entry.conversation) ?? null
      lines.push({ type, id: own, parentId, timestamp: iso(entry.at), ...fields })
      tips.set(entry.conversation, own)
    }
  }
  let last = tips.get(conversation) ?? null
  const at = iso(entries.at(-1)?.at ?? created)
  const add = (n: number, fields: object): void => {
    const own = secondId(0x4000_0000 + n)
    lines.push({ ...fields, id: own, parentId: last, timestamp: at })
    last = own
  }
  Object.entries(labels).forEach(([target, label], n) =>
    add(n + 1, { type: "label", targetId: piId(Number(target)), label }),
  )
  add(0, { type: "session_info", name: session?.title ?? "" })
  return lines.map((line) => `${JSON.stringify(line)}\n`)
}
