/**
 * What a conversation looks like, as a list: one block for each thing that was said, thought, done or is going on.
 *
 * - A block is a value: it is the same object for as long as nothing that it shows has changed, so rows are kept by identity.
 * - Its key is the same from the first streamed character to the settled entry, so that a reader's place, folds and choices stay.
 * - Text in a block is as it came: whoever turns it into lines cleans it.
 */
import type { CallOutcome, ToolResultEntry } from "../../protocol/records.ts"
import type { JsonObject } from "../../std/json.ts"
import type { RowBlock } from "../rows/content.ts"

export type CallState = "writing" | "queued" | "running" | CallOutcome

export type BlockData =
  | { readonly kind: "input"; readonly text: string; readonly images: readonly string[] }
  | { readonly kind: "answer"; readonly text: string; readonly streaming: boolean }
  | { readonly kind: "thinking"; readonly text: string; readonly streaming: boolean; readonly redacted: boolean }
  | {
      readonly kind: "call"
      readonly name: string
      readonly title: string
      readonly state: CallState
      readonly args: JsonObject
      /** The task that runs it, for the panel that shows its output; null before there is one. */
      readonly task: number | null
      /** What it has printed so far, and whether some of that is not on disk. */
      readonly output: string
      readonly unsaved: boolean
      readonly result: ToolResultEntry | null
      /** Whole seconds that it has been running; null once it has ended. */
      readonly seconds: number | null
    }
  | {
      readonly kind: "attempt"
      readonly aborted: boolean
      readonly reason: string
      readonly at: number
      readonly tokens: number
      readonly again: boolean
      readonly text: string
    }
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
  | {
      readonly kind: "retry"
      readonly seconds: number
      readonly attempt: number
      readonly of: number
      readonly error: string
    }
  | { readonly kind: "working"; readonly what: string; readonly seconds: number }
  /** `branch`: the conversation that was left, of which it is the summary; null where it stands for what was said before it here. */
  | {
      readonly kind: "compaction"
      readonly summary: string
      readonly tokensBefore: number
      readonly branch: number | null
    }
  | {
      readonly kind: "shell"
      readonly command: string
      readonly output: string
      readonly exit: number | null
      readonly excluded: boolean
      readonly durationMs: number
      readonly outcome?: CallOutcome
      /** While it runs. */
      readonly seconds?: number
    }
  | { readonly kind: "queued"; readonly text: string; readonly steer: boolean; readonly submission: number }
  | { readonly kind: "model"; readonly model: string; readonly thinking: string }
  | { readonly kind: "unknown"; readonly name: string; readonly value: JsonObject }

/** `entry` is the transcript entry that it comes from, null while there is none; `turn`: a response of the model begins with it. */
export type Block = RowBlock & { readonly entry: number | null; readonly turn: boolean } & BlockData

export type BlockKind = BlockData["kind"]
export type BlockOf<K extends BlockKind> = Extract<Block, { readonly kind: K }>

/** Groups that are folded and unfolded together. */
export const foldGroups = ["call", "thinking", "detail"] as const

const groups: Partial<Record<BlockKind, (typeof foldGroups)[number]>> = {
  call: "call",
  shell: "call",
  thinking: "thinking",
  attempt: "detail",
  compaction: "detail",
  unknown: "detail",
}

/** Kinds that stand close together when they follow each other. */
const close: readonly BlockKind[] = ["call", "attempt", "notice", "queued", "model"]

type Origin = { readonly key: string; readonly entry: number | null; readonly turn?: boolean }

export function makeBlock({ key, entry, turn = false }: Origin, before: BlockKind | null, data: BlockData): Block {
  const group = groups[data.kind] ?? null
  return {
    key,
    entry,
    turn,
    gap: before === data.kind && close.includes(data.kind) ? 0 : 1,
    group,
    folded: group !== null,
    prompt: data.kind === "input",
    size: sizeOf(data),
    ...data,
  }
}

function sizeOf(data: BlockData): number {
  switch (data.kind) {
    case "input":
    case "answer":
    case "notice":
    case "queued":
      return data.text.length
    default:
      return 0
  }
}

/** `fresh`, or `old` where it says the same. */
export function keepBlock(old: Block | undefined, fresh: Block): Block {
  if (old === undefined || old.kind !== fresh.kind) return fresh
  const keys = Object.keys(fresh) as (keyof Block)[]
  return keys.every((key) => sameValue(old[key], fresh[key])) ? old : fresh
}

function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, place) => one === b[place])
  return a === b
}
