/**
 * A session in pi's session format, version 3: one JSON object a line, a tree by `parentId`. Pure.
 *
 * - Entries keep their order and get eight-digit ids that tell their own; imported ones keep the ids that they had. A fork's first entry hangs on
 *   the one that it was made at.
 * - What the format has no word for goes into `custom` lines under `cairn.<kind>`, and an imported line comes out as it was, so that neither way
 *   loses what the format can say.
 * - The leaf of such a file is its last line. Where that would be of another conversation than the one that is exported, a line is put behind it.
 */
import { noUsage, type Usage } from "../message/usage.ts"
import type { AssistantMessage } from "../message/message.ts"
import type { Json, JsonObject } from "../std/json.ts"
import { withRest } from "./pi-rest.ts"
import type {
  ConversationRecord,
  EntryData,
  EntryRecord,
  ImportedLine,
  LabelsDocument,
  SessionDocument,
} from "./records.ts"

export const piVersion = 3

/** Kinds that hold a line of the format that we have no word for: `pi.<type>`, its fields as data. */
export const keptKind = "pi."
/** Types of `custom` lines that hold an entry of ours. */
export const ownType = "cairn."
/** A `custom` line that says nothing but where the conversation goes on. */
export const leafType = "cairn.leaf"

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

/** What lines name others by. */
export type LineNames = {
  idOf(entry: number): string
  /** Where context begins from an entry on. */
  head(entry: number): number
  /** The newest entry of a conversation before another; 0 where there is none. */
  tailBefore(conversation: number, before: number): number
}

/** The lines of an entry as it is, without their place in the tree. */
export function linesOf({ id, at, data }: EntryRecord, names: LineNames): readonly Line[] {
  if (!isOurs(data)) {
    const { imported: _, ...value } = data.value
    const kind = data.kind.slice(1)
    if (kind.startsWith(keptKind)) return [{ type: kind.slice(keptKind.length), ...value }]
    return [{ type: "custom", customType: `${ownType}${kind}`, data: value }]
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
        return [{ type: "branch_summary", fromId: names.idOf(names.tailBefore(branch, id)), summary }]
      return [{ type: "compaction", summary, firstKeptEntryId: names.idOf(names.head(id)), tokensBefore }]
    }
    default: {
      const { kind, imported: _, ...rest } = data
      return [{ type: "custom", customType: `${ownType}${kind}`, data: rest as unknown as JsonObject }]
    }
  }
}

function isOurs(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

function importedOf({ data }: EntryRecord): ImportedLine | undefined {
  if (isOurs(data)) return data.imported
  return data.value["imported"] as ImportedLine | undefined
}

/** The ids of all entries: those that they were imported with, and for others ids that are nobody's. */
function idsOf(entries: readonly EntryRecord[]): (entry: number) => string {
  const imported = new Map(entries.map((entry) => [entry.id, importedOf(entry)?.id]))
  const taken = new Set(imported.values())
  return (entry) => {
    const free = [piId(entry), piId(0x4000_0000 + entry)].find((id) => !taken.has(id))
    return imported.get(entry) ?? free ?? piId(entry)
  }
}

type Placed = Line & { readonly id: string; readonly parentId: string | null; readonly timestamp: string }

/** All lines of all entries, and the end of each conversation. */
function entryLines({ conversations, entries, heads }: PiSource): {
  readonly lines: readonly Placed[]
  readonly tips: ReadonlyMap<number, string | null>
  readonly idOf: LineNames["idOf"]
} {
  const idOf = idsOf(entries)
  const names: LineNames = {
    idOf,
    head: (entry) => heads.get(entry) ?? entry,
    tailBefore: (of, before) => entries.findLast((it) => it.conversation === of && it.id < before)?.id ?? 0,
  }
  const tips = new Map(conversations.map((it) => [it.id, it.parent === null ? null : idOf(it.parent.entry)]))
  const lines = entries.flatMap((entry) =>
    linesOf(entry, names).map((made, place): Placed => {
      const id = place === 0 ? idOf(entry.id) : secondId(entry.id)
      const parentId = tips.get(entry.conversation) ?? null
      tips.set(entry.conversation, id)
      const { type, ...fields } = withRest(made, importedOf(entry) ?? {})
      return { type: String(type), id, parentId, timestamp: iso(entry.at), ...fields }
    }),
  )
  return { lines, tips, idOf }
}

/** What the lines say of names, which the session may say otherwise since. */
function told(lines: readonly Placed[]): { readonly name: string; readonly labels: ReadonlyMap<string, string> } {
  const labels = new Map<string, string>()
  let name = ""
  for (const line of lines) {
    if (line.type === "session_info") name = String(line["name"] ?? "")
    if (line.type !== "label") continue
    const { targetId, label } = line as { readonly targetId?: Json; readonly label?: Json }
    if (typeof label === "string") labels.set(String(targetId), label)
    else labels.delete(String(targetId))
  }
  return { name, labels }
}

/** Lines behind all others: names that changed, and whatever makes the last line the end of the conversation. */
function lastLines(
  source: PiSource,
  lines: readonly Placed[],
  tip: string | null,
  wanted: ReadonlyMap<string, string>,
): readonly Line[] {
  const { name, labels } = told(lines)
  const given = [...wanted].filter(([target, label]) => labels.get(target) !== label)
  const taken = [...labels.keys()].filter((target) => !wanted.has(target))
  const titled = source.session?.titled === true && source.session.title !== name
  const more = [
    ...given.map(([targetId, label]) => ({ type: "label", targetId, label })),
    ...taken.map((targetId) => ({ type: "label", targetId })),
    ...(titled ? [{ type: "session_info", name: source.session?.title ?? "" }] : []),
  ]
  const ends = more.length > 0 || lines.at(-1)?.id === tip
  return ends ? more : [{ type: "custom", customType: leafType, data: {} }]
}

/** The file's lines, each with its newline. */
export function piLines(source: PiSource): readonly string[] {
  const { id, session, entries, conversation } = source
  const created = session?.createdAt ?? entries[0]?.at ?? 0
  const { lines, tips, idOf } = entryLines(source)
  const labels = new Map(Object.entries(source.labels).map(([entry, label]) => [idOf(Number(entry)), label]))
  let parentId = tips.get(conversation) ?? null
  const timestamp = iso(entries.at(-1)?.at ?? created)
  const last = lastLines(source, lines, parentId, labels).map(({ type, ...fields }, place): Placed => {
    const own = secondId(0x4000_0000 + place)
    const line = { type, id: own, parentId, timestamp, ...fields }
    parentId = own
    return line
  })
  const header = { type: "session", version: piVersion, id, timestamp: iso(created), cwd: session?.folder ?? "" }
  return [{ ...header, ...session?.imported }, ...lines, ...last].map((line) => `${JSON.stringify(line)}\n`)
}
