/**
 * Logging in with a browser, as data: which providers take it, where, and what is got by it.
 *
 * - `pkce`: the browser comes back to this machine with a code (RFC 7636 and 8252). `device`: a code is typed into a page on any machine
 *   (RFC 8628). A provider of the config names its own.
 * - What is got is a key that stays (`gives: "key"`), or a login: a token for requests and one for getting the next (`gives: "tokens"`).
 * - Nothing here waits or calls out.
 */
import { isObject, type Json, type JsonObject } from "../std/json.ts"

type Flow =
  | {
      readonly kind: "pkce"
      readonly authorizeUrl: string
      /** The port that the provider lets the browser come back to; 0 for any. */
      readonly port: number
      /** The parameter that names the address to come back to. */
      readonly redirectName: "redirect_uri" | "callback_url"
    }
  | { readonly kind: "device"; readonly deviceUrl: string }

/** Where the token that a login got is exchanged for one that model requests bear. */
export type Exchange = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type OAuthSpec = {
  readonly flow: Flow
  readonly tokenUrl: string
  readonly clientId: string
  readonly scope: string
  readonly body: "form" | "json"
  readonly gives: "tokens" | "key"
  readonly exchange?: Exchange
  /** What the person should know before they log in. */
  readonly notice?: string
}

/** `expires` is wall-clock milliseconds. `baseUrl`: where this person's requests go, if the provider said so. */
export type Login = {
  readonly access: string
  readonly refresh: string
  readonly expires: number
  readonly baseUrl?: string
}

/** For a token of which nobody said that it ends. */
export const neverExpires = Number.MAX_SAFE_INTEGER

const editor = {
  "user-agent": "GitHubCopilotChat/0.35.0",
  "editor-version": "vscode/1.107.0",
  "editor-plugin-version": "copilot-chat/0.35.0",
}

/** Whose name GitHub's page shows, and what it means that it is not ours. */
const borrowed =
  "GitHub will show this login as one of its editor extension: Cairn has no registration there. What GitHub allows under that name is its decision; " +
  "an OAuth app of your own goes into providers.github-copilot.login.clientId."

/**
 * The providers that are known to take a browser.
 *
 * GitHub gives its tokens for Copilot to registered OAuth apps alone, and this program has none. So the client is that of its editor extension,
 * which most other agents use (RooVetGit/Roo-Code packages/types/src/providers/copilot.ts, pi-ai). GitHub has asked at least one of them to
 * register its own instead (anomalyco/models.dev#857), others have declined to borrow it (HKUDS/Vibe-Trading#899). The person is therefore told
 * before the login, `login.clientId` in the config puts another in its place, and this is the one line to change once there is an own one.
 */
const specs: Readonly<Record<string, OAuthSpec>> = {
  "github-copilot": {
    flow: { kind: "device", deviceUrl: "https://github.com/login/device/code" },
    tokenUrl: "https://github.com/login/oauth/access_token",
    clientId: "Iv1.b507a08c87ecfe98",
    scope: "read:user",
    body: "json",
    gives: "tokens",
    exchange: { url: "https://api.github.com/copilot_internal/v2/token", headers: editor },
    notice: borrowed,
  },
  openrouter: {
    flow: { kind: "pkce", authorizeUrl: "https://openrouter.ai/auth", port: 3_000, redirectName: "callback_url" },
    tokenUrl: "https://openrouter.ai/api/v1/auth/keys",
    clientId: "",
    scope: "",
    body: "json",
    gives: "key",
  },
}

/** `login` of a provider in the config; of one that is known, only what is to be otherwise. */
export type LoginConfig = {
  readonly kind?: "pkce" | "device"
  readonly authorizeUrl?: string
  readonly deviceUrl?: string
  readonly tokenUrl?: string
  readonly exchangeUrl?: string
  readonly clientId?: string
  readonly scope?: string
  readonly port?: number
}

function specOf(config: LoginConfig): OAuthSpec | { readonly problem: string } {
  const { kind = "pkce", authorizeUrl, deviceUrl, tokenUrl, clientId = "", scope = "", port = 0 } = config
  const first = kind === "pkce" ? authorizeUrl : deviceUrl
  if (first === undefined || tokenUrl === undefined)
    return { problem: `needs ${kind === "pkce" ? "authorizeUrl" : "deviceUrl"} and tokenUrl` }
  const flow: Flow =
    kind === "pkce" ? { kind, authorizeUrl: first, port, redirectName: "redirect_uri" } : { kind, deviceUrl: first }
  return { flow, tokenUrl, clientId, scope, body: "form", gives: "tokens" }
}

/** `known` with what the config says instead. */
function changed(known: OAuthSpec, config: LoginConfig): OAuthSpec {
  const { tokenUrl = known.tokenUrl, clientId = known.clientId, scope = known.scope } = config
  const flow: Flow =
    known.flow.kind === "device"
      ? { ...known.flow, deviceUrl: config.deviceUrl ?? known.flow.deviceUrl }
      : {
          ...known.flow,
          authorizeUrl: config.authorizeUrl ?? known.flow.authorizeUrl,
          port: config.port ?? known.flow.port,
        }
  const { notice, exchange, ...rest } = known
  return {
    ...rest,
    ...(clientId === known.clientId && notice !== undefined ? { notice } : {}),
    ...(exchange === undefined ? {} : { exchange: { ...exchange, url: config.exchangeUrl ?? exchange.url } }),
    flow,
    tokenUrl,
    clientId,
    scope,
  }
}

/** How one logs in at `provider`: as is known, as the config says, or the one changed by the other; undefined where it takes keys alone. */
export function oauthSpec(
  provider: string,
  config: LoginConfig | undefined,
): OAuthSpec | { readonly problem: string } | undefined {
  const known = Object.hasOwn(specs, provider) ? specs[provider] : undefined
  if (config === undefined) return known
  const other = known === undefined || (config.kind ?? known.flow.kind) !== known.flow.kind
  return other ? specOf(config) : changed(known, config)
}

/** An entry of `auth.json`, or undefined where it is no login. */
export function readLogin(entry: Json | undefined): Login | undefined {
  if (!isObject(entry) || entry.type !== "oauth") return undefined
  const { access, refresh, expires, baseUrl } = entry
  if (typeof access !== "string" || typeof refresh !== "string" || typeof expires !== "number") return undefined
  return { access, refresh, expires, ...(typeof baseUrl === "string" ? { baseUrl } : {}) }
}

export function writeLogin({ access, refresh, expires, baseUrl }: Login): JsonObject {
  return { type: "oauth", access, refresh, expires, ...(baseUrl === undefined ? {} : { baseUrl }) }
}
