/** What the engine is given: values and doors. It reads no file of the person's and no environment. */
import type { Clock } from "../std/clock.ts"
import type { Redact } from "../std/redact.ts"
import type { TextMatch } from "../std/query.ts"
import type { At } from "../std/moment.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Api } from "../providers/provider.ts"
import type { Model } from "../providers/model.ts"
import type { Tool } from "../tools/tool.ts"
import type { Hooks } from "../protocol/hooks.ts"
import type { ModelRecord } from "../protocol/port.ts"

export type Resolved =
  | { readonly ok: true; readonly model: Model; readonly notice?: string }
  | { readonly ok: false; readonly problem: string }

/** Models and their keys, by the name a person uses (`provider/id`). */
export type Models = {
  resolve(name: string): Resolved
  api(model: Model): Promise<Api>
  /** The key to send, or a sentence saying how to get one; undefined where none is needed. */
  key(model: Model): Promise<{ readonly key: string | undefined } | { readonly problem: string }>
  /** After a provider refused `key`: true where there is another one now, so that asking again is worth it. */
  renew?(model: Model, key: string): Promise<boolean>
  list(): Promise<readonly ModelRecord[]>
}

/** `system` is composed for the tools that are on. */
export type Instructions = {
  system(tools: readonly string[]): string
  readonly files: readonly { readonly path: string; readonly tokens: number }[]
  /** Told by name and description. */
  readonly skills?: readonly { readonly name: string; readonly tokens: number }[]
  /** Reads again what they are made from, for the next turn; sentences about what could not be read. */
  reload?(): Promise<readonly string[]>
}

export type QueueMode = "one-at-a-time" | "all"

/** Names as in the config. Times in milliseconds. */
export type EngineSettings = {
  readonly retry: {
    readonly enabled: boolean
    readonly maxRetries: number
    readonly baseDelayMs: number
    readonly maxAgentDelayMs: number
  }
  readonly compaction: { readonly enabled: boolean; readonly reserve?: number; readonly keep?: number }
  readonly steeringMode: QueueMode
  readonly followUpMode: QueueMode
  readonly stallMs: number
  /** The silence before the first sign of an answer that counts as a stall; left out: `stallMs`. */
  readonly firstByteMs?: number
  /** US dollars after which a run waits for the person; absent: no limit. */
  readonly costPerRun?: number
  /** Bytes of one output, and of all outputs of a session, that are kept. */
  readonly output: { readonly maxBytes: number; readonly maxSessionBytes: number }
  /** How long a command may go on after its host has died; absent: a day. */
  readonly orphanMs?: number
}

/** Holds texts against an expression; a sentence where that takes too long. */
export type Matcher = (
  texts: readonly string[],
  query: string,
) => Promise<{ readonly matches: readonly TextMatch[] } | { readonly problem: string }>

/** The machine as the tools see it. */
export type Machine = {
  readonly folder: string
  readonly home: string
  readonly cache: string
  readonly env: Readonly<Record<string, string>>
  readonly shell?: string
  readonly refused: readonly string[]
  readonly readable: readonly string[]
}

export type EngineOptions = {
  readonly ledger: Ledger
  readonly models: Models
  readonly tools: readonly Tool[]
  readonly instructions: Instructions
  readonly settings: EngineSettings
  readonly machine: Machine
  readonly clock: Clock
  readonly random: () => number
  /** Asked at the seams of the loop, in this order. */
  readonly hooks?: readonly Hooks[]
  /** Called at the moments of `enginePoints`. */
  readonly at?: At
  /** Where expressions are searched for; absent: here, for as long as one takes. */
  readonly match?: Matcher
  /** `now`: pending work goes on at once; `ask`: it waits for a `resume` command. */
  readonly consent: "now" | "ask"
  /** Takes secrets out of what tools give, before it is stored; absent: nothing is taken out. */
  readonly redact?: Redact
  /** Hears of bugs that were survived: a sentence. */
  readonly report: (text: string) => void
}

export const defaultSettings: EngineSettings = {
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 2_000, maxAgentDelayMs: 60_000 },
  compaction: { enabled: true },
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  stallMs: 300_000,
  output: { maxBytes: 64 * 1024 ** 2, maxSessionBytes: 1024 ** 3 },
}
