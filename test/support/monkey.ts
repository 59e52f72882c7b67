/**
 * A monkey at the screen: keys of a keymap, commands, pastes, the mouse, sizes, and a host that says everything it may, in an order that a seed
 * gives. It says nothing of what is right; whoever lets it loose looks after each deed.
 */
import { printKeys } from "../../src/home/chord.ts"
import { commandNames } from "../../src/home/command-names.ts"
import { noUsage } from "../../src/message/usage.ts"
import type { AssistantMessage, AssistantPart } from "../../src/message/message.ts"
import { callOutcomes, type CallWork, type EntryRecord, type TaskRecord } from "../../src/protocol/records.ts"
import type { JsonObject } from "../../src/std/json.ts"
import type { Robot } from "./screen.ts"
import { builtInKeymapShelf } from "./screen-shelves.ts"
import { seeded } from "./seeded.ts"

const texts = [
  "hello",
  "日本語テキスト ไทย नमस्ते",
  "👩‍👩‍👧‍👦 family 🇩🇪 e\u0301",
  "a\tb\r\nc",
  "/model",
  "",
  "x".repeat(300),
  "x\n".repeat(60),
  "# Title\n\n- a\n  - b\n\n| a | 日本 |\n|---|---|\n| 1 | x |\n\n> quote\n",
  "```ts\nconst a = 1\n```\n```diff\n-a\n+b\n```",
  "\x1b]52;c;aGk=\x07\x1b[2J\x9b2J\x07\b\u202eevil\u200b",
] as const

const plainKeys =
  "enter escape tab backspace up down left right home end pageup pagedown ? / q y n j k g G 1 space".split(" ")

const values: readonly (JsonObject | undefined)[] = [
  undefined,
  {},
  { name: "none" },
  { name: 7 },
  { to: "left" },
  { to: "side" },
  { to: "visual" },
  { by: "line" },
  { do: "delete", over: "wordRight" },
  { entry: 3 },
  { entry: "x" },
  { direction: "forward", scope: "all" },
]

/** Commands that end or stop the screen, and those that a disk answers whenever it likes, are left to tests of their own. */
const avoided = /^(plan\.|app\.(suspend|quit|quitEmpty|detach|clear)$|prompt\.(complete|paste|external)$)/
const commands = Object.keys(commandNames).filter((name) => !avoided.test(name))

const tools = ["bash", "read", "edit", "grep", "nobody"] as const

function keysOf(keymap: string): readonly string[] {
  const found = builtInKeymapShelf.load(keymap)
  if (found === undefined) throw new Error(`there is no keymap ${keymap}`)
  return found.keymap.bindings
    .filter(({ run }) => !run.some(({ command }) => avoided.test(command)))
    .map(({ keys }) => printKeys(keys))
    .filter((keys) => keys !== "@")
}

export class Monkey {
  readonly #robot: Robot
  readonly #random: () => number
  readonly #keys: readonly string[]
  readonly #said = new Map<number, number>()
  #tasks: readonly TaskRecord[] = []

  constructor(robot: Robot, seed: number, keymap: string) {
    this.#robot = robot
    this.#random = seeded(seed)
    this.#keys = keysOf(keymap)
  }

  /** One deed; what it was, to be told where it went wrong. */
  async act(): Promise<string> {
    const robot = this.#robot
    const kind = this.#random()
    if (kind < 0.35) {
      const key = this.#pick(this.#random() < 0.7 ? this.#keys : plainKeys)
      return this.#done(`key ${key}`, robot.press(key))
    }
    if (kind < 0.4) return this.#done("paste", robot.paste(this.#pick(texts)))
    if (kind < 0.47) {
      const [columns, rows] = [this.#int(20, 180), this.#int(5, 60)]
      return this.#done(`resize ${columns}x${rows}`, robot.resize(columns, rows))
    }
    if (kind < 0.57) {
      const { columns, rows } = robot.state.size
      const at = `${this.#pick([0, 0, 2, 32, 64, 65])};${this.#int(1, columns)};${this.#int(1, rows)}`
      return this.#done(`mouse ${at}`, robot.bytes(`\x1b[<${at}${this.#pick(["M", "m"])}`))
    }
    if (kind < 0.73) {
      const [name, args] = [this.#pick(commands), this.#pick(values)]
      robot.screen.app.call(name, args)
      return this.#done(`command ${name} ${JSON.stringify(args)}`, robot.wait(1))
    }
    if (kind < 0.77) return this.#done("wait", robot.wait(this.#pick([0, 30, 400, 5_000])))
    const deeds = this.#hostDeeds()
    const name = this.#pick(Object.keys(deeds))
    deeds[name]?.()
    return this.#done(`host ${name}`, robot.draw())
  }

  async #done(what: string, work: Promise<void>): Promise<string> {
    await work
    return what
  }

  #int(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1))
  }

  #pick<T>(from: readonly T[]): T {
    const found = from[this.#int(0, from.length - 1)]
    if (found === undefined && from.length === 0) throw new Error("there is nothing to pick from")
    return found as T
  }

  #entry(data: EntryRecord["data"]): void {
    const { host, clock } = this.#robot
    const conversation = this.#pick(host.conversations).id
    const entry = { id: host.id(), conversation, at: clock.now(), byTask: null, data }
    host.entries = [...host.entries, entry]
    host.commit({ type: "entry", entry })
  }

  #assistant(content: readonly AssistantPart[], stopReason: AssistantMessage["stopReason"]): void {
    const about = { api: "tour", provider: "tour", model: "scripted", usage: noUsage, timestamp: 0 } as const
    this.#entry({ kind: "assistant", attempt: 1, message: { role: "assistant", content, stopReason, ...about } })
  }

  #progress(task: TaskRecord, text: string): void {
    const at = this.#said.get(task.id) ?? 0
    this.#said.set(task.id, at + Buffer.byteLength(text))
    this.#robot.host.say({ type: "progress", seq: 99, task: task.id, attempt: 1, at, text })
  }

  #args(): JsonObject {
    const text = this.#pick(texts)
    const edits = [{ oldText: text, newText: "b" }]
    return this.#pick<JsonObject>([{}, { command: text }, { path: text, edits }, { path: 7 }, { edits: "x" }])
  }

  /** An answer that comes in pieces, with a call whose arguments are not all there. */
  #stream(): void {
    const { host, clock } = this.#robot
    const known = this.#tasks.find(({ work }) => work.kind === "generation")
    const task = known ?? host.begin(clock.now())
    if (known === undefined) this.#tasks = [...this.#tasks, task]
    const delta = JSON.stringify(this.#args()).slice(0, this.#int(0, 60))
    const deltas = [
      { type: "thinking_start", contentIndex: 0 },
      { type: "thinking_delta", contentIndex: 0, delta: this.#pick(texts) },
      { type: "text_start", contentIndex: 1 },
      { type: "text_delta", contentIndex: 1, delta: this.#pick(texts) },
      { type: "toolcall_start", contentIndex: 2, id: "c1", toolName: this.#pick(tools) },
      { type: "toolcall_delta", contentIndex: 2, delta },
    ]
    const lines = deltas.slice(0, this.#int(1, deltas.length)).map((one) => `${JSON.stringify(one)}\n`)
    this.#progress(task, lines.join(""))
  }

  #call(): void {
    const about = { kind: "toolCall", phase: "execute", callId: "c1", entry: 1 } as const
    const work: CallWork = { ...about, name: this.#pick(tools), title: this.#pick(texts), args: this.#args() }
    this.#tasks = [...this.#tasks, this.#robot.host.task({ startedAt: this.#robot.clock.now(), work })]
  }

  #result(): void {
    const [id, toolName, text] = [`c${this.#int(1, 9)}`, this.#pick(tools), this.#pick(texts)]
    this.#assistant([{ type: "toolCall", id, name: toolName, arguments: this.#args() }], "toolUse")
    const content = [{ type: "text", text: this.#pick(texts) }] as const
    this.#entry({
      kind: "toolResult",
      message: { role: "toolResult", toolCallId: id, toolName, content, isError: false, timestamp: 0 },
      task: this.#robot.host.id(),
      outcome: this.#pick(callOutcomes),
      title: text,
      durationMs: 5,
      details: { path: text, diff: `@@ -1 +1 @@\n-${text}\n+b` },
    })
  }

  #fork(): void {
    const { host } = this.#robot
    const parent = { conversation: this.#pick(host.conversations).id, entry: host.entries.at(-1)?.id ?? 1 }
    const conversation = { id: host.id(), parent, owner: null }
    host.conversations = [...host.conversations, conversation]
    host.commit({ type: "conversation", conversation })
  }

  #hostDeeds(): Readonly<Record<string, () => void>> {
    const { host } = this.#robot
    const [text, more] = [this.#pick(texts), this.#pick(texts)]
    const running = this.#tasks.find(({ work }) => work.kind === "toolCall")
    return {
      input: () => this.#entry({ kind: "user", content: [{ type: "text", text }], submission: host.id() }),
      answer: () => this.#assistant([{ type: "text", text: `${text}\n\n${more}` }], "stop"),
      attempt: () => this.#assistant([{ type: "text", text }], "aborted"),
      stream: () => this.#stream(),
      call: () => this.#call(),
      output: () => (running === undefined ? undefined : this.#progress(running, `\x1b[31m${text}\r\n${more}\n`)),
      result: () => this.#result(),
      end: () => {
        for (const task of this.#tasks) host.finish(task)
        this.#tasks = []
      },
      notice: () => this.#entry({ kind: "notice", level: "warning", code: "c", text }),
      shell: () => this.#entry({ kind: "shell", command: text, output: more, exit: 1, excluded: false, durationMs: 3 }),
      compaction: () => this.#entry({ kind: "compaction", summary: text, tokensBefore: 12 }),
      unknown: () => this.#entry({ kind: "?thing", value: { text } }),
      fork: () => this.#fork(),
      queue: () => void host.submission(text, "steer"),
      health: () => host.say({ type: "health", health: { state: "waiting", reason: text } }),
      model: () => {
        host.model = `acme/${text}`
        host.say(host.snapshot())
      },
      snapshot: () => host.say(host.snapshot()),
      lose: () => host.lose(text),
    }
  }
}
