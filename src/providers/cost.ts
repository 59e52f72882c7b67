/**
 * What a response cost.
 *
 * - `cost = input·p + cacheRead·p + cacheWrite·p + output·p`, prices per million; reasoning is output.
 * - The tier is chosen by the whole input of the request and applies to all its tokens.
 * - A cache write for an hour costs twice the input price. No price means no cost: unknown is not zero.
 */
import type { Cost, Usage } from "../message/usage.ts"
import type { Price } from "./model.ts"

const million = 1_000_000
/** Anthropic's factor on the input price for a write that is kept for an hour; the price of `cacheWrite` is the five-minute one. */
const hourWriteFactor = 2

/** The prices that hold for a request with `input` tokens in all. */
export function priceFor(price: Price, input: number): Omit<Price, "tiers"> {
  const tier = price.tiers?.filter(({ above }) => input > above).toSorted((a, b) => b.above - a.above)[0]
  return tier ?? price
}

export function costOf(usage: Usage, price: Price | undefined): Cost | undefined {
  if (price === undefined) return undefined
  const p = priceFor(price, usage.input + usage.cacheRead + usage.cacheWrite)
  const hour = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite)
  const input = (usage.input * p.input) / million
  const output = (usage.output * p.output) / million
  const cacheRead = (usage.cacheRead * p.cacheRead) / million
  const cacheWrite = ((usage.cacheWrite - hour) * p.cacheWrite + hour * p.input * hourWriteFactor) / million
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite }
}

/** `usage` with its cost. A total that the provider reported rules over the computed one; the parts stay as computed. */
export function withCost(usage: Usage, price: Price | undefined, reported?: number): Usage {
  const computed = costOf(usage, price)
  if (reported === undefined) return computed === undefined ? usage : { ...usage, cost: computed }
  const parts = computed ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  return { ...usage, cost: { ...parts, total: reported, totalFromProvider: true } }
}
