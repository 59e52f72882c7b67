/** What hooks changed of a request, as little as says it: pinned with the request, so that it can be made again without asking them. Pure. */
import type { Message } from "../message/message.ts"
import type { ContextPatch } from "../protocol/records.ts"

type Told = { readonly system: string; readonly messages: readonly Message[] }

/** How many messages are the same from the front, or with `fromEnd` from the back; `most` at most. */
function sameCount(one: readonly Message[], other: readonly Message[], most: number, fromEnd: boolean): number {
  const at = (list: readonly Message[], n: number): Message | undefined => list[fromEnd ? list.length - 1 - n : n]
  let count = 0
  while (count < most && Bun.deepEquals(at(one, count), at(other, count))) count++
  return count
}

/** Undefined where nothing was changed. */
export function patchOf(before: Told, after: Told): ContextPatch | undefined {
  const shorter = Math.min(before.messages.length, after.messages.length)
  const at = sameCount(before.messages, after.messages, shorter, false)
  const tail = sameCount(before.messages, after.messages, shorter - at, true)
  const remove = before.messages.length - at - tail
  const insert = after.messages.slice(at, after.messages.length - tail)
  const system = after.system === before.system ? undefined : after.system
  return remove === 0 && insert.length === 0 && system === undefined ? undefined : { system, at, remove, insert }
}

export function patched<T extends Told>(request: T, patch: ContextPatch | undefined): T {
  if (patch === undefined) return request
  const { system = request.system, at, remove, insert } = patch
  return { ...request, system, messages: request.messages.toSpliced(at, remove, ...insert) }
}
