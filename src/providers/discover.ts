/**
 * Servers on this machine that speak chat completions, asked at their usual ports.
 *
 * - Asking costs at most the given time, all at once, and nothing when nobody listens. No key is sent.
 */
import { isObject, parseJson } from "../std/json.ts"
import { localServers } from "./catalog.ts"

export type LocalModel = { readonly provider: string; readonly label: string; readonly id: string }

/** Models of one server that are worth offering; more are reached by name. */
const modelsMax = 20

async function ask(provider: string, name: string, baseUrl: string, ms: number): Promise<readonly LocalModel[]> {
  try {
    const answer = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(ms) })
    const body = parseJson(await answer.text())
    const data = isObject(body) && Array.isArray(body.data) ? body.data : []
    const ids = data.map((model) => (isObject(model) && typeof model.id === "string" ? model.id : ""))
    return ids
      .filter((id) => id !== "")
      .slice(0, modelsMax)
      .map((id) => ({ provider, label: `${id} on ${name}`, id }))
  } catch {
    // Nobody listens there, or it is another kind of server: both are the usual case.
    return []
  }
}

/** The models of every local server that answers within `ms`. */
export async function findLocalModels(ms: number, servers = localServers): Promise<readonly LocalModel[]> {
  const found = await Promise.all(servers.map(({ id, name, baseUrl }) => ask(id, name, baseUrl, ms)))
  return found.flat()
}
