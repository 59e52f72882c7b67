/**
 * What a scripted model says, and what it is told of the conversation so far.
 *
 * - A reply is data. A script is a list of replies, used in order, or a function of the request; for tests that kill and resume, the
 *   function must look at the request alone and never count, since a resumed agent asks again.
 * - Call ids come from the history (`call_<calls so far + place>`), so that the same conversation always gets the same ids.
 */
import type { Json, JsonObject } from "../../src/std/json.ts"

export type Format = "completions" | "anthropic" | "responses" | "google"

/** `args` as text is sent as it is, valid or not; `id` and `name` as given. */
export type ScriptedCall = { readonly name: string; readonly args?: JsonObject | string; readonly id?: string }

export type ScriptedUsage = {
  /** Uncached input. */
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** A piece of streamed text, or a wait: for milliseconds of the real clock (end-to-end tests), or for a promise (all others). */
export type Piece = string | { readonly delayMs: number } | { readonly until: Promise<unknown> }

/**
 * An answer. `text` and `thinking` may come in pieces; a plain string is cut into `chunks` pieces (default 3).
 * `hang: "mid"` sends everything but the end and stays silent; `reset: "mid"` and `cut: "mid"` break the connection there (`cut` is a body with
 * no last chunk); `cutWithoutEnd` ends the HTTP body cleanly with no terminal event. `usage: null` sends none.
 * `splitAt` writes that many bytes at a time, `together` all that is not separated by a wait at once. `args` is how arguments come: in pieces
 * (default), whole, whole and once more at the end, or with no index (the last two: completions alone). `failed` is an error inside the stream
 * instead of its end. `finish` replaces the format's own finish reason; "length" means the same in all of them.
 */
export type Answer = {
  readonly text?: string | readonly Piece[]
  readonly thinking?: string | readonly Piece[]
  /** The field that completions put reasoning in. */
  readonly thinkingField?: string
  readonly toolCalls?: readonly ScriptedCall[]
  readonly finish?: string
  readonly usage?: ScriptedUsage | null
  readonly chunks?: number
  readonly delayMs?: number
  readonly splitAt?: number
  readonly together?: boolean
  readonly args?: "pieces" | "whole" | "repeated" | "no-index"
  readonly failed?: { readonly type: string; readonly message: string; readonly status?: number }
  readonly hang?: "mid"
  readonly reset?: "mid"
  readonly cut?: "mid"
  readonly cutWithoutEnd?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Waited for before the first byte. */
  readonly until?: Promise<unknown>
}

export type Failure = {
  readonly status: number
  readonly body?: Json | string
  readonly headers?: Readonly<Record<string, string>>
}

/** `raw`: the body in these pieces, each its own write; `end` false leaves the connection open after them. */
export type Raw = {
  readonly raw: readonly (string | Uint8Array | { readonly until: Promise<unknown> })[]
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly end?: boolean
}

export type Reply =
  | Answer
  | Failure
  | Raw
  | { readonly hang: "before-headers" | "after-headers" }
  | { readonly reset: "before-headers" | "after-headers" }

/** One message of a request, the same for all formats. `callId` is set on a tool's result. */
export type Said = {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly text: string
  readonly images: number
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
  readonly callId?: string
}

/** `n` counts from 0 over the life of the server. `closed` resolves when the connection goes: what an abort looks like from here. */
export type ModelRequest = {
  readonly n: number
  readonly format: Format
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly bodyText: string
  readonly model: string
  readonly said: readonly Said[]
  readonly tools: readonly string[]
  /** Text of the last message of the user. */
  readonly lastUser: string
  /** Results of tools since the last message of the user. */
  readonly results: readonly Said[]
  readonly violations: readonly string[]
  readonly closed: Promise<void>
}

export type Script = readonly Reply[] | ((request: ModelRequest, n: number) => Reply | Promise<Reply>)
