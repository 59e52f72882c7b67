/**
 * The content of a response while it is built, and the deltas that tell of it. All decoders write through this.
 *
 * - Text and reasoning are open one at a time: a piece of another kind ends the open one. Calls may be open together and end with the response.
 * - A call is told of when its name is known. Its final id and arguments are settled at its end; ids are unique within a response.
 */
import { isObject, parseJson, type Json, type JsonObject } from "../std/json.ts"
import type { Delta } from "../message/delta.ts"
import type { AssistantPart, TextPart, ThinkingPart, ToolCallPart } from "../message/message.ts"

type OpenText = { kind: "text"; text: string; signature?: string }
type OpenThinking = { kind: "thinking"; text: string; signature?: string; redacted?: boolean }
type OpenCall = { kind: "call"; id: string; name: string; text: string; signature?: string; told: boolean }
type Open = OpenText | OpenThinking | OpenCall

/** Raw line ends and tabs inside strings are the one fault of JSON that models make and that has only one reading. */
function escapeControls(text: string): string {
  const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (string) =>
    string.replace(/[\n\r\t]/g, (letter) => names[letter] ?? ""),
  )
}

/** Proxies of Anthropic's format send the empty input of a call's start before its arguments. */
const emptyBefore = /^\s*\{\s*\}\s*(?=\{)/

/** Deeper than any tool's arguments; what copies, checks and stores a value calls itself for each level, and must not run out of stack. */
const depthMax = 64

function isDeep(value: Json | undefined, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false
  return depth === depthMax || Object.values(value).some((inner: Json | undefined) => isDeep(inner, depth + 1))
}

/**
 * The arguments of a call, or undefined where the text is not one whole object, or one that is nested without end. Nothing that was cut is ever
 * completed.
 */
export function parseArguments(text: string): JsonObject | undefined {
  const args = parsedObject(text)
  return isDeep(args) ? undefined : args
}

function parsedObject(text: string): JsonObject | undefined {
  if (text.trim() === "") return {}
  const value = parseJson(text) ?? parseJson(escapeControls(text.replace(emptyBefore, "")))
  if (value === null) return {}
  if (isObject(value)) return value
  const inner = typeof value === "string" ? parseJson(value) : undefined
  return isObject(inner) ? inner : undefined
}

function textPart(open: OpenText): TextPart {
  const part: TextPart = { type: "text", text: open.text }
  return open.signature === undefined ? part : { ...part, textSignature: open.signature }
}

function thinkingPart(open: OpenThinking): ThinkingPart {
  const part: ThinkingPart = { type: "thinking", thinking: open.text }
  const signed = open.signature === undefined ? part : { ...part, thinkingSignature: open.signature }
  return open.redacted === true ? { ...signed, redacted: true } : signed
}

function callPart(open: OpenCall): ToolCallPart {
  const args = parseArguments(open.text)
  const part: ToolCallPart = { type: "toolCall", id: open.id, name: open.name, arguments: args ?? {} }
  const judged = args === undefined ? { ...part, argumentsError: open.text } : part
  return open.signature === undefined ? judged : { ...judged, thoughtSignature: open.signature }
}

export class Parts {
  readonly #parts: Open[] = []
  /** The open text or reasoning, by place. */
  #current: number | undefined
  readonly #ended = new Map<number, AssistantPart>()

  /** The reasoning or text that is open, ended. */
  close(): readonly Delta[] {
    const place = this.#current
    this.#current = undefined
    return place === undefined ? [] : this.#end(place)
  }

  text(delta: string): readonly Delta[] {
    return this.#append("text", delta)
  }

  thinking(delta: string, signature?: string): readonly Delta[] {
    const deltas = this.#append("thinking", delta)
    const open = this.#current === undefined ? undefined : this.#parts[this.#current]
    if (open?.kind === "thinking" && signature !== undefined) open.signature = signature
    return deltas
  }

  /** What the provider wants back with the open text or reasoning; opens reasoning where nothing is open. */
  sign(signature: string): readonly Delta[] {
    const deltas = this.#current === undefined ? this.#append("thinking", "") : []
    const open = this.#parts[this.#current ?? -1]
    if (open !== undefined) open.signature = (open.signature ?? "") + signature
    return deltas
  }

  /** What the provider wants back with its first reasoning, where that is known only at the end. */
  signFirstThinking(signature: string): readonly Delta[] {
    const place = this.#parts.findIndex((open) => open.kind === "thinking")
    return place < 0 ? this.thinking("", signature) : this.resign(place, signature)
  }

  /** Another signature for a part, which is told again if it had ended. */
  resign(place: number, signature: string): readonly Delta[] {
    const open = this.#parts[place]
    if (open === undefined) return []
    open.signature = signature
    return this.#ended.has(place) ? this.#end(place) : []
  }

  /** A part of its own that no other piece may join: text or reasoning with what the provider wants back on just that. */
  signed(
    kind: "text" | "thinking",
    text: string,
    signature: string,
  ): { readonly place: number; readonly deltas: readonly Delta[] } {
    const deltas = [...this.close(), ...this.#append(kind, text)]
    const place = this.#parts.length - 1
    const open = this.#parts[place]
    if (open !== undefined) open.signature = signature
    return { place, deltas: [...deltas, ...this.close()] }
  }

  /** The place of the text or reasoning that is open. */
  get open(): number | undefined {
    return this.#current
  }

  /** Reasoning that comes whole and may not be shown. */
  redacted(data: string): readonly Delta[] {
    const closed = this.close()
    this.#parts.push({ kind: "thinking", text: "", signature: data, redacted: true })
    const place = this.#parts.length - 1
    return [...closed, { type: "thinking_start", contentIndex: place }, ...this.#end(place)]
  }

  /** What was told as text turns out to have been reasoning: it ends as such, at its place. */
  textWasThinking(): readonly Delta[] {
    const place = this.#current
    const open = place === undefined ? undefined : this.#parts[place]
    if (place === undefined || open?.kind !== "text") return []
    this.#parts[place] = { kind: "thinking", text: open.text }
    return this.close()
  }

  /** A new call; the number names it in {@link call}. */
  startCall(): { readonly call: number; readonly deltas: readonly Delta[] } {
    const deltas = this.close()
    this.#parts.push({ kind: "call", id: "", name: "", text: "", told: false })
    return { call: this.#parts.length - 1, deltas }
  }

  /** More of a call. `args` is appended. */
  call(
    place: number,
    more: { readonly id?: string; readonly name?: string; readonly args?: string; readonly signature?: string },
  ): readonly Delta[] {
    const open = this.#parts[place]
    if (open?.kind !== "call" || this.#ended.has(place)) return []
    if (more.id) open.id = more.id
    if (more.name) open.name = more.name
    if (more.signature) open.signature = more.signature
    const before = open.text
    open.text += more.args ?? ""
    if (open.name === "") return []
    const deltas: Delta[] = []
    if (!open.told) deltas.push({ type: "toolcall_start", contentIndex: place, id: open.id, toolName: open.name })
    const delta = open.told ? (more.args ?? "") : before + (more.args ?? "")
    open.told = true
    if (delta !== "") deltas.push({ type: "toolcall_delta", contentIndex: place, delta })
    return deltas
  }

  /** The whole arguments, where the format gives them at the end: they rule over what was streamed. */
  settleArguments(place: number, args: string): void {
    const open = this.#parts[place]
    if (open?.kind === "call") open.text = args
  }

  endCall(place: number): readonly Delta[] {
    return this.#ended.has(place) ? [] : this.#end(place)
  }

  /** Ends all that is open. Calls with neither name nor arguments were placeholders, and go. */
  finish(): { readonly content: readonly AssistantPart[]; readonly deltas: readonly Delta[] } {
    const deltas = [...this.close()]
    for (const place of this.#parts.keys()) if (!this.#ended.has(place)) deltas.push(...this.#end(place))
    const content = [...this.#ended.entries()].sort(([a], [b]) => a - b).map(([, part]) => part)
    return {
      content: content.filter((part) => part.type !== "text" || part.text !== "" || part.textSignature !== undefined),
      deltas,
    }
  }

  #append(kind: "text" | "thinking", delta: string): readonly Delta[] {
    const deltas: Delta[] = []
    if (this.#parts[this.#current ?? -1]?.kind !== kind) {
      deltas.push(...this.close())
      this.#parts.push({ kind, text: "" })
      this.#current = this.#parts.length - 1
      deltas.push({ type: `${kind}_start`, contentIndex: this.#current })
    }
    const place = this.#current ?? 0
    const open = this.#parts[place]
    if (open !== undefined) open.text += delta
    if (delta !== "") deltas.push({ type: `${kind}_delta`, contentIndex: place, delta })
    return deltas
  }

  #end(place: number): readonly Delta[] {
    const open = this.#parts[place]
    if (open === undefined) return []
    if (open.kind === "text") {
      const part = textPart(open)
      this.#ended.set(place, part)
      return [{ type: "text_end", contentIndex: place, part }]
    }
    if (open.kind === "thinking") {
      const part = thinkingPart(open)
      this.#ended.set(place, part)
      return [{ type: "thinking_end", contentIndex: place, part }]
    }
    if (open.name === "" && open.text.trim() === "") return []
    open.name ||= "unknown"
    const start: readonly Delta[] = open.told ? [] : this.call(place, {})
    open.id = this.#freeId(open.id === "" ? `call_${place + 1}` : open.id)
    const part = callPart(open)
    this.#ended.set(place, part)
    return [...start, { type: "toolcall_end", contentIndex: place, part }]
  }

  #freeId(id: string): string {
    const taken = new Set([...this.#ended.values()].flatMap((part) => (part.type === "toolCall" ? [part.id] : [])))
    let free = id
    for (let count = 2; taken.has(free); count++) free = `${id}_${count}`
    return free
  }
}
