/**
 * A strict OAuth server on 127.0.0.1: authorization codes with PKCE, device codes, tokens for renewal that are good for one use, an exchange of
 * one token for another as GitHub has it, and keys as OpenRouter gives them.
 *
 * - What the protocol forbids is answered with its error and kept in `problems`.
 * - Tokens are told apart by number (`access-1`, `refresh-1`); the newest access token is the only good one.
 */
import { createHash } from "node:crypto"
import type { Json } from "../../src/std/json.ts"

export type OAuthServerOptions = {
  /** Seconds that a token is good for. */
  readonly expiresIn?: number
  /** Answers of the device's token endpoint before it gives the token. */
  readonly deviceAnswers?: readonly string[]
  readonly interval?: number
  /** How long a renewal takes to be answered: until this settles. */
  readonly until?: Promise<void>
}

export type OAuthServer = {
  readonly url: string
  readonly problems: readonly string[]
  /** Grants that were given, in order. */
  readonly grants: readonly string[]
  /** How often the device's token was asked for. */
  readonly polls: number
  stop(): Promise<void>
}

type Pending = { readonly challenge: string; readonly redirect: string }

const json = (value: Json, status = 200): Response => Response.json(value, { status })

class Server {
  readonly problems: string[] = []
  readonly grants: string[] = []
  readonly #options: OAuthServerOptions
  readonly #codes = new Map<string, Pending>()
  readonly #used = new Set<string>()
  polls = 0
  #count = 0

  constructor(options: OAuthServerOptions) {
    this.#options = options
  }

  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const fields = await fieldsOf(request)
    switch (url.pathname) {
      case "/authorize":
        return this.#authorize(url, "redirect_uri")
      case "/auth":
        return this.#authorize(url, "callback_url")
      case "/token":
        return this.#token(fields)
      case "/keys":
        return this.#key(fields)
      case "/device":
        return this.#device(url, fields)
      case "/exchange":
        return this.#exchange(request)
      default:
        return json({ error: "not_found" }, 404)
    }
  }

  #refuse(problem: string, error: string): Response {
    this.problems.push(problem)
    return json({ error, error_description: problem }, 400)
  }

  #authorize(url: URL, redirectName: string): Response {
    const get = (name: string): string => url.searchParams.get(name) ?? ""
    const redirect = get(redirectName)
    const host = URL.canParse(redirect) ? new URL(redirect).hostname : ""
    if (host !== "127.0.0.1" && host !== "localhost")
      return this.#refuse("the browser may come back to this machine alone", "invalid_request")
    if (get("code_challenge_method") !== "S256" || get("code_challenge").length !== 43)
      return this.#refuse("PKCE is asked for", "invalid_request")
    const standard = redirectName === "redirect_uri"
    if (standard && (get("response_type") !== "code" || get("client_id") === "" || get("state").length < 16))
      return this.#refuse("response_type, client_id or state is not as it must be", "invalid_request")
    const code = `code-${this.#codes.size + 1}`
    this.#codes.set(code, { challenge: get("code_challenge"), redirect })
    const back = new URL(redirect)
    back.searchParams.set("code", code)
    if (standard) back.searchParams.set("state", get("state"))
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  /** Whether `code` may be redeemed, which it may once. */
  #redeem(fields: URLSearchParams, redirect: string | null): string | undefined {
    const code = fields.get("code") ?? ""
    const pending = this.#codes.get(code)
    if (pending === undefined || this.#used.has(code)) return "the code is not known, or was used"
    this.#used.add(code)
    const verifier = fields.get("code_verifier") ?? ""
    if (createHash("sha256").update(verifier).digest("base64url") !== pending.challenge) return "the verifier is wrong"
    return redirect !== null && redirect !== pending.redirect ? "the address to come back to is another one" : undefined
  }

  async #token(fields: URLSearchParams): Promise<Response> {
    const grant = fields.get("grant_type") ?? ""
    if (grant === "authorization_code") {
      const problem = this.#redeem(fields, fields.get("redirect_uri") ?? "")
      return problem === undefined ? this.#give(grant) : this.#refuse(problem, "invalid_grant")
    }
    if (grant === "refresh_token") {
      await this.#options.until
      const wanted = `refresh-${this.#count}`
      const given = fields.get("refresh_token")
      return given === wanted ? this.#give(grant) : this.#refuse(`${given} was used before`, "invalid_grant")
    }
    if (!grant.endsWith(":device_code")) return this.#refuse(`grant_type "${grant}"`, "unsupported_grant_type")
    if (fields.get("device_code") !== "device-1") return this.#refuse("the device code is not known", "invalid_grant")
    const said = this.#options.deviceAnswers?.[this.polls++]
    // GitHub says so with a good status.
    return said === undefined ? this.#give("device_code") : json({ error: said })
  }

  #give(grant: string): Response {
    this.grants.push(grant)
    this.#count += 1
    return json({
      access_token: `access-${this.#count}`,
      refresh_token: `refresh-${this.#count}`,
      token_type: "bearer",
      expires_in: this.#options.expiresIn ?? 3_600,
    })
  }

  #key(fields: URLSearchParams): Response {
    const problem = this.#redeem(fields, null)
    if (problem !== undefined) return this.#refuse(problem, "invalid_grant")
    this.grants.push("key")
    return json({ key: "sk-or-browser" })
  }

  #device(url: URL, fields: URLSearchParams): Response {
    if ((fields.get("client_id") ?? "") === "") return this.#refuse("client_id is missing", "invalid_request")
    return json({
      device_code: "device-1",
      user_code: "WXYZ-1234",
      verification_uri: `${url.origin}/type`,
      expires_in: 900,
      interval: this.#options.interval ?? 1,
    })
  }

  #exchange(request: Request): Response {
    const token = request.headers.get("authorization")
    if (token === null || !/^Bearer (access-|gho_)/.test(token))
      return this.#refuse("the token is not known", "unauthorized")
    if (request.headers.get("editor-version") === null) return this.#refuse("who is asking?", "unauthorized")
    this.grants.push("exchange")
    const expires = Math.floor(Date.now() / 1_000) + (this.#options.expiresIn ?? 3_600)
    return json({
      token: `copilot-${this.grants.length}`,
      expires_at: expires,
      endpoints: { api: `${new URL(request.url).origin}/api` },
    })
  }
}

async function fieldsOf(request: Request): Promise<URLSearchParams> {
  const text = await request.text()
  if (!(request.headers.get("content-type") ?? "").includes("json")) return new URLSearchParams(text)
  return new URLSearchParams(JSON.parse(text) as Record<string, string>)
}

export function startOAuthServer(options: OAuthServerOptions = {}): OAuthServer {
  const server = new Server(options)
  const http = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => server.answer(request) })
  return {
    url: `http://127.0.0.1:${http.port}`,
    problems: server.problems,
    grants: server.grants,
    get polls() {
      return server.polls
    },
    stop: () => http.stop(true),
  }
}
