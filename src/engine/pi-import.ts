/**
 * A session file of pi, versions 1 to 3, as records of ours. Pure.
 *
 * - A line that is no JSON object is passed over and counted; everything else is kept: what we have no word for as it is, under `pi.<type>`, and
 *   what a line says beside that in its entry's `imported`. The older versions are read as the third.
 * - The file is a tree: the branch of its last line is the root conversation, and where others leave it they are forks.
 * - Models are told what they would have been told there: messages, summaries and what extensions put in. Prompts are ours.
 */
import { assert } from "../std/assert.ts"
import { isObject, parseJson, type Json, type JsonObject } from "../std/json.ts"
import type { Conversation, Document, Entry } from "../ledger/records.ts"
import type { SessionRecords } from "../ledger/salvage.ts"
import type { AgentDocument, SessionDocument } from "../protocol/records.ts"
import { linesOf, piId } from "../protocol/pi-export.ts"
import { restOf } from "../protocol/pi-rest.ts"
import { entryRecord } from "./entries.ts"
import { piData, type Choice, type EntryFields } from "./pi-lines.ts"

export type PiImport = {
  readonly records: SessionRecords
  /** Lines that could not be read. */
  readonly unread: number
}

type Line = JsonObject & { readonly type: string; readonly id: string; readonly parentId: string | null }

/** Fields of the header that are said elsewhere here. */
const headerFields: ReadonlySet<string> = new Set(["type", "version", "id", "timestamp", "cwd"])

const root = 1
/** How the id of a line begins that has none of its own. */
const madeId = "line "

/** `fallback`: what the file does not say. Undefined where the text is no such file. */
export function importPi(
  text: string,
  fallback: { readonly agent: AgentDocument; readonly now: number },
): PiImport | undefined {
  const raw = text.split("\n").filter((line) => line.trim() !== "")
  const parsed = raw.map(parseJson)
  const header = parsed.find((line) => isObject(line) && line["type"] === "session")
  if (!isObject(header)) return undefined
  const lines = treeOf(parsed.filter((line) => isObject(line) && line !== header) as JsonObject[])
  const { entries, conversations, ids, choice } = placed(lines, fallback.agent)
  const title = lines.findLast(({ type, name }) => type === "session_info" && typeof name === "string" && name !== "")
  const at = timeOf(header["timestamp"]) ?? fallback.now
  const more = Object.entries(header).filter(([name]) => !headerFields.has(name))
  const session: SessionDocument = {
    ...(title === undefined ? {} : { titled: true }),
    ...(more.length === 0 ? {} : { imported: Object.fromEntries(more) }),
    title: typeof title?.["name"] === "string" ? title["name"] : titleFrom(entries),
    folder: typeof header["cwd"] === "string" ? header["cwd"] : "",
    createdAt: at,
    parent: { how: "import", session: String(header["id"] ?? ""), conversation: root, entry: entries.at(-1)?.id ?? 0 },
  }
  const agent: AgentDocument = { ...fallback.agent, ...(choice.model === "" ? {} : choice) }
  const document = (conversation: number, name: string, value: object): Document => {
    return { conversation, name, version: 1, value: value as Json }
  }
  return {
    records: {
      conversations,
      entries,
      submissions: [],
      documents: [
        document(0, "session", session),
        document(0, "labels", labelsOf(lines, ids)),
        ...conversations.map(({ id }) => document(id, "agent", agent)),
      ],
    },
    unread: parsed.filter((line) => !isObject(line)).length,
  }
}

/** Every line with an id and a parent: the first version is a list, where each follows the one before it. */
function treeOf(lines: readonly JsonObject[]): readonly Line[] {
  let before: string | null = null
  const seen = new Set<string>()
  return lines.map((line, place) => {
    const id = typeof line["id"] === "string" && !seen.has(line["id"]) ? line["id"] : `${madeId}${place}`
    const named = line["parentId"]
    const parentId = typeof named === "string" ? (seen.has(named) ? named : null) : "parentId" in line ? null : before
    seen.add(id)
    before = id
    return { ...thirdVersion(line, lines), type: String(line["type"]), id, parentId }
  })
}

/** What older versions said in another way: places counted with the header, and an older word for what extensions say. */
function thirdVersion(line: JsonObject, lines: readonly JsonObject[]): JsonObject {
  const { firstKeptEntryIndex: index, ...rest } = line
  const message = rest["message"]
  if (typeof index === "number") {
    return { ...rest, firstKeptEntryId: String(lines[index - 1]?.["id"] ?? `${madeId}${index - 1}`) }
  }
  if (!isObject(message) || message["role"] !== "hookMessage") return rest
  return { ...rest, message: { ...message, role: "custom" } }
}

type Spot = { readonly conversation: number; readonly entry: number; readonly choice: Choice }

type Placed = {
  readonly entries: readonly Entry[]
  readonly conversations: readonly Conversation[]
  readonly ids: ReadonlyMap<string, number>
  readonly choice: Choice
}

function placed(lines: readonly Line[], agent: AgentDocument): Placed {
  const byId = new Map(lines.map((line) => [line.id, line]))
  const main = new Set<string>()
  for (let at = lines.at(-1); at !== undefined; at = at.parentId === null ? undefined : byId.get(at.parentId))
    main.add(at.id)
  const conversations: Conversation[] = [{ id: root, at: 0, parent: null, owner: null }]
  const entries: Entry[] = []
  const ids = new Map<string, number>()
  const edits = editsOf(lines)
  const names = new Names()
  const spots = new Map<string, Spot>()
  const tips = new Map<number, string | null>([[root, null]])
  let nextId = root + 1
  const start: Spot = { conversation: root, entry: 0, choice: { model: "", thinking: agent.thinking } }
  for (const line of lines) {
    const from = line.parentId === null ? start : (spots.get(line.parentId) ?? start)
    const goesOn = main.has(line.id)
      ? root
      : tips.get(from.conversation) === line.parentId && !leadsToMain(line, lines, main)
        ? from.conversation
        : null
    const conversation = goesOn ?? nextId++
    if (goesOn === null) {
      const parent = from.entry === 0 ? null : { conversation: from.conversation, entry: from.entry }
      conversations.push({ id: conversation, at: timeOf(line["timestamp"]) ?? 0, parent, owner: null })
    }
    const found = piData(edited(line, edits.get(line.id)), from.choice, ids)
    const entry = found === null ? from.entry : nextId++
    if (found !== null) entries.push(names.add(line, entryOf(line, { id: entry, conversation }, found.fields)))
    if (found !== null) ids.set(line.id, entry)
    else if (from.entry > 0) ids.set(line.id, from.entry)
    spots.set(line.id, { conversation, entry, choice: found?.choice ?? from.choice })
    tips.set(conversation, line.id)
  }
  const last = lines.at(-1)
  const choice = (last === undefined ? undefined : spots.get(last.id)?.choice) ?? start.choice
  return { entries, conversations, ids, choice }
}

/** Whether the place behind `line`'s parent belongs to the branch that the file ends with. */
function leadsToMain({ parentId }: Line, lines: readonly Line[], main: ReadonlySet<string>): boolean {
  return lines.some((other) => other.parentId === parentId && main.has(other.id))
}

function entryOf(
  line: Line,
  place: { readonly id: number; readonly conversation: number },
  fields: EntryFields,
): Entry {
  const { kind, head, data } = fields
  assert(kind !== "", "an entry has a kind")
  const at = timeOf(line["timestamp"]) ?? 0
  return { ...place, at, kind, head: head === "self" ? place.id : head, byTask: null, data }
}

/** What extensions put in the place of messages, or took out: the latest word counts. */
function editsOf(lines: readonly Line[]): ReadonlyMap<string, Json> {
  const edits = lines.filter(({ type }) => type === "context_edit")
  return new Map(edits.map((line) => [String(line["targetId"]), line["replacement"] ?? null]))
}

/** A line as its model is told it. An answer that was taken out is an attempt here, and anything else is kept out of every context. */
function edited(line: Line, replacement: Json | undefined): Line {
  const message = line["message"]
  if (replacement === undefined || !isObject(message)) return line
  if (isObject(replacement)) return { ...line, message: { ...message, content: replacement["content"] ?? [] } }
  if (message["role"] !== "assistant") return { ...line, message: { ...message, role: "" } }
  const errorMessage = message["errorMessage"] ?? "left out of what models are told"
  return { ...line, message: { ...message, stopReason: "error", errorMessage } }
}

/** Gives each entry what its line says beside it. */
class Names {
  readonly #ids = new Map<number, string>()

  add(line: Line, entry: Entry): Entry {
    const original = asFound(line)
    if (typeof original["id"] === "string") this.#ids.set(entry.id, original["id"])
    const idOf = (id: number): string => this.#ids.get(id) ?? piId(id)
    const head = (id: number): number => (id === entry.id ? (entry.head ?? id) : id)
    const [made = {}] = linesOf(entryRecord(entry), { idOf, head, tailBefore: () => 0 })
    const plain = JSON.parse(JSON.stringify(made)) as JsonObject
    const { firstKeptEntryId: first } = plain
    const isMade = String(original["firstKeptEntryId"]).startsWith(madeId)
    const found = isMade && first !== undefined ? { ...original, firstKeptEntryId: first } : original
    return { ...entry, data: { ...entry.data, imported: restOf(found, plain) } as JsonObject }
  }
}

/** A line as it stood in its file; without the id that it was given here. */
function asFound(line: Line): JsonObject {
  const { id, ...rest } = line
  return id.startsWith(madeId) ? rest : line
}

function labelsOf(lines: readonly Line[], ids: ReadonlyMap<string, number>): JsonObject {
  const labels = new Map<string, string>()
  for (const { type, targetId, label } of lines as readonly (Line & { targetId?: Json; label?: Json })[]) {
    const target = ids.get(String(targetId))
    if (type !== "label" || target === undefined) continue
    if (typeof label === "string" && label !== "") labels.set(String(target), label)
    else labels.delete(String(target))
  }
  return Object.fromEntries(labels)
}

function timeOf(value: Json | undefined): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : Number.NaN
  return Number.isFinite(at) ? at : undefined
}

function titleFrom(entries: readonly Entry[]): string {
  const first = entries.find(({ kind }) => kind === "user")
  const [part] = (first?.data["content"] ?? []) as readonly JsonObject[]
  const text = typeof part?.["text"] === "string" ? part["text"] : "(imported)"
  return text.trim().split("\n")[0]?.slice(0, 80) ?? ""
}
