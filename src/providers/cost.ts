/**
 * What a response cost.
 *
 * - `cost = input·p + cacheRead·p + cacheWrite·p + output·p`, prices per million; reasoning is output.
 * - The tier is chosen by the whole input of the request and applies to all its tokens.
 * - A cache write for an hour costs twice the input price. No price means no cost: unknown is not zero.
 * - Faster and slower service costs more and less of everything, by what the response says that was given, not by what was asked for.
 */
import type { Cost, Usage } from "../message/usage.ts"
import type { Price } from "./model.ts"

const million = 1_000_000
/** Anthropic's factor on the input price for a write that is kept for an hour; the price of `cacheWrite` is the five-minute one. */
const hourWriteFactor = 2

/** By the vendors' names for how a request was served; what is not named costs what stands in the catalog. */
const serviceFactors: Readonly<Record<string, number>> = { flex: 0.5, batch: 0.5, priority: 2, fast: 2 }
/**
 * Models whose faster service costs another multiple, the first that fits. OpenAI's come from its list of prices for priority processing. Google's documentation says 75 to 100 % more than the standard price for priority, and
 * documentation of a gateway that resells it 80 %: an estimate within a tenth, where the vendor gives no price per model.
 */
const fastFactors: readonly (readonly [model: RegExp, factor: number])[] = [
  [/^gpt-5\.5/, 2.5],
  [/^gpt-5-mini/, 1.8],
  [/^gpt-4\.1-nano/, 2],
  [/^gpt-4\.1/, 1.75],
  [/^gpt-4o-2024-05-13/, 1.75],
  [/^gpt-4o/, 1.7],
  [/^gemini/, 1.8],
]

/** What a response that was served so costs of the listed price. */
export function serviceFactor(model: string, service: string): number {
  const name = service.toLowerCase().replace(/^service_tier_/, "")
  const factor = Object.hasOwn(serviceFactors, name) ? (serviceFactors[name] ?? 1) : 1
  if (factor <= 1) return factor
  return fastFactors.find(([pattern]) => pattern.test(model))?.[1] ?? factor
}

/** The prices that hold for a request with `input` tokens in all. */
export function priceFor(price: Price, input: number): Omit<Price, "tiers"> {
  const tier = price.tiers?.filter(({ above }) => input > above).toSorted((a, b) => b.above - a.above)[0]
  return tier ?? price
}

/** US dollars; undefined without a price. */
export function costOf(usage: Usage, price: Price | undefined, factor = 1): Cost | undefined {
  if (price === undefined) return undefined
  const hour = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite)
  const p = priceFor(price, usage.input + usage.cacheRead + usage.cacheWrite)
  const share = factor / million
  const input = usage.input * p.input * share
  const output = usage.output * p.output * share
  const cacheRead = usage.cacheRead * p.cacheRead * share
  const cacheWrite = ((usage.cacheWrite - hour) * p.cacheWrite + hour * p.input * hourWriteFactor) * share
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite }
}

/** `reported`: what the provider says that it cost, in dollars. `factor`: see {@link serviceFactor}. */
export type Billing = { readonly reported?: number; readonly factor?: number }

/** `usage` with its cost. A total that the provider reported rules over the computed one; the parts stay as computed. */
export function withCost(usage: Usage, price: Price | undefined, billing: Billing = {}): Usage {
  const computed = costOf(usage, price, billing.factor)
  if (billing.reported === undefined) return computed === undefined ? usage : { ...usage, cost: computed }
  const parts = computed ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  return { ...usage, cost: { ...parts, total: billing.reported, totalFromProvider: true } }
}
