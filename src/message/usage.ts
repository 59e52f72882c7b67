/**
 * Tokens and money of one response, in one shape for all providers.
 *
 * - `input` excludes what was read from or written to a cache; `output` includes `reasoning`.
 * - `estimated` says that the provider gave none of this and we guessed. `cost` is US dollars; absent means unknown, not zero.
 */
export type Cost = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly total: number
  readonly totalFromProvider?: boolean
}

export type Usage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cacheWrite1h?: number
  readonly reasoning?: number
  readonly totalTokens: number
  readonly estimated?: boolean
  readonly cost?: Cost
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

function addCost(a: Cost | undefined, b: Cost | undefined): Cost | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    total: a.total + b.total,
  }
}

/** The sum; an unknown cost adds nothing, an estimate makes the sum an estimate. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cacheWrite1h: (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0) || undefined,
    reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0) || undefined,
    totalTokens: a.totalTokens + b.totalTokens,
    estimated: a.estimated || b.estimated || undefined,
    cost: addCost(a.cost, b.cost),
  }
}
