/**
 * A view of a session to the blocks of one conversation: a pure fold that is told what it gave before.
 *
 * - What settled before is not looked at again while entries only come at the end; what costs is what is new and what is running.
 * - A conversation begins with what its parents said before it was forked from them.
 * - A call without a result is as its task says; a response that is being streamed has the keys that its entry will have.
 */
import type { Partial } from "../../message/delta.ts"
import { partialObject } from "../../message/partial-json.ts"
import type { ConversationRecord, EntryRecord, TaskRecord } from "../../protocol/records.ts"
import { queueOf, type View } from "../../protocol/view.ts"
import { keepBlock, makeBlock, type Block, type BlockData, type BlockOf } from "./block.ts"
import { entryParts, titleOf, type OpenCall } from "./entry-parts.ts"

/** What was said is `settled`; what goes on, which is short, comes after it. They stay apart so that a frame does not copy all that was said. */
export type Transcript = {
  readonly settled: readonly Block[]
  readonly live: readonly Block[]
  readonly entries: readonly EntryRecord[]
  readonly conversation: number
  /** Calls that have no result yet, by their id, which is not unique: where their blocks stand in `settled`. */
  readonly open: ReadonlyMap<string, readonly OpenCall[]>
}

export const emptyTranscript: Transcript = { settled: [], live: [], entries: [], conversation: 0, open: new Map() }

export function blocksOf(
  view: View,
  conversation: number,
  now: number,
  previous: Transcript = emptyTranscript,
): Transcript {
  const before = previous.conversation === conversation ? previous : emptyTranscript
  const settled = settledOf(view, conversation, before)
  const known = new Map(before.live.map((block) => [block.key, block]))
  const live = liveBlocks(view, conversation, now, settled.settled.at(-1) ?? null).map((block) =>
    keepBlock(known.get(block.key), block),
  )
  const same = live.length === before.live.length && live.every((block, place) => block === before.live[place])
  return { ...withOpenCalls(settled, view, now), live: same ? before.live : live }
}

export function allBlocks({ settled, live }: Transcript): readonly Block[] {
  return live.length === 0 ? settled : [...settled, ...live]
}

/** The conversation and those that it was forked from, each with the last entry that counts. */
export function scopeOf(
  conversations: ReadonlyMap<number, ConversationRecord>,
  conversation: number,
): Map<number, number> {
  const scope = new Map([[conversation, Number.MAX_SAFE_INTEGER]])
  let parent = conversations.get(conversation)?.parent ?? null
  while (parent !== null && !scope.has(parent.conversation)) {
    scope.set(parent.conversation, parent.entry)
    parent = conversations.get(parent.conversation)?.parent ?? null
  }
  return scope
}

function settledOf(view: View, conversation: number, before: Transcript): Transcript {
  const { entries } = view
  if (entries === before.entries) return before
  const count = before.entries.length
  const grew = count > 0 && entries[0] === before.entries[0] && entries[count - 1] === before.entries[count - 1]
  const scope = scopeOf(view.conversations, conversation)
  const settled: Block[] = grew ? [...before.settled] : []
  const open = new Map(grew ? before.open : [])
  const known = new Map((grew ? before.live : allBlocks(before)).map((one) => [one.key, one]))
  for (const entry of grew ? entries.slice(count) : entries) {
    const last = scope.get(entry.conversation)
    if (last === undefined || entry.id > last) continue
    addEntry(entry, settled, open, known)
  }
  return { settled, live: before.live, entries, conversation, open }
}

function addEntry(
  entry: EntryRecord,
  settled: Block[],
  open: Map<string, readonly OpenCall[]>,
  known: ReadonlyMap<string, Block>,
): void {
  if (entry.data.kind === "toolResult") {
    const { message, title, task, outcome } = entry.data
    const [call, ...rest] = open.get(message.toolCallId) ?? []
    const block = call === undefined ? undefined : settled[call.place]
    if (call !== undefined && block?.kind === "call") {
      const done = { title, task, state: outcome, output: "", unsaved: false, result: entry.data, seconds: null }
      const ended: BlockOf<"call"> = { ...block, ...done }
      settled[call.place] = keepBlock(known.get(block.key), ended)
      if (rest.length === 0) open.delete(message.toolCallId)
      else open.set(message.toolCallId, rest)
      return
    }
  }
  const fresh = new Map<string, OpenCall[]>()
  const response = entry.data.kind === "assistant"
  for (const [place, part] of entryParts(entry).entries()) {
    const turn = response && place === 0
    const block = makeBlock({ key: part.key, entry: entry.id, turn }, settled.at(-1)?.kind ?? null, part.data)
    if (part.callId !== null) {
      const call = { place: settled.length, conversation: entry.conversation }
      fresh.set(part.callId, [...(fresh.get(part.callId) ?? []), call])
    }
    settled.push(keepBlock(known.get(block.key), block))
  }
  for (const [id, calls] of fresh) open.set(id, calls)
}

/** Calls that wait or run are as their tasks are now. */
function withOpenCalls(transcript: Transcript, view: View, now: number): Transcript {
  if (transcript.open.size === 0) return transcript
  const tasks = new Map<string, TaskRecord>()
  for (const task of view.tasks.values()) {
    if (task.work.kind === "toolCall") tasks.set(`${task.conversation} ${task.work.callId}`, task)
  }
  let settled: Block[] | null = null
  for (const [callId, calls] of transcript.open) {
    const [first] = calls
    for (const { place, conversation } of calls) {
      const block = transcript.settled[place]
      if (block?.kind !== "call") continue
      const task = place === first?.place ? tasks.get(`${conversation} ${callId}`) : undefined
      const fresh = keepBlock(block, callBlock(block, task, view, now))
      if (fresh === block) continue
      settled ??= [...transcript.settled]
      settled[place] = fresh
    }
  }
  return settled === null ? transcript : { ...transcript, settled }
}

function callBlock(block: BlockOf<"call">, task: TaskRecord | undefined, view: View, now: number): Block {
  if (task === undefined || task.work.kind !== "toolCall") {
    return { ...block, state: "queued", output: "", unsaved: false, seconds: null }
  }
  const progress = view.progress.get(task.id)
  const output = progress?.kind === "output" ? progress : undefined
  const running = task.work.phase === "execute"
  return {
    ...block,
    title: task.work.title,
    task: task.id,
    state: running ? "running" : "queued",
    output: output?.text ?? "",
    unsaved: output?.unsaved ?? false,
    seconds: running ? secondsSince(task.startedAt, now) : null,
  }
}

function secondsSince(at: number, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1000))
}

function liveBlocks(view: View, conversation: number, now: number, last: Block | null): readonly Block[] {
  const out: Block[] = []
  const push = (key: string, data: BlockData, turn = false): void => {
    out.push(makeBlock({ key, entry: null, turn }, (out.at(-1) ?? last)?.kind ?? null, data))
  }
  for (const task of view.tasks.values()) {
    if (task.conversation === conversation) taskBlocks(task, view, now, push)
  }
  for (const { id, mode, content } of queueOf(view, conversation)) {
    const text = content.map((part) => (part.type === "text" ? part.text : `[image: ${part.mimeType}]`)).join("\n")
    push(`s${id}`, { kind: "queued", text, steer: mode === "steer", submission: id })
  }
  return out
}

type Push = (key: string, data: BlockData, turn?: boolean) => void

function taskBlocks(task: TaskRecord, view: View, now: number, push: Push): void {
  const { work } = task
  const seconds = secondsSince(task.startedAt, now)
  if (work.kind === "shell") {
    const progress = view.progress.get(task.id)
    const output = progress?.kind === "output" ? progress.text : ""
    push(`t${task.id}`, { ...work, output, exit: null, durationMs: 0, seconds })
  }
  if (work.kind === "other") push(`w${task.id}`, { kind: "working", what: work.name, seconds })
  if (work.kind !== "generation" || work.phase === "tools" || work.phase === "limit") return
  if (work.phase === "retry" && work.retry !== undefined) {
    const { until, attempt, of, error } = work.retry
    push(`w${task.id}`, { kind: "retry", seconds: Math.max(0, Math.ceil((until - now) / 1000)), attempt, of, error })
    return
  }
  const progress = view.progress.get(task.id)
  const shown = progress?.kind === "generation" ? partialBlocks(task.id, progress.partial, push) : 0
  if (shown === 0) push(`w${task.id}`, { kind: "working", what: `Waiting for ${work.model}`, seconds })
}

/** The parts of a response that is being written. How many there are to see. */
function partialBlocks(task: number, partial: Partial, push: Push): number {
  let shown = 0
  partial.parts.forEach(({ part, argumentsText, ended }, place) => {
    const key = `t${task}.${place}`
    if (part.type === "text" && part.text === "") return
    if (part.type === "thinking" && part.thinking === "" && ended) return
    shown += 1
    const turn = shown === 1
    if (part.type === "text") push(key, { kind: "answer", text: part.text, streaming: !ended }, turn)
    else if (part.type === "thinking") {
      const redacted = part.redacted === true
      push(key, { kind: "thinking", text: part.thinking, streaming: !ended, redacted }, turn)
    } else {
      const args = ended ? part.arguments : partialObject(argumentsText ?? "")
      const rest = { task: null, output: "", unsaved: false, result: null, seconds: null }
      const state = ended ? "queued" : "writing"
      push(key, { kind: "call", name: part.name, title: titleOf(args), state, args, ...rest }, turn)
    }
  })
  return shown
}
