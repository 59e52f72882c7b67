/**
 * Servers on this machine that speak chat completions, asked at their usual ports: which models they have, and how large a window they run
 * them with.
 *
 * - Asking costs at most the given time, all at once, and nothing when nobody listens. No key is sent.
 * - A window is what the server runs a model with, not what the model was made for: some cut off what does not fit and say nothing. Where a
 *   server does not tell, there is none.
 */
import { isObject, parseJson, type Json, type JsonObject } from "../std/json.ts"
import { localServers, type KnownProvider } from "./catalog.ts"

/** `contextWindow` in tokens, where the server tells. */
export type LocalModel = {
  readonly provider: string
  readonly label: string
  readonly id: string
  readonly contextWindow?: number
}

/** Models of one server that are worth offering; more are reached by name. */
const modelsMax = 20
/** An answer is a list of models; more than this is something else. */
const answerMax = 4 * 1024 * 1024
/** Ollama runs a model with at least this much where nobody said otherwise: a smaller one of the model's own is the truth. */
const ollamaLeast = 4_096

function tokens(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function list(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : []
}

type Ask = (path: string, body?: JsonObject) => Promise<JsonObject>

/** Asks below the server's root; `{}` for whatever is no JSON object. */
function asker(baseUrl: string, signal: AbortSignal): Ask {
  const root = baseUrl.replace(/\/v1\/?$/, "")
  return async (path, body) => {
    try {
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      const answer = await fetch(root + path, { ...init, signal })
      const text = await answer.text()
      return answer.ok && text.length < answerMax ? object(parseJson(text)) : {}
    } catch {
      // Nobody listens there, or it is another kind of server: both are the usual case.
      return {}
    }
  }
}

/** Ollama: what a model that is loaded runs with, what its file asks for, or what it was made for where that is less than the least. */
function ollamaWindow(shown: JsonObject, running: JsonObject, id: string): number | undefined {
  const loaded = list(running.models).find((model) => model.name === id || model.model === id)
  const parameters = typeof shown.parameters === "string" ? shown.parameters : ""
  const asked = Number(/^\s*num_ctx\s+(\d+)/m.exec(parameters)?.[1])
  const made = Object.entries(object(shown.model_info)).find(([name]) => name.endsWith(".context_length"))?.[1]
  const most = tokens(made)
  return (
    tokens(loaded?.context_length) ?? tokens(asked) ?? (most !== undefined && most <= ollamaLeast ? most : undefined)
  )
}

/** vLLM and SGLang say it in the list itself; llama.cpp there only what the model was made for. */
function listedWindow(model: JsonObject): number | undefined {
  return tokens(model.max_model_len) ?? tokens(model.context_length)
}

function lmStudioWindow(models: JsonObject, id: string): number | undefined {
  const model = list(models.data).find((one) => one.id === id)
  return tokens(model?.loaded_context_length) ?? tokens(model?.max_context_length)
}

function llamaWindow(props: JsonObject): number | undefined {
  return tokens(object(props.default_generation_settings).n_ctx) ?? tokens(props.n_ctx)
}

/** What the servers of a kind are asked beside their list; of an unknown kind, everything. */
async function windowOf(ask: Ask, kind: string | undefined, model: JsonObject): Promise<number | undefined> {
  const id = String(model.id)
  const listed = listedWindow(model)
  if (listed !== undefined) return listed
  const is = (wanted: string): boolean => kind === undefined || kind === wanted
  const [props, studio, shown, running] = await Promise.all([
    is("llamacpp") ? ask("/props") : {},
    is("lmstudio") ? ask("/api/v0/models") : {},
    is("ollama") ? ask("/api/show", { model: id }) : {},
    is("ollama") ? ask("/api/ps") : {},
  ])
  return llamaWindow(props) ?? lmStudioWindow(studio, id) ?? ollamaWindow(shown, running, id)
}

async function modelsAt({ id: provider, name, baseUrl }: KnownProvider, ms: number): Promise<readonly LocalModel[]> {
  const ask = asker(baseUrl, AbortSignal.timeout(ms))
  const models = list((await ask("/v1/models")).data).filter(({ id }) => typeof id === "string" && id !== "")
  return Promise.all(
    models.slice(0, modelsMax).map(async (model): Promise<LocalModel> => {
      const id = String(model.id)
      const contextWindow = await windowOf(ask, provider, model)
      return { provider, label: `${id} on ${name}`, id, ...(contextWindow === undefined ? {} : { contextWindow }) }
    }),
  )
}

/** The models of every local server that answers within `ms`. */
export async function findLocalModels(ms: number, servers = localServers): Promise<readonly LocalModel[]> {
  const found = await Promise.all(servers.map((server) => modelsAt(server, ms)))
  return found.flat()
}

/** The window that a server of this machine, of whatever kind, runs `id` with. */
export async function localWindow(baseUrl: string, id: string, ms: number): Promise<number | undefined> {
  const ask = asker(baseUrl, AbortSignal.timeout(ms))
  const model = list((await ask("/v1/models")).data).find((one) => one.id === id)
  return model === undefined ? undefined : windowOf(ask, undefined, model)
}
