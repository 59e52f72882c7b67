/**
 * How the deltas of a generation stand in its spool: a line each, as short as they can be, since a slow answer has one every frame.
 *
 * - `[place, text]` is more text of the part at that place; `[place, text, 1]` more thinking, `[place, text, 2]` more of a call's arguments.
 * - `[place]` says that the part has ended as it stands; every other delta is its own JSON.
 */
import { fold, type Delta, type Partial } from "../message/delta.ts"
import { emptyPartial } from "../message/delta.ts"
import { parseJson } from "../std/json.ts"

const kinds = ["text_delta", "thinking_delta", "toolcall_delta"] as const

/** `before`: what the deltas before this one have built. */
export function spoolLine(before: Partial, delta: Delta): string {
  return `${JSON.stringify(short(before, delta))}\n`
}

function short(before: Partial, delta: Delta): unknown {
  if (delta.type === "text_delta") return [delta.contentIndex, delta.delta]
  if (delta.type === "thinking_delta" || delta.type === "toolcall_delta")
    return [delta.contentIndex, delta.delta, kinds.indexOf(delta.type)]
  if (delta.type !== "text_end" && delta.type !== "thinking_end") return delta
  const part = before.parts[delta.contentIndex]?.part
  return JSON.stringify(part) === JSON.stringify(delta.part) ? [delta.contentIndex] : delta
}

/** What the lines of a spool, cut anywhere between two records, have built. */
export function partialOf(records: readonly string[]): Partial {
  return records
    .flatMap((record) => record.split("\n"))
    .map((line) => parseJson(line))
    .reduce<Partial>(more, emptyPartial)
}

function more(partial: Partial, line: unknown): Partial {
  if (!Array.isArray(line)) return line === undefined ? partial : fold(partial, line as Delta)
  const [contentIndex, delta, kind = 0] = line as [number, string?, number?]
  const type = kinds[kind]
  if (type === undefined) return partial
  if (delta !== undefined) return fold(partial, { type, contentIndex, delta })
  const parts = partial.parts.map((part, place) => (place === contentIndex ? { ...part, ended: true } : part))
  return { ...partial, parts }
}
