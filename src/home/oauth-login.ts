/**
 * Logging in: through a browser that comes back to this machine, or through a code that is typed into a page on any machine.
 *
 * - The listener is on 127.0.0.1 alone, takes one answer that bears our state, and is gone when the login has ended, however it ended.
 * - Where the browser is on another machine, the address that it was sent to can be pasted.
 * - Aborting ends it at once. Throws {@link OAuthError} with a sentence.
 */
import { createHash, randomBytes } from "node:crypto"
import { sleep } from "../std/clock.ts"
import type { Login, OAuthSpec } from "./oauth.ts"
import { askTokens, loginOf, OAuthError, type Net } from "./oauth-tokens.ts"

export type LoginIo = Net & {
  readonly signal: AbortSignal
  /** Tells the person where to go, and with a device which code to type there. */
  show(step: { readonly url: string; readonly code?: string }): void
  /** The address that the browser was sent to, or the code in it, as the person pastes it; never settles where nothing can be pasted. */
  readonly pasted: Promise<string>
}

/** What a login got: a key that stays, or tokens. */
export type Got = { readonly key: string } | { readonly login: Login }

/** A person has to find a phone, a password and a second factor. */
const waitMs = 15 * 60_000
/** RFC 8628: what to wait between two questions where the server names nothing, and what to add when it asks for more. */
const intervalDefault = 5
const slowerBy = 5

const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Cairn</title><body style="font-family:sans-serif"><p>${text}</p>`

/** The code in what came back: an address with parameters, or the code itself. Undefined for the answer to another question. */
export function codeIn(
  text: string,
  state: string,
): { readonly code: string } | { readonly refused: string } | undefined {
  const trimmed = text.trim()
  if (!URL.canParse(trimmed)) return trimmed === "" ? undefined : { code: trimmed }
  const { searchParams } = new URL(trimmed)
  const given = searchParams.get("state")
  if (state !== "" && given !== state) return undefined
  const refused = searchParams.get("error_description") ?? searchParams.get("error")
  if (refused !== null) return { refused }
  const code = searchParams.get("code")
  return code === null ? undefined : { code }
}

type Listener = { readonly port: number; readonly answer: Promise<string>; stop(): void }

/** Listens for the browser. Throws where the port is taken. */
function listen(port: number, state: string): Listener {
  const { promise, resolve } = Promise.withResolvers<string>()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch(request) {
      const html = { "content-type": "text/html; charset=utf-8", connection: "close" }
      const found = new URL(request.url).pathname === "/callback" ? codeIn(request.url, state) : undefined
      if (found === undefined)
        return new Response(page("This is not what was asked for."), { status: 404, headers: html })
      resolve(request.url)
      return new Response(page("refused" in found ? "You did not log in." : "You are logged in: close this page."), {
        headers: html,
      })
    },
  })
  return { port: server.port ?? port, answer: promise, stop: () => void server.stop(false) }
}

function listenFor(spec: Extract<OAuthSpec["flow"], { kind: "pkce" }>, state: string): Listener {
  try {
    return listen(spec.port, state)
  } catch {
    throw new OAuthError(
      `Port ${spec.port}, to which the browser has to come back, is taken by another program: end it, and try again.`,
    )
  }
}

function within<T>(io: LoginIo, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = io.clock.after(waitMs, () => reject(new OAuthError("Nobody logged in within 15 minutes.")))
    const stop = (): void => reject(new OAuthError("The login was stopped."))
    if (io.signal.aborted) stop()
    io.signal.addEventListener("abort", stop, { once: true })
    promise.then(resolve, reject).finally(() => {
      cancel()
      io.signal.removeEventListener("abort", stop)
    })
  })
}

async function pkce(spec: OAuthSpec, flow: Extract<OAuthSpec["flow"], { kind: "pkce" }>, io: LoginIo): Promise<Got> {
  const verifier = randomBytes(32).toString("base64url")
  // A provider with a parameter of its own names no state; its code is bound to our verifier all the same.
  const state = flow.redirectName === "redirect_uri" ? randomBytes(16).toString("base64url") : ""
  const listener = listenFor(flow, state)
  try {
    const redirect = `http://${flow.port === 0 ? "127.0.0.1" : "localhost"}:${listener.port}/callback`
    const url = new URL(flow.authorizeUrl)
    const standard = state === "" ? {} : { response_type: "code", client_id: spec.clientId, scope: spec.scope, state }
    const challenge = createHash("sha256").update(verifier).digest("base64url")
    const asked = {
      ...standard,
      [flow.redirectName]: redirect,
      code_challenge: challenge,
      code_challenge_method: "S256",
    }
    for (const [name, value] of Object.entries(asked)) if (value !== "") url.searchParams.set(name, value)
    io.show({ url: url.href })
    const found = codeIn(await within(io, Promise.race([listener.answer, io.pasted])), state)
    if (found === undefined) throw new OAuthError("What was pasted is not the address that the browser was sent to.")
    if ("refused" in found) throw new OAuthError(`The login was refused: ${found.refused}.`)
    return await redeem(spec, io, found.code, verifier, redirect)
  } finally {
    listener.stop()
  }
}

async function redeem(spec: OAuthSpec, io: LoginIo, code: string, verifier: string, redirect: string): Promise<Got> {
  const own = { code, code_verifier: verifier }
  if (spec.gives === "key") {
    const answer = await askTokens(io, spec.tokenUrl, { ...own, code_challenge_method: "S256" }, spec.body)
    if (typeof answer.key !== "string" || answer.key === "") throw new OAuthError("The server gave no key.")
    return { key: answer.key }
  }
  const standard = { grant_type: "authorization_code", client_id: spec.clientId, redirect_uri: redirect }
  return { login: await loginOf(io, spec, await askTokens(io, spec.tokenUrl, { ...standard, ...own }, spec.body)) }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

async function device(spec: OAuthSpec, deviceUrl: string, io: LoginIo): Promise<Got> {
  const started = await askTokens(io, deviceUrl, { client_id: spec.clientId, scope: spec.scope }, spec.body)
  const code = textOf(started.device_code)
  const url = textOf(started.verification_uri_complete) || textOf(started.verification_uri)
  if (code === "" || url === "") throw new OAuthError("The server gave no code to type.")
  io.show({ url, code: textOf(started.user_code) })
  const grant = "urn:ietf:params:oauth:grant-type:device_code"
  const fields = { client_id: spec.clientId, device_code: code, grant_type: grant }
  const ends = io.clock.monotonic() + (typeof started.expires_in === "number" ? started.expires_in * 1_000 : waitMs)
  let seconds = typeof started.interval === "number" ? started.interval : intervalDefault
  for (;;) {
    if (!(await sleep(io.clock, seconds * 1_000, io.signal))) throw new OAuthError("The login was stopped.")
    if (io.clock.monotonic() > ends) throw new OAuthError("The code has expired: begin again.")
    try {
      return { login: await loginOf(io, spec, await askTokens(io, spec.tokenUrl, fields, spec.body)) }
    } catch (error) {
      const why = error instanceof OAuthError ? error.code : ""
      if (why === "slow_down") seconds += slowerBy
      else if (why === "expired_token") throw new OAuthError("The code has expired: begin again.")
      else if (why === "access_denied") throw new OAuthError("The login was refused.")
      else if (why !== "authorization_pending") throw error
    }
  }
}

/** Log in, and give what that got. */
export function logIn(spec: OAuthSpec, io: LoginIo): Promise<Got> {
  const { flow } = spec
  return flow.kind === "pkce" ? pkce(spec, flow, io) : device(spec, flow.deviceUrl, io)
}
