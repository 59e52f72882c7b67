/**
 * What a person may say of providers and models, and what a registry answers. Shapes only, so that whoever reads the config can match them
 * without knowing this folder.
 *
 * - Every field is optional where the catalog or the vendor's row of `quirks.ts` already knows; what the person says wins.
 * - `apiKey` is not here: whoever makes the registry hands it a function that gives each provider's key, already read.
 * - A provider of the config may have any name; one with a name of the catalog adds to that one and overrides it.
 */
import type { JsonObject } from "../std/json.ts"
import type { ThinkingLevel } from "../message/message.ts"
import type { Model, Price } from "./model.ts"
import type { Api, ApiName } from "./provider.ts"

/** `cost` is US dollars per million tokens; cache prices left out mean the input price for a write and a tenth of it for a read. */
export type PriceConfig = {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly tiers?: Price["tiers"]
}

export type ModelConfig = {
  readonly id: string
  readonly name?: string
  readonly api?: ApiName
  readonly baseUrl?: string
  /** Tokens. */
  readonly contextWindow?: number
  readonly maxTokens?: number
  /** True: the model takes the usual levels (off, minimal, low, medium, high). False: it does not reason. */
  readonly reasoning?: boolean
  /** Each level as the vendor's word for it; `null` takes a level away. Implies `reasoning`. */
  readonly thinking?: Readonly<Partial<Record<ThinkingLevel, string | null>>>
  readonly input?: readonly ("text" | "image")[]
  readonly cost?: PriceConfig
  readonly quirks?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
  readonly edits?: "replace" | "whole"
}

export type ProviderConfig = {
  readonly name?: string
  readonly api?: ApiName
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly quirks?: JsonObject
  readonly models?: readonly ModelConfig[]
}

export type ProvidersConfig = Readonly<Record<string, ProviderConfig>>

/** `notice` is one sentence for the person: the model is not known and is used as asked for. `near` are names worth offering instead. */
export type Resolved =
  { readonly model: Model; readonly notice?: string } | { readonly problem: string; readonly near: readonly string[] }

/** `ready`: its provider has a key, or needs none. */
export type Listed = { readonly model: Model; readonly ready: boolean }

export type Providers = {
  /** `provider/id`, or a bare id that one ready provider has. */
  resolve(name: string): Resolved
  /** Every model of the catalog and the config; the config's come first, then by provider in the catalog's order. */
  list(): readonly Listed[]
  /** Asks the servers of this machine for their models, which are then listed and found. Takes a moment at most. */
  findLocal(): Promise<void>
  /** The wire format, loaded on first use; a server of this machine is asked for the window of its model. */
  apiOf(model: Model): Promise<Api>
  keyOf(model: Model): string | undefined
  /** What to use when the person named no model: of the config's first, else the preferred one of the first provider that has a key. */
  defaultModel(): Model | undefined
}
