/**
 * Getting tokens: asking a token endpoint, reading what it gives, and renewing a login.
 *
 * - Every request ends within {@link requestMs}. What goes wrong is one sentence with what the server said of it; tokens and codes are never in it.
 */
import type { Clock } from "../std/clock.ts"
import { isObject, parseJson, type JsonObject } from "../std/json.ts"
import { neverExpires, type Login, type OAuthSpec } from "./oauth.ts"

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>
export type Net = { readonly fetch: Fetch; readonly clock: Clock }

/** A token endpoint answers at once or is broken. */
const requestMs = 30_000
/** An answer is small; more than this is a web page. */
const answerMax = 256 * 1024
const quotedMax = 200

/** The server refused: `code` is the protocol's word for why, or empty. */
export class OAuthError extends Error {
  override readonly name = "OAuthError"
  readonly code: string
  constructor(message: string, code = "") {
    super(message)
    this.code = code
  }
}

function encoded(fields: Readonly<Record<string, string>>, body: "form" | "json"): RequestInit {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
  const type = body === "form" ? "application/x-www-form-urlencoded" : "application/json"
  return {
    method: "POST",
    headers: { accept: "application/json", "content-type": type },
    body: body === "form" ? new URLSearchParams(given).toString() : JSON.stringify(given),
  }
}

/** Why a server says no, in its words, if it has any. */
function reasonOf(answer: JsonObject): { readonly code: string; readonly words: string } {
  const error = isObject(answer.error) ? answer.error : undefined
  const code = typeof answer.error === "string" ? answer.error : typeof error?.code === "string" ? error.code : ""
  const said = [answer.error_description, error?.message, answer.message].find((text) => typeof text === "string")
  return { code, words: String(said ?? code).slice(0, quotedMax) }
}

async function askJson({ fetch, clock }: Net, url: string, init: RequestInit): Promise<JsonObject> {
  const controller = new AbortController()
  const cancel = clock.after(requestMs, () => controller.abort())
  const host = URL.canParse(url) ? new URL(url).host : url
  try {
    const response = await fetch(url, { ...init, signal: controller.signal })
    const text = (await response.text()).slice(0, answerMax)
    const parsed = parseJson(text)
    const answer = isObject(parsed) ? parsed : {}
    const { code, words } = reasonOf(answer)
    // GitHub says what is wrong with a good status.
    if (response.ok && code === "") return answer
    throw new OAuthError(`${host} answered ${response.status}${words === "" ? "" : `: ${words}`}.`, code)
  } catch (error) {
    if (error instanceof OAuthError) throw error
    if (controller.signal.aborted) throw new OAuthError(`${host} did not answer within ${requestMs / 1_000} seconds.`)
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
    throw new OAuthError(`${host} could not be reached${code}.`)
  } finally {
    cancel()
  }
}

/** POST `fields`, the empty ones left out, and read the JSON that comes back. Throws {@link OAuthError}. */
export function askTokens(
  net: Net,
  url: string,
  fields: Readonly<Record<string, string>>,
  body: "form" | "json",
): Promise<JsonObject> {
  return askJson(net, url, encoded(fields, body))
}

function text(value: JsonObject[string]): string {
  return typeof value === "string" ? value : ""
}

function loginIn(answer: JsonObject, now: number, before: string): Login {
  const access = text(answer.access_token)
  if (access === "") throw new OAuthError("The server gave no token.")
  const seconds =
    typeof answer.expires_in === "number" ? answer.expires_in : Number(text(answer.expires_in) || Number.NaN)
  const expires = Number.isFinite(seconds) ? now + seconds * 1_000 : neverExpires
  return { access, refresh: text(answer.refresh_token) || before, expires }
}

/** The short-lived token that requests bear, for the long-lived one that the login got. */
async function exchanged(net: Net, spec: OAuthSpec, token: string): Promise<Login> {
  const { exchange } = spec
  if (exchange === undefined) throw new Error("there is no exchange")
  const headers = { accept: "application/json", authorization: `Bearer ${token}`, ...exchange.headers }
  const answer = await askJson(net, exchange.url, { headers })
  const access = text(answer.token)
  if (access === "") throw new OAuthError("The server gave no token.")
  const expires = typeof answer.expires_at === "number" ? answer.expires_at * 1_000 : neverExpires
  const baseUrl = isObject(answer.endpoints) ? text(answer.endpoints.api) : ""
  return { access, refresh: token, expires, ...(baseUrl === "" ? {} : { baseUrl }) }
}

/** The login that a token endpoint's answer is. */
export function loginOf(net: Net, spec: OAuthSpec, answer: JsonObject): Promise<Login> {
  if (spec.exchange === undefined) return Promise.resolve(loginIn(answer, net.clock.now(), ""))
  return exchanged(net, spec, loginIn(answer, net.clock.now(), "").access)
}

/** A login that is good again. Throws {@link OAuthError}; `invalid_grant` as its code means that only a new login helps. */
export async function renewed(net: Net, spec: OAuthSpec, login: Login): Promise<Login> {
  if (spec.exchange !== undefined) return exchanged(net, spec, login.refresh)
  if (login.refresh === "") throw new OAuthError("The login has no token to renew it with.", "invalid_grant")
  const fields = { grant_type: "refresh_token", refresh_token: login.refresh, client_id: spec.clientId }
  const answer = await askTokens(net, spec.tokenUrl, fields, spec.body)
  const fresh = loginIn(answer, net.clock.now(), login.refresh)
  return login.baseUrl === undefined ? fresh : { ...fresh, baseUrl: login.baseUrl }
}
