/**
 * What a screen is given, and how it ends. Whoever assembles the program gives values and functions; the screen reads no environment, starts
 * no host and ends no process by itself.
 *
 * - `connect` may be slow or fail: the screen is drawn and takes keys before it answers, and asks again, with backoff, when a port is lost.
 * - A shelf always has a last good value; what is wrong with a file comes beside it as sentences, never as an exception.
 */
import type { CliRenderer } from "@opentui/core"
import type { Keymap } from "../home/keymap.ts"
import type { Appearance, Theme } from "../home/theme.ts"
import type { Port } from "../protocol/port.ts"
import type { SessionsPort } from "../protocol/sessions.ts"
import type { View } from "../protocol/view.ts"
import type { Clock } from "../std/clock.ts"
import type { Json } from "../std/json.ts"

/** Which session a screen works on. */
export type SessionChoice = { readonly kind: "new" } | { readonly kind: "session"; readonly id: string }

/** Named data files of the person's, embedded ones included. */
export type ThemeShelf = {
  names(): readonly string[]
  /** Undefined where there is no such theme and never was. A broken file gives its last good version and what is wrong. */
  load(
    name: string,
    appearance: Appearance,
  ): { readonly theme: Theme; readonly problems: readonly string[] } | undefined
  /** Hears that some file changed; the screen then loads again what it uses. */
  watch(listener: () => void): () => void
}

export type KeymapShelf = {
  names(): readonly string[]
  load(name: string): { readonly keymap: Keymap; readonly problems: readonly string[] } | undefined
  watch(listener: () => void): () => void
}

/** What was typed and not sent. `pastes` are the texts behind the folded `[paste #n …]` marks, by number. */
export type Draft = {
  readonly session: string | null
  readonly text: string
  readonly cursor: number
  readonly pastes: Readonly<Record<string, string>>
  readonly savedAt: number
}

/** A draft on disk, for the time before a session has begun or while its host is away. One a folder. */
export type DraftStore = {
  load(): Draft | null
  /** Written whole and moved into place before it returns; null removes it. */
  save(draft: Draft | null): void
}

/** Drafts that were put aside in this folder, the newest first. */
export type StashStore = {
  load(): readonly Draft[]
  /** Written whole and moved into place before it returns. */
  save(drafts: readonly Draft[]): void
}

/** Inputs that were sent from this folder, oldest first. */
export type HistoryStore = {
  load(): readonly string[]
  append(text: string): void
}

/** Colours that the terminal can show; `none` is NO_COLOR. */
export type ColorDepth = "truecolor" | "256" | "16" | "none"

export type TerminalFacts = {
  /** As the terminal is known to libraries: `TERM`. */
  readonly name: string
  readonly colors: ColorDepth
  /** The terminal is at the other end of a network: fewer paints a second. */
  readonly remote: boolean
  readonly multiplexer: "none" | "tmux" | "screen" | "zellij"
}

export type SlotSettings = {
  readonly main: readonly string[]
  /** `size` is per cent of the columns; under `from` columns the side slot becomes tabs. */
  readonly side: { readonly stack: readonly string[]; readonly size: number; readonly from: number }
  readonly bottom: readonly string[]
  /** Per cent of the rows that the bottom slot has. */
  readonly bottomSize: number
  /** What the last row shows: `status`, or nothing, and then there is no such row. */
  readonly footer: readonly string[]
}

export const defaultSlots: SlotSettings = {
  main: ["chat"],
  side: { stack: ["tool", "plan"], size: 40, from: 100 },
  bottom: [],
  bottomSize: 33,
  footer: ["status"],
}

export type ScreenSettings = {
  /** A name, or two as `light/dark`, of which the terminal's background chooses. */
  readonly theme: string
  /** `auto` follows the terminal's background. */
  readonly appearance: Appearance | "auto"
  readonly keymap: string
  readonly slots: SlotSettings
  readonly mouse: boolean
  /** Ring the bell when a run ends or asks, while the terminal is not in front. */
  readonly bell: boolean
  readonly planFiles: readonly string[]
  /** Names of the models to cycle through; empty means all that can be asked. */
  readonly enabledModels: readonly string[]
  readonly hideThinking: boolean
  /** Milliseconds after which a sequence that has begun shows what may follow; 0: never. */
  readonly keyHintsMs: number
  readonly searchRegex: boolean
  /** Command line of the person's editor; absent where none is known. */
  readonly editor?: string
  /** Command line of the person's pager. */
  readonly pager: string
}

/** What went well, or the sentence that says why not. */
export type Outcome = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }

/** How one logs in at a provider without a key. `key`: it takes a typed one as well. `notice`: what to know before. */
export type LoginWay = { readonly kind: "browser" | "code"; readonly key: boolean; readonly notice?: string }

/** A provider that a key can be stored for, or a login. */
export type ProviderChoice = {
  readonly id: string
  readonly label: string
  readonly ready: boolean
  readonly login?: LoginWay
}

/** A login while it goes on: where the person has to go, and which code to type there; the address that the browser ended at, if it is pasted. */
export type LoginSteps = {
  readonly signal: AbortSignal
  readonly pasted: Promise<string>
  show(step: { readonly url: string; readonly code?: string }): void
}

/** What is offered at the very first start, when no model can be asked yet. */
export type FirstStart = {
  readonly providers: readonly ProviderChoice[]
  /** Local servers that answered, by model name. */
  readonly local: readonly { readonly model: string; readonly label: string }[]
}

export type FirstStartAnswer =
  | { readonly kind: "key"; readonly provider: string; readonly key: string }
  /** The person has logged in there. */
  | { readonly kind: "login"; readonly provider: string }
  | { readonly kind: "local"; readonly model: string }
  | { readonly kind: "tour" }

export type Interrupted = { readonly id: string; readonly title: string }

/** A setting as a person sees it. `edit` says how it is changed; `fixed`: not from here, and why. */
export type SettingRow = {
  readonly name: string
  readonly value: string
  readonly from: string
  readonly help: string
  readonly edit:
    | { readonly kind: "choice"; readonly choices: readonly string[] }
    | { readonly kind: "flag"; readonly on: boolean }
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "fixed"; readonly reason: string }
}

export type DoctorRow = { readonly standing: "ok" | "note" | "wrong"; readonly what: string; readonly says: string }

/** Whether a folder may do what it wants to. `news`: files that are new or changed since it was trusted. */
export type TrustQuestion = {
  readonly folder: string
  readonly standing: "unknown" | "changed" | "trusted" | "denied" | "nothing"
  readonly effects: readonly { readonly what: string; readonly files: readonly string[] }[]
  readonly news: readonly string[]
}

export type TrustAnswer = "always" | "once" | "never" | "later"

/** What only the program around the screen can do. A missing one turns its command off, with the reason. */
export type Outside = {
  providers?(): readonly ProviderChoice[]
  saveKey?(provider: string, key: string): Promise<Outcome>
  removeKey?(provider: string): Promise<Outcome>
  /** Logs in and stores what that got; a sentence either way. */
  logIn?(provider: string, steps: LoginSteps): Promise<Outcome>
  /** Write one setting to the person's config. `path` is dotted: `theme`, `panels`. */
  saveSetting?(path: string, value: Json): Promise<Outcome>
  /** Copy a conversation into a session of its own; its id. Rejects with a sentence. */
  cloneSession?(session: string, conversation: number): Promise<string>
  /** A session made of a file of pi; its id, and how many lines could not be read. Rejects with a sentence. */
  importSession?(path: string): Promise<{ readonly session: string; readonly unread: number }>
  /** What was looked at, whether it is as it should be, and what to do where it is not. */
  doctor?(): Promise<readonly DoctorRow[]>
  exportSession?(session: string, path: string): Promise<Outcome>
  /** Hears when a file of settings was saved and says something else now, or is broken. The returned function ends it. */
  watchSettings?(listener: () => void): () => void
  /** Prompts, skills and what else was read at the start, again. */
  reload?(): Promise<Outcome>
  /** Every setting with its value and where that comes from. */
  settings?(): readonly SettingRow[]
  /** Write what was typed for a setting; an empty text takes it out of the file. */
  setSetting?(name: string, typed: string): Promise<Outcome>
  /** How it stands with trust in this folder, and deciding about it. */
  trust?: { look(): Promise<TrustQuestion>; decide(answer: TrustAnswer): Promise<Outcome> }
  /** Prompt templates and skills, by the name that follows the slash. */
  templates?(): readonly { readonly name: string; readonly title: string; readonly args?: string }[]
  /** A template with its arguments put in; null where there is none of that name. */
  expandTemplate?(name: string, args: string): string | null
}

export type ScreenOptions = {
  readonly session: SessionChoice
  /** One try to reach a host, starting it where there is none. Rejects with a sentence. */
  connect(choice: SessionChoice): Promise<Port>
  readonly sessions: SessionsPort
  /** The session's folder and the person's home: absolute, real paths. */
  readonly folder: string
  readonly home: string
  /** Name of this client's screen state: `main`, or what `attach --as` says. */
  readonly client: string
  /** A folder for files that live a minute: what an external editor is given. */
  readonly scratch: string
  /** A folder that the maker of code's colours may write to; absent: code is plain. */
  readonly highlightFolder?: string
  readonly clock: Clock
  readonly settings: ScreenSettings
  readonly themes: ThemeShelf
  readonly keymaps: KeymapShelf
  readonly drafts: DraftStore
  readonly stash: StashStore
  readonly history: HistoryStore
  readonly terminal: TerminalFacts
  readonly outside: Outside
  /** The screen is about to let go of its host: what becomes of running work is said while it can be. */
  leaving?(work: WorkChoice): Promise<void>
  /** Sent as soon as the host answers. */
  readonly prompt?: string
  /** Sentences of the start: broken files, an interrupted session and the key that resumes it. */
  readonly notices: readonly string[]
  /** A session of this folder whose work was interrupted: it is offered, and opened by the key that goes on with work. */
  readonly interrupted?: Interrupted
  /** Begin with the list of this folder's sessions. */
  readonly choose?: boolean
  /** Present at the very first start; its answer's promise settles when the answer has been put into effect. */
  readonly firstStart?: {
    readonly offer: FirstStart
    answer(answer: FirstStartAnswer): Promise<Outcome>
    /** True where a model can be asked by now, as when the config was written meanwhile: then the work begins with it. */
    settled(): boolean
  }
  /** Asked at the start, where the folder wants more than the person has let it do yet. No host is reached before the answer. */
  readonly trust?: { readonly question: TrustQuestion; answer(answer: TrustAnswer): Promise<Outcome> }
  /** Signals of this process: the screen restores the terminal and ends. Absent in tests. */
  readonly process?: NodeJS.Process
  /** Tests bring their own; else one is made on the terminal of this process. */
  readonly renderer?: CliRenderer
}

/** What is to become of work that runs while its screen goes: it goes on, it was stopped, it is kept for later. */
export type WorkChoice = "leave" | "stop" | "keep"

/** The terminal is as it was before. `session` is null where nothing was said; `code` is the exit status that fits. */
export type ScreenEnd = {
  readonly reason: "quit" | "signal" | "crash" | "terminal lost"
  readonly code: number
  readonly session: string | null
  readonly work: WorkChoice
  /** A crash in one sentence, for stderr. */
  readonly message: string | null
  readonly view: View
}
