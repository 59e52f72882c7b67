/**
 * What is known of models on this machine beside catalog and config: which its servers listed, and how large the windows are that they run.
 *
 * - Nothing is asked at a start. A list asks all servers, within a moment; a request to a model of unknown window asks its server before it,
 *   a few times at most: some tell only when they have loaded it.
 */
import { localServers, type KnownProvider } from "./catalog.ts"
import { findLocalModels, localWindow, type LocalModel } from "./discover.ts"
import { modelName, type Model } from "./model.ts"

/** A server on this machine answers at once or is not there. */
const findMs = 300
/** One that is about to answer a request may take longer, while it loads a model. */
const windowMs = 2_000

/** Requests before which a server is asked: the first loads the model, the second finds it loaded. */
const asksMax = 3

export function isLocal(baseUrl: string): boolean {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ""
  return ["127.0.0.1", "localhost", "[::1]"].includes(host)
}

export class LocalModels {
  readonly #servers: readonly KnownProvider[]
  readonly #windows = new Map<string, number>()
  readonly #asking = new Map<string, Promise<void>>()
  readonly #asks = new Map<string, number>()
  #found: readonly LocalModel[] = []

  constructor(servers: readonly KnownProvider[] = localServers) {
    this.#servers = servers
  }

  /** Ask every server; true where another answer than before came. */
  async find(): Promise<boolean> {
    const before = JSON.stringify(this.#found)
    this.#found = await findLocalModels(findMs, this.#servers)
    for (const { provider, id, contextWindow } of this.#found)
      if (contextWindow !== undefined) this.#windows.set(modelName({ provider, id }), contextWindow)
    return JSON.stringify(this.#found) !== before
  }

  /** Ids that a provider's server listed. */
  idsOf(provider: string): readonly string[] {
    return this.#found.filter((model) => model.provider === provider).map(({ id }) => id)
  }

  /** `model` with the window that its server told, where nobody else named one. */
  withWindow(model: Model): Model {
    if (model.contextWindow !== undefined) return model
    const contextWindow = this.#windows.get(modelName(model))
    return contextWindow === undefined ? model : { ...model, contextWindow }
  }

  /** Ask the server of `model` for its window, if it is on this machine and nobody named one. */
  look(model: Model): Promise<void> {
    if (model.contextWindow !== undefined || model.api === "tour" || !isLocal(model.baseUrl)) return Promise.resolve()
    const name = modelName(model)
    if (this.#windows.has(name) || (this.#asks.get(name) ?? 0) >= asksMax) return Promise.resolve()
    const asking = this.#asking.get(name) ?? this.#ask(model, name).finally(() => this.#asking.delete(name))
    this.#asking.set(name, asking)
    return asking
  }

  async #ask(model: Model, name: string): Promise<void> {
    this.#asks.set(name, (this.#asks.get(name) ?? 0) + 1)
    const window = await localWindow(model.baseUrl, model.id, windowMs)
    if (window !== undefined) this.#windows.set(name, window)
  }
}
