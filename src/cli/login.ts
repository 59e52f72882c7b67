/**
 * `cairn login` and `cairn logout`: keys and logins of providers, outside of the screen.
 *
 * - What is said goes to stderr, the key never; stdout has nothing. A key is read without echo, or from a pipe.
 * - A provider that takes a browser is logged into with it on a terminal, unless a key is typed first; elsewhere with a device code alone.
 */
import { join } from "node:path"
import { cleanControls } from "../std/clean.ts"
import { systemClock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import type { OAuthSpec } from "../home/oauth.ts"
import { logIn, type Got, type LoginIo } from "../home/oauth-login.ts"
import { OAuthError } from "../home/oauth-tokens.ts"
import type { Env } from "../home/env.ts"
import type { LoginSteps, Outcome } from "../tui/options.ts"
import { knownProviders } from "../providers/catalog.ts"
import { near } from "../providers/near.ts"
import { reasonOf } from "../tools/paths.ts"
import { askLine, askSecret } from "./ask.ts"
import { oauthOf, type Person } from "./person.ts"
import { Stop } from "./stop.ts"

function tell(text: string): void {
  process.stderr.write(cleanControls(text))
}

/** Every provider that a key can be stored for. */
function providersOf(person: Person): readonly string[] {
  const hosted = knownProviders().filter(({ local }) => !local)
  const own = Object.keys(person.settings.merged.config.providers)
  return [...new Set([...own, ...hosted.map(({ id }) => id)])]
}

async function providerFrom(words: readonly string[], person: Person): Promise<string> {
  const all = providersOf(person)
  const [given] = words
  const terminal = process.stdin.isTTY === true
  if (given === undefined && !terminal) throw new Stop("say which provider: cairn login <provider>", 2)
  if (given === undefined) tell(`Providers: ${all.join(", ")}\n`)
  const wanted = given ?? (await askLine("Provider: ").answer)?.trim() ?? ""
  if (all.includes(wanted)) return wanted
  const close = near(wanted, all)
  const offer = close.length === 0 ? "" : ` Near it: ${close.join(", ")}.`
  throw new Stop(`there is no provider "${wanted}": name one that cairn models lists, or of your config.${offer}`, 2)
}

/** Opens the person's browser where there is one on this machine; whether it did is not known. */
function openBrowser(url: string, env: Env): void {
  const remote = env.SSH_CONNECTION !== undefined
  const graphical = process.platform === "darwin" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined
  const command = env.BROWSER ?? (process.platform === "darwin" ? "open" : "xdg-open")
  if ((remote || !graphical) && env.BROWSER === undefined) return
  const path = Bun.which(command, { PATH: env.PATH ?? "" })
  if (path === null) return
  Bun.spawn([path, url], { env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref()
}

async function keep(person: Person, provider: string, got: Got): Promise<void> {
  try {
    if ("key" in got) await person.credentials.store(provider, got.key)
    else await person.credentials.storeLogin(provider, got.login)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new Stop(`what is known of ${provider} could not be stored, and stays as it was: ${reasonOf(error)}`, 1)
  }
}

/** A login that a screen shows. */
export async function logInOnScreen(person: Person, provider: string, steps: LoginSteps): Promise<Outcome> {
  const spec = oauthOf(provider, person.settings.merged.config.providers)
  if (spec === undefined) return { ok: false, reason: `It is not known how one logs in at ${provider}.` }
  if ("problem" in spec) return { ok: false, reason: `The login of "${provider}" in the config ${spec.problem}.` }
  try {
    const got = await logIn(spec, {
      ...steps,
      fetch: (input, init) => fetch(input, init),
      clock: systemClock,
      show(step) {
        steps.show(step)
        openBrowser(step.url, person.env)
      },
    })
    await keep(person, provider, got)
    return { ok: true, text: `You are logged in at ${provider}.` }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

async function loginWith(spec: OAuthSpec, person: Person): Promise<Got> {
  const terminal = process.stdin.isTTY === true
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  if (spec.notice !== undefined) tell(`${spec.notice}\n`)
  process.once("SIGINT", stop)
  let asking: ReturnType<typeof askLine> | undefined
  const pasted = Promise.withResolvers<string>()
  const io: LoginIo = {
    fetch: (input, init) => fetch(input, init),
    clock: systemClock,
    signal: controller.signal,
    pasted: pasted.promise,
    show({ url, code }) {
      tell(`Open ${url}\n${code === undefined ? "" : `and type ${code} there.\n`}`)
      openBrowser(url, person.env)
      if (spec.flow.kind !== "pkce" || !terminal) return
      asking = askLine("If the browser is on another machine, paste the address that it ends at: ")
      void asking.answer.then((line) => (line === undefined || line.trim() === "" ? undefined : pasted.resolve(line)))
    },
  }
  try {
    return await logIn(spec, io)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new Stop(error.message.replace(/\.$/, ""), controller.signal.aborted ? 130 : 1)
  } finally {
    process.off("SIGINT", stop)
    asking?.stop()
  }
}

/** A key, nothing (for the browser), or the end where the person stopped. */
async function typedKey(provider: string, spec: OAuthSpec | undefined): Promise<string> {
  const terminal = process.stdin.isTTY === true
  // A login that gives tokens has no key that could be typed; a long-lived token may be piped all the same.
  if (terminal && spec?.gives === "tokens") return ""
  const prompt =
    spec === undefined ? `Key of ${provider}: ` : `Key of ${provider}, or nothing to log in with a browser: `
  const typed = await askSecret(prompt)
  if (typed === undefined && terminal) throw new Stop("stopped: nothing is stored", 130)
  const key = typed?.trim() ?? ""
  if (key === "" && spec === undefined)
    throw new Stop(`no key was given${terminal ? "" : " on stdin"}: nothing is stored`, 2)
  return key
}

export async function loginCommand(words: readonly string[], person: Person): Promise<number> {
  const provider = await providerFrom(words, person)
  const spec = oauthOf(provider, person.settings.merged.config.providers)
  if (spec !== undefined && "problem" in spec)
    throw new Stop(`the login of "${provider}" in the config ${spec.problem}`, 2)
  const typed = await typedKey(provider, spec)
  const got: Got = spec === undefined || typed !== "" ? { key: typed } : await loginWith(spec, person)
  await keep(person, provider, got)
  const what = typed === "" ? `You are logged in at ${provider}` : `The key of ${provider} is stored`
  tell(`${what}; it is kept in ${join(person.dirs.config, "auth.json")}.\n`)
  return 0
}

export async function logoutCommand(words: readonly string[], person: Person): Promise<number> {
  const { credentials } = person
  const stored = credentials.stored()
  const [given] = words
  const provider = given ?? (stored.length === 1 ? stored[0] : undefined)
  if (provider === undefined && stored.length === 0) throw new Stop("no key and no login is stored", 1)
  if (provider === undefined) throw new Stop(`say which: cairn logout <${stored.join("|")}>`, 2)
  if (!(await credentials.remove(provider))) {
    const source = credentials.source(provider)
    const where = source === undefined ? "" : `; its key comes from the ${source === "flag" ? "command line" : source}`
    throw new Stop(`nothing is stored for "${provider}"${where}`, 1)
  }
  tell(`What was stored for ${provider} is gone. It stays valid at ${provider} until it is revoked there.\n`)
  return 0
}
