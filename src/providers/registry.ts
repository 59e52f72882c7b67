/**
 * Models by name: the person's config over the catalog, and a known provider with a model that nobody knows as a guess.
 *
 * - `provider/id` names one model; the id may hold slashes. A bare id is taken where exactly one ready provider has it.
 * - What the config says of a model of the catalog changes those fields alone.
 * - A problem is one sentence that says what was looked for and what to do, with names that are near.
 * - Wire formats are loaded on first use; `tour` is always there and needs neither key nor network.
 */
import { unreachable } from "../std/assert.ts"
import { findModel, knownProviders, modelsOf, type KnownProvider } from "./catalog.ts"
import type { Listed, ModelConfig, ProviderConfig, Providers, ProvidersConfig, Resolved } from "./config.ts"
import { modelName, type Model, type Price } from "./model.ts"
import type { Api, ApiName } from "./provider.ts"
import { preferred } from "./preferred.ts"
import { LocalModels } from "./local-models.ts"
import { near } from "./near.ts"
import { noThinking, usualThinking, type ThinkingMap } from "./thinking.ts"
import type { Fetch } from "./attempt.ts"
import { tourModel } from "./tour/model.ts"

export type RegistryInput = {
  readonly providers: ProvidersConfig
  /** The key of a provider, from wherever the person keeps it; undefined where there is none. */
  keys(provider: string): string | undefined
  /** True for a provider of the person's that one has to log in at; any other may be described without a key. */
  needsLogin?(provider: string): boolean
  /** Where the person's login at a provider says that requests go. */
  baseUrls?(provider: string): string | undefined
  readonly fetch?: Fetch
  /** The servers of this machine, where they are not at their usual ports. */
  readonly localServers?: readonly KnownProvider[]
}

function thinkingOf(config: ModelConfig, base: ThinkingMap | undefined): ThinkingMap {
  if (config.reasoning === false) return noThinking
  const levels = base ?? (config.reasoning === true || config.thinking !== undefined ? usualThinking : noThinking)
  const own = Object.entries({
    ...(Object.keys(levels).length === 0 && config.reasoning === true ? usualThinking : levels),
    ...config.thinking,
  })
  return Object.fromEntries(own.filter(([, word]) => word !== null)) as ThinkingMap
}

/** A read costs a tenth of the input and a write as much as it, where the person gave neither. */
function priceOf(config: NonNullable<ModelConfig["cost"]>): Price {
  const { input, output, tiers } = config
  const base = { input, output, cacheRead: config.cacheRead ?? input / 10, cacheWrite: config.cacheWrite ?? input }
  return tiers === undefined ? base : { ...base, tiers }
}

/** Whose word on an address counts: the person's for the model, for the provider, their login's, the catalog's. */
function withConfig(
  base: Model,
  provider: ProviderConfig,
  config: ModelConfig | undefined,
  login: string | undefined,
): Model {
  const own = config ?? { id: base.id }
  const merged: Model = {
    ...base,
    name: own.name ?? base.name,
    api: own.api ?? provider.api ?? base.api,
    baseUrl: own.baseUrl ?? provider.baseUrl ?? login ?? base.baseUrl,
    thinking: thinkingOf(own, Object.keys(base.thinking).length > 0 ? base.thinking : undefined),
    input: own.input ?? base.input,
    quirks: { ...base.quirks, ...provider.quirks, ...own.quirks },
    headers: { ...base.headers, ...provider.headers, ...own.headers },
    edits: own.edits ?? base.edits,
  }
  const contextWindow = own.contextWindow ?? base.contextWindow
  const maxTokens = own.maxTokens ?? base.maxTokens
  const cost = own.cost === undefined ? base.cost : priceOf(own.cost)
  return {
    ...merged,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(cost === undefined ? {} : { cost }),
  }
}

/** A model of which only the provider is known: text, no thinking, no price. */
function bare(provider: string, id: string, api: ApiName, baseUrl: string): Model {
  return {
    provider,
    id,
    name: id,
    api,
    baseUrl,
    thinking: noThinking,
    input: ["text"],
    quirks: {},
    headers: {},
    edits: "replace",
  }
}

class Registry implements Providers {
  readonly #input: RegistryInput
  readonly #known: ReadonlyMap<string, KnownProvider>
  readonly #apis = new Map<ApiName, Promise<Api>>()
  readonly #local: LocalModels
  #listed: readonly Listed[] | undefined

  constructor(input: RegistryInput) {
    this.#input = input
    const locals = input.localServers ?? []
    this.#known = new Map([...knownProviders(), ...locals].map((provider) => [provider.id, provider]))
    this.#local = new LocalModels(input.localServers)
  }

  resolve(name: string): Resolved {
    const wanted = name.trim()
    const slash = wanted.indexOf("/")
    const provider = wanted.slice(0, slash)
    if (slash > 0 && this.#isProvider(provider)) return this.#ofProvider(provider, wanted.slice(slash + 1))
    const bareId = this.list().filter(({ model }) => model.id === wanted)
    const ready = bareId.filter((listed) => listed.ready)
    const only = ready.length === 1 ? ready[0] : bareId.length === 1 ? bareId[0] : undefined
    if (only !== undefined) return { model: only.model }
    const names = this.list().map(({ model }) => modelName(model))
    const several = ready.map(({ model }) => modelName(model))
    if (several.length > 1)
      return {
        problem: `${several.length} providers have a model "${wanted}": say which, as provider/model.`,
        near: several,
      }
    const what = slash > 0 ? `There is no provider "${provider}"` : `There is no model "${wanted}"`
    return {
      problem: `${what}: name one as provider/model, or add it to "providers" in the config.`,
      near: near(wanted, names),
    }
  }

  list(): readonly Listed[] {
    this.#listed ??= this.#makeList()
    return this.#listed
  }

  async findLocal(): Promise<void> {
    if (await this.#local.find()) this.#listed = undefined
  }

  async apiOf(model: Model): Promise<Api> {
    await this.#local.look(model)
    const loaded = this.#apis.get(model.api) ?? loadApi(model.api, this.#input.fetch)
    this.#apis.set(model.api, loaded)
    return loaded
  }

  keyOf(model: Model): string | undefined {
    return this.#input.keys(model.provider)
  }

  defaultModel(): Model | undefined {
    const ready = this.#providerIds().filter((provider) => provider !== tourModel.provider && this.#isReady(provider))
    const own = ready.filter((provider) => (this.#input.providers[provider]?.models ?? []).length > 0)
    const first = own.map((provider) => this.#models(provider)[0]).find((model) => model !== undefined)
    if (first !== undefined) return first
    for (const [provider, ids] of preferred) {
      if (!ready.includes(provider)) continue
      const model = ids.map((id) => this.#find(provider, id)).find((found) => found !== undefined)
      if (model !== undefined) return model
    }
    return ready.map((provider) => this.#models(provider)[0]).find((model) => model !== undefined)
  }

  /** The config's first, then the catalog's in its order, then the tour. */
  #providerIds(): readonly string[] {
    const configured = Object.keys(this.#input.providers)
    return [...configured, ...[...this.#known.keys()].filter((id) => !configured.includes(id)), tourModel.provider]
  }

  #isProvider(id: string): boolean {
    return id === tourModel.provider || this.#known.has(id) || Object.hasOwn(this.#input.providers, id)
  }

  #ofProvider(provider: string, id: string): Resolved {
    const found = this.#find(provider, id) ?? this.#atRouter(`${provider}/${id}`)
    if (found !== undefined) return { model: found }
    const config = this.#input.providers[provider] ?? {}
    const known = this.#known.get(provider)
    const ids = this.#models(provider).map((model) => modelName(model))
    if (id === "") return { problem: `"${provider}/" names no model.`, near: ids.slice(0, 5) }
    if (provider === tourModel.provider)
      return { problem: `The tour has one model, "${modelName(tourModel)}".`, near: ids }
    const baseUrl = config.baseUrl ?? known?.baseUrl
    if (baseUrl === undefined)
      return {
        problem: `Provider "${provider}" has no baseUrl: add it to "providers.${provider}" in the config.`,
        near: ids.slice(0, 5),
      }
    const base = bare(provider, id, config.api ?? known?.api ?? "openai-completions", baseUrl)
    const model: Model = { ...withConfig(base, config, undefined, this.#login(provider)), guessed: true }
    if (known?.local === true) return { model: this.#local.withWindow(model) }
    const close = near(modelName(model), ids)
    const offer = close.length === 0 ? "" : ` Did you mean ${close[0]}?`
    return {
      model,
      notice: `${modelName(model)} is not known: it is used as named, with no window and no price.${offer}`,
    }
  }

  /** Routers name models as `vendor/model`, which may be the name of a provider as well. */
  #atRouter(id: string): Model | undefined {
    return this.list().find(({ model, ready }) => ready && model.id === id)?.model
  }

  /** The ids of the config first, then those of the catalog that it does not name. */
  #models(provider: string): readonly Model[] {
    if (provider === tourModel.provider) return [tourModel]
    const config = this.#input.providers[provider]
    const named = [...(config?.models?.map(({ id }) => id) ?? []), ...this.#local.idsOf(provider)]
    const listed = modelsOf(provider).filter(({ id }) => !named.includes(id))
    return [
      ...[...new Set(named)].flatMap((id) => this.#find(provider, id) ?? []),
      ...listed.map((model) => withConfig(model, config ?? {}, undefined, this.#login(provider))),
    ]
  }

  #find(provider: string, id: string): Model | undefined {
    if (provider === tourModel.provider) return id === tourModel.id ? tourModel : undefined
    const config = this.#input.providers[provider] ?? {}
    const own = config.models?.find((model) => model.id === id)
    const known = findModel(provider, id)
    if (known !== undefined) return withConfig(known, config, own, this.#login(provider))
    const baseUrl = own?.baseUrl ?? config.baseUrl ?? this.#known.get(provider)?.baseUrl
    const listed = this.#local.idsOf(provider).includes(id)
    if ((own === undefined && !listed) || baseUrl === undefined) return undefined
    const api = own?.api ?? config.api ?? this.#known.get(provider)?.api ?? "openai-completions"
    return this.#local.withWindow(withConfig(bare(provider, id, api, baseUrl), config, own, undefined))
  }

  #login(provider: string): string | undefined {
    return this.#input.baseUrls?.(provider)
  }

  #makeList(): readonly Listed[] {
    return this.#providerIds().flatMap((provider) => {
      const ready = this.#isReady(provider)
      return this.#models(provider).map((model) => ({ model, ready }))
    })
  }

  /** A key, or a server that asks for none: one that is local, or one that the person described without a key. */
  #isReady(provider: string): boolean {
    if (provider === tourModel.provider || this.#input.keys(provider) !== undefined) return true
    const known = this.#known.get(provider)
    return known === undefined ? this.#input.needsLogin?.(provider) !== true : known.local
  }
}

function loadApi(name: ApiName, fetch: Fetch | undefined): Promise<Api> {
  switch (name) {
    case "openai-completions":
      return import("./openai-completions/call.ts").then((module) => module.completionsApi(fetch))
    case "anthropic-messages":
      return import("./anthropic-messages/call.ts").then((module) => module.anthropicApi(fetch))
    case "tour":
      return import("./tour/api.ts").then((module) => module.tourApi(process.pid))
    case "openai-responses":
      return import("./openai-responses/call.ts").then((module) => module.responsesApi(fetch))
    case "google-generative-ai":
      return import("./google-generative-ai/call.ts").then((module) => module.googleApi(fetch))
    default:
      return unreachable(name)
  }
}

export function createProviders(input: RegistryInput): Providers {
  return new Registry(input)
}
