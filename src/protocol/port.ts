/**
 * The contract between a host, which holds a session and works on it, and whoever watches and drives it.
 *
 * - One port is one session. The full screen, print and JSON modes, RPC and an attached terminal all use it, and nothing else.
 * - `watch` first gives a `snapshot`, or what has come since `cursor` where the host still has it, then every later frame, in order. Only what is
 *   stored is published: a `commit` after its storing, `progress` after its append.
 * - A task's progress comes after the commit that started its attempt and never after the one that settled it; a settlement replaces what
 *   progress built. `seq` of a progress frame is the last commit before it, `at` its byte offset in the spool of (task, attempt).
 * - Commits never wait for a client. One that has more than 4 MiB or 1,000 frames undelivered loses them and gets a snapshot.
 * - Every input carries a request id made by the client: sent again after a lost answer it is admitted once.
 * - A refused command is a `Refusal` with a sentence; a thrown error means that the host could not be reached.
 * - On a wire a frame or a command is one JSON object on one line of at most 8 MiB; longer values go by reference and are read in pieces.
 */
import type { Json } from "../std/json.ts"
import type { ThinkingLevel, UserPart } from "../message/message.ts"
import type { ChangesRecord, UndoRecord } from "./changes.ts"
import type { Excerpt } from "../std/query.ts"
import type { TextKind } from "./entry-text.ts"
import type { Stats } from "./stats.ts"
import type {
  ConversationRecord,
  DocumentRecord,
  EntryRecord,
  SubmissionRecord,
  SubmitMode,
  TaskRecord,
} from "./records.ts"

export const protocolVersion = 1
export const frameBytesMax = 8 * 1024 * 1024
export const backlogBytesMax = 4 * 1024 * 1024
export const backlogFramesMax = 1_000
/** Entries of a conversation that a snapshot holds, newest; older ones are read on demand. */
export const snapshotEntries = 200

export type Cursor = { readonly epoch: number; readonly seq: number }

/** `bytes`: what `text` takes in the spool, where that is another number than its own bytes: broken ones come as U+FFFD. */
export type SpoolState = {
  readonly task: number
  readonly attempt: number
  readonly at: number
  readonly text: string
  readonly bytes?: number
}

/** All that a client needs to draw a session. `entries` are the newest of each conversation; `older` names those that have more. */
export type SessionState = {
  readonly session: string
  readonly epoch: number
  readonly conversations: readonly ConversationRecord[]
  readonly entries: readonly EntryRecord[]
  readonly older: readonly number[]
  readonly tasks: readonly TaskRecord[]
  readonly submissions: readonly SubmissionRecord[]
  readonly documents: readonly DocumentRecord[]
  /** Progress so far of running tasks: text from the start of their spool (tool output: its last 64 KiB). */
  readonly spools: readonly SpoolState[]
  readonly held: HeldState | null
  readonly health: HealthState
}

/**
 * Work that waits for a person. `old`: interrupted long ago, or before a reboot; `crashes`: its last hosts have died at it, one soon after the
 * other; both go on at a `resume`. `cost`: a run without a screen has cost as much as it may (`retryNow`). `code`: made by a newer version, or by an extension that is not here; it waits for that.
 */
export type HeldState = {
  readonly because: "old" | "crashes" | "code" | "cost"
  readonly reason: string
  readonly since: number
}

export type HealthState = { readonly state: "ok" | "waiting" | "read-only" | "poisoned"; readonly reason: string }

export type PortChange =
  | { readonly type: "conversation"; readonly conversation: ConversationRecord }
  | { readonly type: "entry"; readonly entry: EntryRecord }
  | { readonly type: "task"; readonly task: TaskRecord }
  | { readonly type: "submission"; readonly submission: SubmissionRecord }
  | { readonly type: "document"; readonly document: DocumentRecord }

export type Frame =
  | { readonly type: "snapshot"; readonly seq: number; readonly state: SessionState }
  | { readonly type: "commit"; readonly seq: number; readonly at: number; readonly changes: readonly PortChange[] }
  | {
      readonly type: "progress"
      readonly seq: number
      readonly task: number
      readonly attempt: number
      /** Beyond the end of what came before where output was passed over: it came faster than anybody reads. */
      readonly at: number
      readonly text: string
      readonly bytes?: number
      /** True where the disk refused the append: shown, and marked as not saved. */
      readonly unsaved?: boolean
    }
  | { readonly type: "health"; readonly health: HealthState }
  /** All runs of the session have ended and nothing is queued; `aborted` tells of the last one. */
  | { readonly type: "settled"; readonly aborted: boolean }
  /** The host is gone or has let go of the session; `reason` is a sentence. The last frame of a watch. */
  | {
      readonly type: "lost"
      readonly reason: string
      /** Somebody stopped the host on purpose: a client starts no other by itself. */
      readonly stopped?: boolean
    }

export type Command =
  | {
      readonly type: "submit"
      readonly conversation: number
      readonly requestId: string
      readonly content: readonly UserPart[]
      readonly mode: SubmitMode
    }
  | { readonly type: "withdraw"; readonly submission: number }
  /** Changes a queued input where it stands in the queue: what it says, or when it goes. */
  | {
      readonly type: "amend"
      readonly submission: number
      readonly content?: readonly UserPart[]
      readonly mode?: SubmitMode
    }
  /** All queued inputs go now: into the running work at its next boundary, or as the next run where none is going. */
  | { readonly type: "send"; readonly conversation: number }
  | { readonly type: "abort"; readonly conversation: number }
  /** Ends a retry wait at once: ask again now. */
  | { readonly type: "retryNow"; readonly conversation: number }
  /** Consent: what waits for a key goes on. */
  | { readonly type: "resume" }
  | {
      readonly type: "configure"
      readonly conversation: number
      readonly model?: string
      readonly thinking?: ThinkingLevel
      readonly tools?: readonly string[]
    }
  | { readonly type: "title"; readonly title: string }
  /** Puts the session away, so that lists leave it out, or takes it back. */
  | { readonly type: "archive"; readonly archived: boolean }
  /** Gives the session these tags, in the place of those that it had. */
  | { readonly type: "tag"; readonly tags: readonly string[] }
  | { readonly type: "compact"; readonly conversation: number; readonly focus?: string }
  | { readonly type: "shell"; readonly conversation: number; readonly command: string; readonly excluded: boolean }
  /** What edits and writes changed: in the run that began with entry `run`, or in the whole conversation. */
  | { readonly type: "changes"; readonly conversation: number; readonly run?: number }
  /** Takes back what a run changed in files: all of it, or the hunks that are named. */
  | {
      readonly type: "undo"
      readonly conversation: number
      readonly run: number
      readonly hunks?: readonly string[]
      readonly what: "files"
    }
  /** Older or newer entries of a conversation: bounds are exclusive, the newest `limit` of the range, oldest first. */
  | {
      readonly type: "entries"
      readonly conversation: number
      readonly before?: number
      readonly after?: number
      readonly limit: number
    }
  /** Bytes of a call's live or kept output, as text; `to` is exclusive, at most 1 MiB at a time. */
  | { readonly type: "output"; readonly task: number; readonly from: number; readonly to: number }
  /**
   * Where something stands in all that was said and printed: in what `conversation` sees, or, for null, in every conversation. Newest first, a page
   * at a time, for as long as a page may take. A newer search of the same client ends this one with a refusal (`superseded`); so does an expression
   * that takes too long (`slow_pattern`). `after`: go on after the page that gave it.
   */
  | {
      readonly type: "search"
      readonly client: string
      readonly conversation: number | null
      readonly query: string
      readonly regex: boolean
      readonly limit: number
      readonly after?: string
    }
  /** Screen state of this client, saved relaxed. */
  | { readonly type: "screen"; readonly client: string; readonly value: Json }
  | { readonly type: "models" }
  | { readonly type: "tools" }
  /** What all conversations of the session took. */
  | { readonly type: "stats" }
  /** Reads the person's files again: prompt, skills, settings, what the folder is trusted with. */
  | { readonly type: "reload" }
  /** What the agent was told: prompt, context files with sizes, tools. */
  | { readonly type: "context"; readonly conversation: number }
  /**
   * A conversation that goes on from what `conversation` saw at `entry`; 0 is before everything. `summary`: what was said since is summarized
   * into the new one, minding this, which may be empty.
   */
  | { readonly type: "fork"; readonly conversation: number; readonly entry: number; readonly summary?: string }
  /** A name for an entry; an empty one takes it away. */
  | { readonly type: "label"; readonly entry: number; readonly label: string }
  /** The request that the answer or attempt `entry` came from, made again; bytes of its body as {@link Command} `output` gives them. */
  | { readonly type: "request"; readonly entry: number; readonly from: number; readonly to: number }

export type ModelRecord = {
  readonly name: string
  readonly provider: string
  readonly label: string
  readonly contextWindow: number | null
  readonly price: { readonly input: number; readonly output: number } | null
  readonly thinking: readonly ThinkingLevel[]
  readonly images: boolean
  /** How it changes files: by passages, or by writing them whole. */
  readonly edits: "replace" | "whole"
  /** A key is at hand, or none is needed. */
  readonly ready: boolean
}

/** A part of what the model is told, with its size. */
export type ContextPart = {
  readonly kind: "prompt" | "file" | "skill" | "tool" | "conversation"
  readonly name: string
  readonly tokens: number
}

/** `window` is the model's; null where nobody knows it. Sizes are estimates. */
export type ContextRecord = {
  readonly parts: readonly ContextPart[]
  readonly window: number | null
  readonly system: string
  /** Of all parts but the conversation. */
  readonly tokens: number
}

/** How a request that was made again compares with the one that was sent: by its hash. */
export type RequestStanding = "identical" | "differs" | "pruned"

export type RequestRecord = {
  readonly entry: number
  readonly conversation: number
  readonly model: string
  readonly standing: RequestStanding
  /** What differs, or is gone, in words; empty for `identical`. */
  readonly note: string
  /** Bytes of the body that was sent. */
  readonly sentBytes: number
  readonly text: string
  readonly from: number
  /** Bytes of the body as it is made now; 0 where it cannot be. */
  readonly size: number
}

/**
 * A text that holds what was searched for, with the first line that does. `count`: how often it stands there. `output`: the task whose output
 * has it, of which an entry may hold a part or nothing yet; a long one is told in parts, each a hit that says where it begins, in bytes.
 */
export type SearchHit = Excerpt & {
  readonly conversation: number
  /** The entry; of a call that still runs, the entry that it was asked by. */
  readonly entry: number
  readonly at: number
  readonly kind: TextKind
  readonly count: number
  readonly output?: { readonly task: number; readonly at: number }
}

/** A tool that there is, whether or not it is on. */
export type ToolRecord = { readonly name: string; readonly description: string }

export type SearchPage = {
  readonly hits: readonly SearchHit[]
  /** Asks for the next page; null when all was looked through. */
  readonly more: string | null
  /** All newer entries have been looked through; 0 with the last page. */
  readonly down: number
}

export type Answers = {
  submit: { readonly submission: number; readonly fresh: boolean }
  withdraw: { readonly content: readonly UserPart[] }
  amend: null
  /** How many they were. */
  send: { readonly sent: number }
  abort: null
  retryNow: null
  resume: null
  configure: { readonly notice?: string }
  title: null
  archive: null
  tag: null
  compact: null
  shell: { readonly entry: number; readonly output: string; readonly exit: number | null }
  changes: ChangesRecord
  undo: UndoRecord
  entries: { readonly entries: readonly EntryRecord[]; readonly older: boolean }
  /** `from` and `bytes`: what of the output `text` is, `from` beyond what was asked for where that is not there any more, which a line says first. */
  output: {
    readonly text: string
    readonly from: number
    readonly bytes: number
    readonly size: number
    readonly ended: boolean
  }
  search: SearchPage
  screen: null
  models: readonly ModelRecord[]
  tools: readonly ToolRecord[]
  stats: Stats
  reload: { readonly notices: readonly string[] }
  context: ContextRecord
  fork: { readonly conversation: number }
  label: null
  request: RequestRecord
}

/** The host understood and said no: `message` is a sentence for the person, `code` a stable snake_case word. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export type Port = {
  /** Frames until the returned function is called; a listener must not throw. */
  watch(listener: (frame: Frame) => void, cursor?: Cursor): () => void
  request<C extends Command>(command: C): Promise<Answers[C["type"]]>
  close(): Promise<void>
}
