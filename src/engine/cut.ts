/**
 * Where a context is cut, and when. Pure.
 *
 * - On any window: reserve = min(16,384, window / 4), keep = min(20,000, 0.3 window), begun behind the work when less than the reserve and
 *   min(32,768, 0.15 window) are left. An unknown window counts as 32,768.
 * - A provider's count is believed within 0.25 to 4 times our own estimate; else the estimate stands. One above the window means that a part
 *   of the conversation was not read, with no word about it: the window is full.
 * - A cut is made where a kept part starts with an input or an answer, so that no result is parted from its call.
 */
import { estimateMessage } from "../message/estimate.ts"
import type { Entry } from "../ledger/records.ts"
import { messagesOf } from "./context.ts"
import { dataOf } from "./entries.ts"

export const unknownWindow = 32_768
const reserveTokensMax = 16_384
const keepTokensMax = 20_000
const believedLeast = 0.25
const believedMost = 4

export type Room = { readonly window: number; readonly reserve: number; readonly keep: number }

export function roomOf(
  window: number | undefined,
  settings: { readonly reserve?: number; readonly keep?: number },
): Room {
  const size = window ?? unknownWindow
  return {
    window: size,
    reserve: Math.min(settings.reserve ?? reserveTokensMax, Math.floor(size / 4)),
    keep: Math.min(settings.keep ?? keepTokensMax, Math.floor(size * 0.3)),
  }
}

/** What is to be left when a summary is begun behind the work, beside the reserve. */
const behindTokensMax = 32_768
const behindShare = 0.15

/** Tokens of the next request: the provider's count of the last one and what came since, where it can be believed. */
export function sizeOf(estimate: number, counted: number, since: number): number {
  const told = counted + since
  const believed = told >= estimate * believedLeast && told <= estimate * believedMost
  return counted > 0 && believed ? told : estimate
}

export function isFull(size: number, room: Room): boolean {
  return size > room.window - room.reserve
}

export function isNearlyFull(size: number, room: Room): boolean {
  return size > room.window - room.reserve - Math.min(behindTokensMax, room.window * behindShare)
}

function sizeOfEntry(entry: Entry): number {
  return messagesOf([entry]).reduce((sum, message) => sum + estimateMessage(message), 0)
}

function mayStart(entry: Entry): boolean {
  const data = dataOf(entry)
  if (data?.kind === "user" || data?.kind === "shell") return true
  return data?.kind === "assistant" && data.message.stopReason !== "error" && data.message.stopReason !== "aborted"
}

/** The first entry to keep, or null where nothing older than the recent part is left to summarize. */
export function cutAt(entries: readonly Entry[], keep: number): Entry | null {
  let size = 0
  let cut: Entry | null = null
  for (const entry of entries.toReversed()) {
    size += sizeOfEntry(entry)
    if (size > keep && cut !== null) break
    if (mayStart(entry)) cut = entry
  }
  const first = entries.find((entry) => messagesOf([entry]).length > 0)
  return cut === null || cut.id === first?.id ? null : cut
}
