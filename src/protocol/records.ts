/**
 * The records that cross from a host to its clients, typed by kind.
 *
 * - An id means the same here and in the ledger; outside both it is written `c1 e5 t9 s3`.
 * - A kind that a client does not know is still an entry: it is shown by its name, never dropped, never an error.
 * - Nothing here holds a key, and no text is clean: whoever draws it cleans it.
 */
import type { Json, JsonObject } from "../std/json.ts"
import type { AssistantMessage, Message, ThinkingLevel, ToolResultMessage, UserPart } from "../message/message.ts"
import type { Usage } from "../message/usage.ts"
import type { Refused } from "./changes.ts"

export type SubmitMode = "steer" | "followUp"

/** An input. `submission` is the one that it came from; `run` the entry of the input that began its run, where that was another one. */
export type UserEntry = {
  readonly kind: "user"
  readonly content: readonly UserPart[]
  readonly submission: number
  readonly run?: number
  /** What an extension of another agent put into the conversation: told to models like an input. */
  readonly custom?: { readonly customType: string; readonly display: boolean; readonly details?: Json }
}

/** A response, or with stop reason `error` or `aborted` an attempt: out of every request, drawn as one dim line that unfolds. */
export type AssistantEntry = {
  readonly kind: "assistant"
  readonly message: AssistantMessage
  readonly attempt: number
  /** For an attempt: what follows it (`asked again`, nothing). */
  readonly again?: boolean
  readonly request?: RequestNote
}

/** What hooks changed of a request: of its messages, `remove` from the one at `at` on gave way to `insert`. */
export type ContextPatch = {
  readonly system?: string
  readonly at: number
  readonly remove: number
  readonly insert: readonly Message[]
}

/** How a request can be rebuilt: entries up to `to` from `from`, the prompt entry, and what the body was. */
export type RequestNote = {
  readonly from: number
  readonly to: number
  readonly prompt: number
  readonly model: string
  readonly thinking: ThinkingLevel
  readonly encoder: string
  readonly hash: string
  readonly bytes: number
  readonly patch?: ContextPatch
}

export const callOutcomes = ["done", "failed", "not started", "unknown", "reconciled", "aborted"] as const
export type CallOutcome = (typeof callOutcomes)[number]

export type ToolResultEntry = {
  readonly kind: "toolResult"
  readonly message: ToolResultMessage
  readonly task: number
  readonly outcome: CallOutcome
  readonly title: string
  readonly details?: Json
  /** Where the whole output is kept when the model got a part of it. `dropped`: it was, and is not any more; told, not stored. */
  readonly output?: { readonly path: string; readonly bytes: number; readonly dropped?: boolean }
  readonly durationMs: number
}

export type NoticeEntry = {
  readonly kind: "notice"
  readonly level: "info" | "warning" | "error"
  readonly code: string
  /** One sentence: what, where, what to do. */
  readonly text: string
}

/** The system prompt and the tools from here on. */
export type PromptEntry = {
  readonly kind: "prompt"
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[]
}

/** `only`: which of the two was chosen, where it was imported as a choice of its own. */
export type ModelEntry = {
  readonly kind: "model"
  readonly model: string
  readonly thinking: ThinkingLevel
  readonly only?: "model" | "thinking"
}

/** A command that the person ran with `!` or `!!` (`excluded`: not told to the model). */
export type ShellEntry = {
  readonly kind: "shell"
  readonly command: string
  readonly output: string
  readonly exit: number | null
  readonly excluded: boolean
  readonly durationMs: number
  readonly outcome?: CallOutcome
  /** Where the output is kept when `output` is a part of it. */
  readonly kept?: { readonly path: string; readonly bytes: number }
}

/** `branch`: the summary is of what was said in that conversation after the fork point, and nothing is cut. */
export type CompactionEntry = {
  readonly kind: "compaction"
  readonly summary: string
  readonly tokensBefore: number
  readonly branch?: number
}

/**
 * What a person took back of run `run`. It is a run of its own, named by this entry, and can be taken back in turn. `change` says by hash what
 * was replaced (null: no file), `hunks` which hunks of the run that was.
 */
export type UndoEntry = {
  readonly kind: "undo"
  readonly run: number
  /** What was taken back is an undo: the changes were made again. */
  readonly again?: true
  readonly files: readonly UndoneFile[]
  readonly refused: readonly Refused[]
  /** Commands that ran in the run: what they changed is not taken back. */
  readonly commands: number
}

export type UndoneFile = {
  readonly path: string
  readonly hunks: readonly string[]
  readonly added: number
  readonly removed: number
  readonly diff: string
  readonly change: {
    readonly path: string
    readonly before: string | null
    readonly after: string | null
    readonly mode: number | null
    readonly kept: boolean
  }
}

/**
 * What the line of an imported file said that an entry has no word for, so that it comes out again as it was: its id, and what differs from the
 * line that would be made of the entry, in the line and in its message.
 */
export type ImportedLine = { readonly id?: string; readonly line?: LineRest; readonly message?: LineRest }
export type LineRest = { readonly set: JsonObject; readonly without: readonly string[] }

type Imported = { readonly imported?: ImportedLine }

export type EntryData = Imported & AnyEntry

type AnyEntry =
  | UserEntry
  | AssistantEntry
  | ToolResultEntry
  | NoticeEntry
  | PromptEntry
  | ModelEntry
  | ShellEntry
  | CompactionEntry
  | UndoEntry

export const entryKinds = [
  "user",
  "assistant",
  "toolResult",
  "notice",
  "prompt",
  "model",
  "shell",
  "compaction",
  "undo",
] as const satisfies readonly EntryData["kind"][]

/** Lines of imported files that say what is said elsewhere here: names of sessions and of entries. They are kept to be told again, and not shown. */
export const silentKinds: ReadonlySet<string> = new Set(["?pi.label", "?pi.session_info"])

/** An entry as a client sees it; `data` of an unknown kind is whatever was stored. */
export type EntryRecord = {
  readonly id: number
  readonly conversation: number
  readonly at: number
  readonly byTask: number | null
  readonly data: EntryData | { readonly kind: `?${string}`; readonly value: JsonObject }
}

export type ConversationRecord = {
  readonly id: number
  readonly parent: { readonly conversation: number; readonly entry: number } | null
  readonly owner: { readonly conversation: number; readonly task: number } | null
}

export type TaskState = "pending" | "running" | "waiting" | "completing" | "ended"

/** A live task. A task that ended is sent once more with state `ended`; clients then forget it and what its progress built. */
export type TaskRecord = {
  readonly id: number
  readonly conversation: number
  readonly attempt: number
  readonly state: TaskState
  readonly startedAt: number
  readonly aborting: boolean
  /** The task that this one belongs to; with {@link ConversationRecord} `owner` these make the tree of all that works. */
  readonly owner?: number
  readonly work: GenerationWork | CallWork | ShellWork | { readonly kind: "other"; readonly name: string }
}

export type GenerationWork = {
  readonly kind: "generation"
  readonly phase: "prepare" | "request" | "retry" | "limit" | "tools"
  readonly model: string
  /** While it waits to ask again. `until` is wall-clock milliseconds. */
  readonly retry?: { readonly until: number; readonly attempt: number; readonly of: number; readonly error: string }
  /** While it waits for the person (`retryNow`), since the run has cost as much as it may: US dollars. */
  readonly limit?: { readonly cost: number; readonly of: number }
}

/** A command that the person runs. */
export type ShellWork = { readonly kind: "shell"; readonly command: string; readonly excluded: boolean }

export type CallWork = {
  readonly kind: "toolCall"
  readonly phase: "queued" | "prepare" | "execute"
  readonly callId: string
  readonly name: string
  readonly title: string
  readonly args: JsonObject
  /** The assistant entry that made the call. */
  readonly entry: number
}

export type SubmissionRecord = {
  readonly id: number
  readonly conversation: number
  readonly requestId: string
  readonly status: "queued" | "placed" | "done" | "unanswered" | "withdrawn"
  readonly mode: SubmitMode
  readonly content: readonly UserPart[]
  readonly entry: number | null
  readonly reason: string | null
}

/** Small typed state; `value` null says that it is gone. Conversation 0 is the session. */
export type DocumentRecord =
  | { readonly conversation: 0; readonly name: "session"; readonly value: SessionDocument }
  | { readonly conversation: number; readonly name: "agent"; readonly value: AgentDocument }
  | { readonly conversation: number; readonly name: "run"; readonly value: RunDocument | null }
  | { readonly conversation: number; readonly name: "usage"; readonly value: UsageDocument }
  | { readonly conversation: 0; readonly name: "labels"; readonly value: LabelsDocument }
  | { readonly conversation: number; readonly name: `screen/${string}`; readonly value: Json }

export type SessionDocument = {
  readonly title: string
  readonly folder: string
  readonly createdAt: number
  readonly archived?: boolean
  readonly tags?: readonly string[]
  /** A person or a model gave the title; else it is the first line of the first input. */
  readonly titled?: boolean
  /** The title is a command that the person ran before any input; the first input gives its own. */
  readonly provisional?: boolean
  readonly parent?: SessionParent
  /** What the header of an imported file said that is said nowhere else here. */
  readonly imported?: JsonObject
  /** What the folder is known by beside its path, once that is found out. */
  readonly identity?: FolderRecord
}

/** A folder as its file system knows it, and its place in a repository, which is known by its first commit. */
export type FolderRecord = {
  readonly device: number
  readonly inode: number
  readonly repository: { readonly firstCommit: string; readonly worktree: string; readonly inside: string } | null
}

/**
 * Where a session came from, which began as a copy: all up to `entry` was said in the conversation of that session, under the same ids.
 * An imported one has the name that it had elsewhere.
 */
export type SessionParent = {
  readonly how: "fork" | "salvage" | "import"
  readonly session: string
  readonly conversation: number
  readonly entry: number
}

/** What a person calls entries, by their ids. */
export type LabelsDocument = Readonly<Record<string, string>>

/** Choices of a conversation, in effect from the next request. `tools` are names. */
export type AgentDocument = {
  readonly model: string
  readonly thinking: ThinkingLevel
  readonly tools: readonly string[]
}

/** Present while a conversation is busy. `submissions` are the inputs that this run answers; `entry` is the first of them: the run's name. */
/** `costFrom`: what the conversation had cost when the run began, or when the person last let it go on; US dollars. */
export type RunDocument = {
  readonly costFrom?: number
  readonly entry: number
  readonly task: number
  readonly startedAt: number
  readonly turn: number
  readonly submissions: readonly number[]
}

/** `context` is the size of the newest request and its answer, in tokens. */
export type UsageDocument = {
  readonly total: Usage
  readonly context: number
  readonly contextEstimated: boolean
  readonly contextWindow: number | null
  readonly models: Readonly<Record<string, Usage>>
}
