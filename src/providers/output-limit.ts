/**
 * How many tokens an answer may have: what was asked for, within what the window leaves.
 *
 * - Hosts refuse a request whose input and limit together are larger than the window, and catalogs list models whose limit is the whole window.
 * - The input is an estimate, so a margin is left; where next to nothing is left the least is asked for, and the host says that it overflows.
 */
import { estimateRequest } from "../message/estimate.ts"
import type { ModelRequest } from "./provider.ts"

/** Estimates of code and prose are within this share of the truth. */
const marginShare = 0.15
const marginMin = 1_024
/** Less than this is no answer: better to be told of the overflow. */
export const outputFloor = 1_024

/** Undefined where nobody knows a limit. */
export function outputLimit(request: ModelRequest): number | undefined {
  const { contextWindow, maxTokens } = request.model
  const wanted = request.maxTokens ?? maxTokens
  if (wanted === undefined || contextWindow === undefined) return wanted
  const input = estimateRequest(request)
  const room = contextWindow - input - Math.max(marginMin, Math.ceil(input * marginShare))
  return Math.min(wanted, Math.max(room, outputFloor))
}
