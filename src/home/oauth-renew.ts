/**
 * Logins whose token ends: renewed before it does, and after it was refused.
 *
 * - A stored login is renewed by one process while the others wait for it: many providers take a token for renewal once only, and a second
 *   use ends the login. Under the lock the file is read again, so what another process got is taken and not asked for.
 * - A token from the environment that must be exchanged is exchanged in memory, for this process.
 */
import type { Login, OAuthSpec } from "./oauth.ts"
import { OAuthError, renewed, type Net } from "./oauth-tokens.ts"
import { withFileLock } from "./file-lock.ts"
import type { KeyResult } from "./key-value.ts"

export type RenewalOptions = {
  readonly net: Net
  oauth(provider: string): OAuthSpec | undefined
  /** The path that is locked. */
  lock(): Promise<string>
  /** The login as the file has it now. */
  load(provider: string): Login | undefined
  store(provider: string, login: Login): Promise<void>
}

/** A token that ends sooner is renewed before it is used: a request may take as long to be sent. */
const beforeMs = 60_000
/** Longer than any renewal takes. */
const staleMs = 60_000

function loginAgain(provider: string): string {
  return `log in again with \`cairn login ${provider}\`.`
}

export class Renewals {
  readonly #options: RenewalOptions
  readonly #passing = new Map<string, Login>()
  readonly #running = new Map<string, Promise<KeyResult>>()

  constructor(options: RenewalOptions) {
    this.#options = options
  }

  /** The token of a stored login; `used` is one that was refused, or empty. */
  stored(provider: string, login: Login, used: string): Promise<KeyResult> {
    if (this.#isGood(login, used)) return Promise.resolve({ key: login.access })
    return this.#once(provider, () => this.#renewStored(provider, used))
  }

  /** The token that `token` is exchanged for. */
  passing(provider: string, token: string, used: string): Promise<KeyResult> {
    const known = this.#passing.get(provider)
    if (known?.refresh === token && this.#isGood(known, used)) return Promise.resolve({ key: known.access })
    return this.#once(provider, () =>
      this.#told(provider, async () => {
        const spec = this.#specOf(provider)
        const fresh = await renewed(this.#options.net, spec, { access: "", refresh: token, expires: 0 })
        this.#passing.set(provider, fresh)
        return { key: fresh.access }
      }),
    )
  }

  #isGood(login: Login, used: string): boolean {
    return login.access !== "" && login.access !== used && login.expires - this.#options.net.clock.now() > beforeMs
  }

  #specOf(provider: string): OAuthSpec {
    const spec = this.#options.oauth(provider)
    if (spec === undefined) throw new OAuthError("it is not known how one logs in there.")
    return spec
  }

  /** What is asked for twice at a time is done once. */
  #once(provider: string, renew: () => Promise<KeyResult>): Promise<KeyResult> {
    const running = this.#running.get(provider) ?? renew().finally(() => this.#running.delete(provider))
    this.#running.set(provider, running)
    return running
  }

  async #renewStored(provider: string, used: string): Promise<KeyResult> {
    const { net, lock } = this.#options
    return this.#told(provider, async () => {
      const path = await lock()
      return withFileLock(path, net.clock, () => this.#renewLocked(provider, used), staleMs)
    })
  }

  async #renewLocked(provider: string, used: string): Promise<KeyResult> {
    const { net, load, store } = this.#options
    const login = load(provider)
    if (login === undefined) return { problem: `There is no login at ${provider} any more: ${loginAgain(provider)}` }
    if (this.#isGood(login, used)) return { key: login.access }
    const fresh = await renewed(net, this.#specOf(provider), login)
    await store(provider, fresh)
    return { key: fresh.access }
  }

  async #told(provider: string, act: () => Promise<KeyResult>): Promise<KeyResult> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const ended = error instanceof OAuthError && error.code === "invalid_grant"
      return {
        problem: ended
          ? `The login at ${provider} has ended: ${loginAgain(provider)}`
          : `The login at ${provider} could not be renewed: ${error.message}`,
      }
    }
  }
}
