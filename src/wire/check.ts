/**
 * What a client sent, checked at the door: behind it a command has the shape that its type promises.
 *
 * - Shapes only. Whether there is such a conversation, model or task is the session's to say.
 * - Fields that are not known here are left in: a newer client may send more than this build reads.
 */
import type { Command } from "../protocol/port.ts"
import { stopHows, type HostCommand, type OpenChoice } from "../protocol/host.ts"
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import type { DownLine, SessionsCommand } from "./lines.ts"

type Field = { readonly says: string; readonly optional?: true; test(value: Json | undefined): boolean }
type Shape = Readonly<Record<string, Field>>

const count: Field = {
  says: "a whole number",
  test: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
}
const text: Field = { says: "a text", test: (value) => typeof value === "string" }
const flag: Field = { says: "true or false", test: (value) => typeof value === "boolean" }
const anything: Field = { says: "a value", test: (value) => value !== undefined }
const texts: Field = {
  says: "a list of texts",
  test: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
}
const content: Field = {
  says: "a list of text and image parts",
  test: (value) => Array.isArray(value) && value.every(isPart),
}
const cursor: Field = {
  says: "an epoch and a seq",
  test: (value) => isObject(value) && count.test(value["epoch"]) && count.test(value["seq"]),
}

const optional = (field: Field): Field => ({ ...field, optional: true })
const nullOr = (field: Field): Field => ({
  says: `${field.says} or null`,
  test: (value) => value === null || field.test(value),
})
const oneOf = (...words: readonly string[]): Field => ({
  says: `one of ${words.join(", ")}`,
  test: (value) => typeof value === "string" && words.includes(value),
})

function isPart(part: Json): boolean {
  if (!isObject(part)) return false
  if (part["type"] === "text") return text.test(part["text"])
  return part["type"] === "image" && text.test(part["data"]) && text.test(part["mimeType"])
}

const commands = {
  submit: { conversation: count, requestId: text, content, mode: oneOf("steer", "followUp") },
  withdraw: { submission: count },
  amend: { submission: count, content: optional(content), mode: optional(oneOf("steer", "followUp")) },
  send: { conversation: count },
  abort: { conversation: count },
  retryNow: { conversation: count },
  resume: {},
  configure: { conversation: count, model: optional(text), thinking: optional(text), tools: optional(texts) },
  title: { title: text },
  archive: { archived: flag },
  tag: { tags: texts },
  compact: { conversation: count, focus: optional(text) },
  shell: { conversation: count, command: text, excluded: flag },
  changes: { conversation: count, run: optional(count) },
  undo: { conversation: count, run: count, hunks: optional(texts), what: oneOf("files") },
  entries: { conversation: count, before: optional(count), after: optional(count), limit: count },
  output: { task: count, from: count, to: count },
  search: {
    client: text,
    conversation: nullOr(count),
    query: text,
    regex: flag,
    limit: count,
    after: optional(text),
  },
  screen: { client: text, value: anything },
  models: {},
  tools: {},
  stats: {},
  reload: {},
  context: { conversation: count },
  fork: { conversation: count, entry: count, summary: optional(text) },
  label: { entry: count, label: text },
  request: { entry: count, from: count, to: count },
} satisfies Record<Command["type"], Shape>

const hostCommands = {
  hostInfo: {},
  stop: { how: oneOf(...stopHows) },
  handOver: { successor: count, now: flag },
} satisfies Record<HostCommand["type"], Shape>

const shaped = (says: string, shape: Shape): Field => ({
  says,
  test: (value) => isObject(value) && fault(value, shape) === undefined,
})

const sessionsCommands = {
  list: {
    query: shaped("a folder, a limit and what else to list, each of which may be missing", {
      folder: optional(text),
      limit: optional(count),
      archived: optional(flag),
      tags: optional(texts),
      quick: optional(flag),
    }),
  },
  find: { name: text },
  search: {
    query: shaped("a text, a limit, and perhaps a folder, tags and where to go on", {
      text,
      limit: count,
      folder: optional(text),
      tags: optional(texts),
      after: optional(text),
    }),
  },
  preview: { id: text },
  change: {
    id: text,
    change: shaped("a title, tags, or whether it is put away", {
      title: optional(text),
      archived: optional(flag),
      tags: optional(texts),
    }),
  },
  remove: { id: text },
  restore: { id: text },
} satisfies Record<SessionsCommand["type"], Shape>

const openings = {
  held: {},
  none: {},
  session: { id: text },
  newest: { folder: text },
  new: { folder: text },
} satisfies Record<OpenChoice["how"], Shape>

const opening: Field = {
  says: "which session to open",
  test: (value) => isObject(value) && fault(value, shapeOf(openings, value["how"])) === undefined,
}

const lines = {
  hello: { protocol: count, build: text, client: text, open: opening },
  watch: { watch: count, cursor: optional(cursor) },
  unwatch: { watch: count },
  command: { id: count },
  host: { id: count },
  sessions: { id: count },
} satisfies Record<DownLine["type"], Shape>

const nested: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  command: commands,
  host: hostCommands,
  sessions: sessionsCommands,
}

function shapeOf(table: Readonly<Record<string, Shape>>, name: Json | undefined): Shape | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined
}

/** The first thing wrong with `value`, as the end of a sentence. */
function fault(value: JsonObject, shape: Shape | undefined): string | undefined {
  if (shape === undefined) return "is not known to this host"
  const wrong = Object.entries(shape).find(
    ([name, field]) => !(field.test(value[name]) || (field.optional === true && value[name] === undefined)),
  )
  return wrong === undefined ? undefined : `needs "${wrong[0]}" as ${wrong[1].says}`
}

/** A line that may be acted on, or a sentence; `id` is there where a reply can be sent to what asked. */
export type Checked =
  | { readonly ok: true; readonly line: DownLine }
  | { readonly ok: false; readonly id: number | undefined; readonly reason: string }

/** What a line from a client says, if it has the shape of one. */
export function checkLine(value: JsonObject): Checked {
  const id = typeof value["id"] === "number" ? value["id"] : undefined
  const named = String(value["type"]).slice(0, 40)
  const outer = fault(value, shapeOf(lines, value["type"]))
  if (outer !== undefined) return { ok: false, id, reason: `The line "${named}" ${outer}.` }
  const table = Object.hasOwn(nested, named) ? nested[named] : undefined
  if (table === undefined) return { ok: true, line: value as DownLine }
  const command = value["command"]
  if (!isObject(command)) return { ok: false, id, reason: `The line "${named}" needs "command" as an object.` }
  const inner = fault(command, shapeOf(table, command["type"]))
  if (inner === undefined) return { ok: true, line: value as DownLine }
  return { ok: false, id, reason: `The command "${String(command["type"]).slice(0, 40)}" ${inner}.` }
}
