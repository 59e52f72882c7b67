/** Token counts of chat completions, wherever a vendor puts them and whatever they include there. */
import { isObject, type Json, type JsonObject } from "../../std/json.ts"
import { noUsage, type Usage } from "../../message/usage.ts"
import { serviceFactor, withCost } from "../cost.ts"
import { countOf } from "../decoder.ts"
import type { Model } from "../model.ts"

/** xAI counts in ten-billionths of a dollar. */
const ticksPerDollar = 1e10

function field(object: Json | undefined, name: string): Json | undefined {
  return isObject(object) ? object[name] : undefined
}

/** The usage that a chunk holds: at the top, on the choice (Moonshot) or under `x_groq`. Null and empty ones are none. */
export function findUsage(chunk: JsonObject): JsonObject | undefined {
  const choice = Array.isArray(chunk.choices) ? (chunk.choices[0] as Json | undefined) : undefined
  const found = [chunk.usage, field(choice, "usage"), field(chunk.x_groq, "usage")]
  return found
    .filter(isObject)
    .find((usage) => countOf(usage.prompt_tokens) !== undefined || countOf(usage.completion_tokens) !== undefined)
}

/** What the provider says that the request cost, in dollars. */
function reportedCost(usage: JsonObject): number | undefined {
  const ticks = countOf(usage.cost_in_usd_ticks)
  if (ticks !== undefined) return ticks / ticksPerDollar
  const { cost } = usage
  if (typeof cost !== "number") return undefined
  const upstream = field(usage.cost_details, "upstream_inference_cost")
  return usage.is_byok === true && typeof upstream === "number" ? cost + upstream : cost
}

/** `service`: how the response was served, if the vendor says. `excludesReasoning`: the vendor's `completion_tokens` leave reasoning out. Every difference is at least 0: some report more cached than sent. */
export function readUsage(
  usage: JsonObject,
  excludesReasoning: boolean,
  model: Pick<Model, "id" | "cost">,
  service: string,
): Usage {
  const prompt = countOf(usage.prompt_tokens) ?? 0
  const details = usage.prompt_tokens_details
  const cacheRead =
    countOf(field(details, "cached_tokens")) ??
    countOf(usage.prompt_cache_hit_tokens) ??
    countOf(usage.cached_tokens) ??
    0
  const cacheWrite = countOf(field(details, "cache_write_tokens")) ?? 0
  const reasoning = countOf(field(usage.completion_tokens_details, "reasoning_tokens")) ?? 0
  const completion = countOf(usage.completion_tokens) ?? 0
  const total = countOf(usage.total_tokens) ?? 0
  const output = excludesReasoning ? Math.max(completion, total - prompt) : completion
  const input = Math.max(0, prompt - cacheRead - cacheWrite)
  const counted: Usage = {
    ...noUsage,
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + cacheRead + cacheWrite + output,
  }
  const reported = reportedCost(usage)
  const billing = { factor: serviceFactor(model.id, service), ...(reported === undefined ? {} : { reported }) }
  return withCost(reasoning > 0 ? { ...counted, reasoning } : counted, model.cost, billing)
}
