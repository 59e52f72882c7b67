/**
 * The hosts of a screen: one at a time, started with what the flags say and what the person answers at the start.
 *
 * - Nobody is reached before the questions of the start are answered: what is trusted and which model works is for a host to know from its start.
 */
import type { SessionsPort } from "../protocol/sessions.ts"
import type { ScreenEnd, SessionChoice } from "../tui/options.ts"
import type { AttachedPort } from "../wire/attach.ts"
import type { RunFlags } from "./args.ts"
import { connectHost, type ConnectOptions, type HostChoice } from "./connect.ts"
import type { Begin } from "./first-start.ts"
import { hostFlags } from "./host-flags.ts"
import { apiKeyVariable, trustedNow, type Person } from "./person.ts"
import { socketPlaces } from "./places.ts"

export type ScreenStart = {
  readonly person: Person
  readonly run: RunFlags
  readonly choice: SessionChoice
  readonly words: readonly string[]
  readonly version: string
  /** Where the host works, and with which model, when that is not what flags and settings say. */
  readonly begin: Begin | null
  readonly client: string
}

/** How hosts are started and reached. `once`: the folder is trusted for this time. */
export function connectOptions(start: ScreenStart, begin: Begin | null, once = false): ConnectOptions {
  const { person, run, version, client } = start
  const model = begin?.model ?? run.model
  return {
    dataDir: person.dirs.data,
    places: socketPlaces(),
    folder: begin?.folder ?? person.folder,
    build: version,
    client,
    flags: hostFlags({ ...run, model, approve: run.approve || once }),
    env: run.apiKey === undefined ? person.env : { ...person.env, [apiKeyVariable]: run.apiKey },
  }
}

/** Hosts are reached one at a time; the last one is whom a choice at the end concerns. */
export class Hosts {
  readonly #start: ScreenStart
  readonly #begin: Promise<Begin | null>
  readonly #decided: Promise<void>
  #once = false
  #trusts: boolean
  #port: AttachedPort | null = null

  /** `decided`: what the folder may do is known. */
  constructor(start: ScreenStart, begin: Promise<Begin | null>, decided: Promise<void>) {
    this.#start = start
    this.#begin = begin
    this.#decided = decided
    this.#trusts = start.person.trusted
  }

  /** The folder may do what it wants to, this time. */
  trustOnce(): void {
    this.#once = true
  }

  /** Whether the folder is trusted, as it was last asked. */
  get trusts(): boolean {
    return this.#trusts
  }

  async trusted(): Promise<boolean> {
    const { person, run } = this.#start
    this.#trusts = await trustedNow(person, { ...run, approve: run.approve || this.#once })
    return this.#trusts
  }

  get sessions(): SessionsPort | null {
    return this.#port?.sessions ?? null
  }

  async connect(choice: HostChoice): Promise<AttachedPort> {
    await this.#decided
    const options = connectOptions(this.#start, (await this.#begin) ?? this.#start.begin, this.#once)
    this.#port = await connectHost(choice, options)
    return this.#port
  }

  /** What was chosen for work that runs. The host has gone on its own where it cannot be asked any more. */
  async end(work: ScreenEnd["work"]): Promise<void> {
    if (this.#port === null || work === "leave") return
    try {
      await this.#port.host.request({ type: "stop", how: work === "stop" ? "work" : "pending" })
    } catch {
      return
    }
  }

  async close(): Promise<void> {
    await this.#port?.close()
  }
}
