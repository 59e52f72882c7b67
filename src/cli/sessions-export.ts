/**
 * `cairn sessions export` and `import`: a session as a file that others read, and pi's session files as sessions of ours.
 *
 * - `--md` (as if nothing were said), `--html`, or `--jsonl` (pi's format, version 3); to stdout, or to the file that `--output` names.
 */
import { readFileSync } from "node:fs"
import { systemClock } from "../std/clock.ts"
import { writeFileAtomic } from "../std/files.ts"
import { redactJson } from "../std/redact.ts"
import { shortId, uuidv7 } from "../std/id.ts"
import { importPi } from "../engine/pi-import.ts"
import { entryRecord } from "../engine/entries.ts"
import { createFrom } from "../ledger/open.ts"
import type { AllRecords } from "../ledger/peek.ts"
import { modelName } from "../providers/model.ts"
import { piLines } from "../protocol/pi-export.ts"
import type { AgentDocument, LabelsDocument } from "../protocol/records.ts"
import { transcriptText } from "../protocol/transcript.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print, sizeText } from "./columns.ts"
import { readPerson, type Person } from "./person.ts"
import { findSession } from "./sessions.ts"
import { conversationOf, recordsOf, sessionDocument, wholeSession } from "./sessions-show.ts"
import { Stop } from "./stop.ts"

function piText(id: string, records: AllRecords, conversation: number): string {
  const labels = records.documents.find(({ conversation: of, name }) => of === 0 && name === "labels")?.value
  return piLines({
    id,
    session: sessionDocument(records),
    conversations: records.conversations,
    entries: records.entries.map(entryRecord),
    heads: new Map(records.entries.flatMap(({ id: entry, head }) => (head === null ? [] : [[entry, head] as const]))),
    labels: (labels ?? {}) as LabelsDocument,
    conversation,
  }).join("")
}

export type ExportChoice = {
  readonly session: string
  /** As a word: `c2`; the root where it is left out. */
  readonly conversation?: string
  /** `md`, `html` or `jsonl`. */
  readonly format: string
}

/** A session as the text of such a file, without the person's secrets. Throws {@link Stop} where it cannot be read. */
export async function exportText(
  { dirs, redact }: Pick<Person, "dirs" | "redact">,
  choice: ExportChoice,
): Promise<string> {
  const whole = wholeSession(dirs.data, choice.session)
  const records = {
    ...whole,
    entries: whole.entries.map((entry) => ({ ...entry, data: redactJson(entry.data, redact) })),
  }
  const conversation = conversationOf(records, choice.conversation)
  if (choice.format === "jsonl") return piText(choice.session, records, conversation)
  const entries = recordsOf(records, conversation)
  const session = sessionDocument(records)
  if (choice.format === "html") return (await import("./export-html.ts")).sessionHtml(session, entries)
  return transcriptText(session, entries)
}

export async function exportSession(mode: CommandMode): Promise<number> {
  const { dirs, redact } = await readPerson(mode.run, false)
  const [name, which] = mode.words
  if (name === undefined) throw new Stop("say which session to export. See: cairn sessions list", 2)
  const formats = ["md", "html", "jsonl"].filter((format) => mode.options.has(format))
  if (formats.length > 1) throw new Stop(`--${formats.join(" and --")} exclude each other: give one of them`, 2)
  const id = await findSession(dirs.data, name)
  const [format = "md"] = formats
  const text = await exportText({ dirs, redact }, { session: id, conversation: which, format })
  const path = mode.values.get("output")
  if (path === undefined) print(text)
  else {
    await writeFileAtomic(path, text)
    const bytes = Buffer.byteLength(text)
    if (mode.options.has("json")) print(`${JSON.stringify({ id, path, bytes, format })}\n`)
    else process.stderr.write(`cairn: ${path}, ${sizeText(bytes)}\n`)
  }
  return 0
}

function agentOf(person: Person): AgentDocument {
  const { config } = person.settings.merged
  const model = person.providers.defaultModel()
  return {
    model: config.model ?? (model === undefined ? "" : modelName(model)),
    thinking: config.defaultThinkingLevel,
    tools: config.defaultTools,
  }
}

/** A session made of a file of pi. Throws {@link Stop} where it is none, or cannot be read. */
export async function importFile(
  person: Person,
  path: string,
): Promise<{ readonly id: string; readonly entries: number; readonly unread: number }> {
  const text = readText(path)
  const now = systemClock.now()
  const found = importPi(text, { agent: agentOf(person), now })
  if (found === undefined) throw new Stop(`${path} is no session file of pi: it has no line of the type "session"`, 2)
  const id = uuidv7(now)
  await createFrom({ dataDir: person.dirs.data, id, clock: systemClock }, found.records)
  return { id, entries: found.records.entries.length, unread: found.unread }
}

export async function importSessions(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  if (mode.words.length === 0) throw new Stop("say which session files to import: JSONL, as pi writes it", 2)
  for (const path of mode.words) {
    const { id, entries, unread } = await importFile(person, path)
    if (mode.options.has("json")) print(`${JSON.stringify({ id, path, entries, unread })}\n`)
    else print(`${shortId(id)}  ${entries} entries of ${path}\n`)
    if (unread > 0) process.stderr.write(`cairn: ${path}: ${unread} lines could not be read and were left out\n`)
  }
  return 0
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    throw new Stop(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
}
