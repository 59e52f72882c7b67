/**
 * Searching all that was said and printed in a session, newest first, beside its work.
 *
 * - Nothing is kept between two pages: a page says where the next one goes on. Slices are short and the work goes on between them.
 * - The newest search of a client wins: an older one that still looks is refused.
 * - Plain text is looked for here. An expression is handed to a matcher that can be ended, since one expression can take for ever.
 */
import { sleep } from "../std/clock.ts"
import { boundaryBefore } from "../std/lines.ts"
import { compileQuery, searchTexts, type TextMatch } from "../std/query.ts"
import { Refusal, type Answers, type Command, type SearchHit } from "../protocol/port.ts"
import { entryTexts, type EntryText } from "../protocol/entry-text.ts"
import type { EntryRecord } from "../protocol/records.ts"
import type { Core } from "./core.ts"
import { entryRecord } from "./entries.ts"
import { outputPiece } from "./live-output.ts"
import type { Matcher } from "./options.ts"
import { callInput, callKind, shellKind } from "./task.ts"

type Asked = Extract<Command, { type: "search" }>

/** How long a slice may take, and a page of them. */
const sliceMs = 8
const pageMs = 100
/** Entries that are read at a time. */
const pageEntries = 50
/** Characters that are looked through before the clock is asked. */
const batchCharacters = 64 * 1024
/** Bytes of an output that are read at a time. */
const pieceBytes = 256 * 1024

/** Something to look through. `next` goes on behind it. */
type Source = {
  readonly texts: readonly EntryText[]
  readonly place: Pick<SearchHit, "conversation" | "entry" | "at" | "output">
  readonly next: Cursor
}

/** Below entry `below` of `conversation`; with `byte`, at that byte of what task `task` printed first. A conversation of 0: at calls that run. */
type Cursor = { readonly conversation: number; readonly below: number; readonly task: number; readonly byte: number }

function cursorText({ conversation, below, task, byte }: Cursor): string {
  return [conversation, below, task, byte].join(".")
}

function cursorFrom(text: string): Cursor {
  const parts = text.split(".").map(Number)
  const [conversation = 0, below = 0, task = 0, byte = 0] = parts
  if (parts.length !== 4 || !parts.every(Number.isSafeInteger))
    throw new Refusal("bad_place", "A search goes on where its last page said.")
  return { conversation, below, task, byte }
}

/** An output from a byte on, in pieces that end with a line where they can. */
async function* piecesOf(
  core: Core,
  task: number,
  from: number,
): AsyncIterable<{ text: string; at: number; end: number }> {
  for (let asked = from; ;) {
    const { bytes, from: at, size } = await outputPiece(core, task, asked, pieceBytes)
    if (bytes.length === 0) return
    const last = at + bytes.length >= size
    const line = bytes.lastIndexOf(0x0a) + 1
    const used = last ? bytes.length : line > 0 ? line : Math.max(1, boundaryBefore(bytes, bytes.length))
    yield { text: new TextDecoder().decode(bytes.subarray(0, used)), at, end: at + used }
    asked = at + used
    if (last) return
  }
}

/** Calls and commands that run: the newest first. */
async function* runningOutputs(core: Core, asked: Asked, from: Cursor | null): AsyncIterable<Source> {
  const tasks = [...core.ledger.live.tasks.values()].filter(({ kind }) => kind === callKind || kind === shellKind)
  for (const task of tasks.sort((one, other) => other.id - one.id)) {
    const { id, conversation, startedAt } = task
    const outside = asked.conversation !== null && asked.conversation !== conversation
    if (outside || (from !== null && id > from.task)) continue
    const entry = task.kind === callKind ? callInput(task).entry : core.ledger.live.tail(conversation)
    for await (const { text, at, end } of piecesOf(core, id, from?.task === id ? from.byte : 0)) {
      const place = { conversation, entry, at: startedAt, output: { task: id, at } }
      yield { texts: [{ kind: "output", text }], place, next: { conversation: 0, below: 0, task: id, byte: end } }
    }
  }
}

/** The task whose kept output says what an entry says in part. */
function keptOutput(record: EntryRecord): number | null {
  const { data } = record
  if (data.kind === "toolResult" && "output" in data && data.output !== undefined) return data.task
  return data.kind === "shell" && "kept" in data && data.kept !== undefined ? record.byTask : null
}

async function* sourcesOf(core: Core, record: EntryRecord, byte: number): AsyncIterable<Source> {
  const { id, conversation, at } = record
  const kept = keptOutput(record)
  const texts = entryTexts(record.data)
  const place = { conversation, entry: id, at }
  if (kept === null) return yield { texts, place, next: { conversation, below: id, task: 0, byte: 0 } }
  let found = false
  for await (const piece of piecesOf(core, kept, byte)) {
    found = true
    const next = { conversation, below: id, task: kept, byte: piece.end }
    yield {
      texts: [{ kind: "output", text: piece.text }],
      place: { ...place, output: { task: kept, at: piece.at } },
      next,
    }
  }
  // What was dropped since, to keep the session small, is still there in part.
  const rest = found || byte > 0 ? texts.filter(({ kind }) => kind !== "output") : texts
  yield { texts: rest, place, next: { conversation, below: id, task: 0, byte: 0 } }
}

/** The entries of one conversation below a place: with `own`, those of its own alone. */
async function* entriesBelow(core: Core, conversation: number, from: Cursor, own: boolean): AsyncIterable<Source> {
  const parent = core.ledger.live.conversations.get(conversation)?.parent
  const after = own ? (parent?.entry ?? 0) : 0
  // An output that was left in the middle is gone on with before what is below its entry.
  for (let before = from.task === 0 ? from.below : from.below + 1; ;) {
    const page = await core.ledger.entries({ conversation, after, before, limit: pageEntries })
    for (const entry of page.toReversed()) {
      const byte = from.task !== 0 && entry.id === from.below ? from.byte : 0
      for await (const source of sourcesOf(core, entryRecord(entry), byte)) {
        yield { ...source, next: { ...source.next, conversation } }
      }
    }
    const first = page[0]
    if (first === undefined || page.length < pageEntries) return
    before = first.id
  }
}

/** All that is to be looked through from a place on, newest first. */
async function* sourcesFrom(core: Core, asked: Asked, from: Cursor | null): AsyncIterable<Source> {
  if (from === null || from.conversation === 0) yield* runningOutputs(core, asked, from)
  const own = asked.conversation === null
  const all = own ? [...core.ledger.live.conversations.keys()].sort((a, b) => b - a) : [asked.conversation ?? 0]
  for (const conversation of all) {
    if (from !== null && from.conversation !== 0 && conversation > from.conversation) continue
    const top = { conversation, below: Number.MAX_SAFE_INTEGER, task: 0, byte: 0 }
    yield* entriesBelow(core, conversation, from?.conversation === conversation ? from : top, own)
  }
}

export class Searches {
  readonly #core: () => Core
  readonly #newest = new Map<string, symbol>()

  constructor(core: () => Core) {
    this.#core = core
  }

  /** One page. Throws {@link Refusal}. */
  async search(asked: Asked): Promise<Answers["search"]> {
    const core = this.#core()
    const { clock } = core
    const mine = Symbol(asked.client)
    this.#newest.set(asked.client, mine)
    const pattern = patternOf(asked)
    const until = clock.monotonic() + pageMs
    const hits: SearchHit[] = []
    let slice = clock.monotonic() + sliceMs
    let batch: Source[] = []
    let size = 0
    let next: Cursor | null = null
    const sources =
      asked.query === "" ? none() : sourcesFrom(core, asked, asked.after === undefined ? null : cursorFrom(asked.after))
    for await (const source of sources) {
      batch.push(source)
      size += source.texts.reduce((sum, { text }) => sum + text.length, 0)
      if (size < batchCharacters) continue
      hits.push(...(await this.#match(core, asked, pattern, batch)))
      if (this.#newest.get(asked.client) !== mine) throw new Refusal("superseded", "A newer search took its place.")
      next = source.next
      batch = []
      size = 0
      if (hits.length >= asked.limit || clock.monotonic() >= until) return pageOf(hits, next)
      if (clock.monotonic() < slice) continue
      await sleep(clock, 0)
      slice = clock.monotonic() + sliceMs
    }
    hits.push(...(await this.#match(core, asked, pattern, batch)))
    return { hits, more: null, down: 0 }
  }

  async #match(core: Core, asked: Asked, pattern: RegExp, batch: readonly Source[]): Promise<readonly SearchHit[]> {
    const all = batch.flatMap(({ texts, place }) => texts.map(({ kind, text }) => ({ kind, text, place })))
    const texts = all.map(({ text }) => text)
    const found = await matched(core.options.match, texts, asked, pattern)
    return found.flatMap(({ text, ...match }) => {
      const source = all[text]
      return source === undefined ? [] : [{ ...source.place, kind: source.kind, ...match }]
    })
  }
}

function pageOf(hits: readonly SearchHit[], next: Cursor): Answers["search"] {
  return { hits, more: cursorText(next), down: next.conversation === 0 ? Number.MAX_SAFE_INTEGER : next.below }
}

async function* none(): AsyncIterable<Source> {}

function patternOf({ query, regex }: Asked): RegExp {
  const compiled = compileQuery(query, regex)
  if (!compiled.ok) throw new Refusal("bad_pattern", compiled.reason)
  return compiled.pattern
}

async function matched(
  match: Matcher | undefined,
  texts: readonly string[],
  { query, regex }: Asked,
  pattern: RegExp,
): Promise<readonly TextMatch[]> {
  if (!regex || match === undefined) return searchTexts(texts, pattern, regex)
  const answer = await match(texts, query)
  if ("problem" in answer) throw new Refusal("slow_pattern", answer.problem)
  return answer.matches
}
