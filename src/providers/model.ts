/** A model as this program knows it: from the catalog, from the person's config, or named by hand at a known provider. */
import type { JsonObject } from "../std/json.ts"
import type { ThinkingLevel } from "../message/message.ts"
import type { ApiName } from "./provider.ts"

/** US dollars per million tokens. A tier applies to all tokens of a request whose whole input is above `above`. */
export type Price = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly tiers?: readonly (Omit<Price, "tiers"> & { readonly above: number })[]
}

export type Model = {
  readonly provider: string
  readonly id: string
  readonly name: string
  readonly api: ApiName
  readonly baseUrl: string
  /** Tokens; absent where nobody told. */
  readonly contextWindow?: number
  readonly maxTokens?: number
  /** The levels that this model takes, as the words that its vendor uses; empty for a model that does not reason. */
  readonly thinking: Readonly<Partial<Record<ThinkingLevel, string>>>
  readonly input: readonly ("text" | "image")[]
  readonly cost?: Price
  /** Overrides of the vendor's row in `quirks.ts`. */
  readonly quirks: JsonObject
  readonly headers: Readonly<Record<string, string>>
  /** `replace`: the edit tool; `whole`: the model writes whole files. */
  readonly edits: "replace" | "whole"
  /** Neither in the catalog nor in the config: used as asked for, with a notice. */
  readonly guessed?: boolean
}

/** `provider/id`, the way a person names a model; the id may hold further slashes. */
export function modelName(model: Pick<Model, "provider" | "id">): string {
  return `${model.provider}/${model.id}`
}
