/**
 * The conversation on a terminal that cannot place text (TERM=dumb, or none): a prompt, streamed plain text, no escape sequence at all.
 *
 * - It is a client of a host like the full screen: what runs goes on when the terminal is lost.
 * - A line while the agent works steers it. Ctrl+C stops the run, or leaves when nothing runs.
 */
import { createInterface } from "node:readline"
import { cleanControls, cleanLine } from "../std/clean.ts"
import { requestId } from "../std/id.ts"
import { Refusal, type Frame, type Port } from "../protocol/port.ts"
import type { EntryRecord, ToolResultEntry } from "../protocol/records.ts"
import { thinkingLevels, type ThinkingLevel } from "../message/message.ts"
import { applyFrame, deltasOf, emptyView, runOf, type View } from "../protocol/view.ts"

const conversation = 1

const help = `/model provider/id   change the model      /thinking level   off to max
/compact             summarize             /stop             stop the run
/quit                leave                 !command          run a command
`

export class LineMode {
  readonly #port: Port
  readonly #write: (text: string) => void
  #view: View = emptyView
  #column = 0

  constructor(port: Port, write: (text: string) => void) {
    this.#port = port
    this.#write = write
  }

  get busy(): boolean {
    return this.#view.tasks.size > 0 || runOf(this.#view, conversation) !== undefined
  }

  hear(frame: Frame): void {
    const before = this.#view
    this.#view = applyFrame(before, frame)
    if (frame.type === "progress") this.#progress(frame.task, frame.text)
    if (frame.type === "commit") {
      for (const change of frame.changes) if (change.type === "entry") this.#entry(change.entry)
    }
    if (frame.type === "settled") this.prompt()
    if (frame.type === "lost") this.#line(`[${frame.reason}]`)
  }

  prompt(): void {
    if (this.#column > 0) this.#print("\n")
    this.#print("> ")
    this.#column = 0
  }

  /** Carry out one line; false when the person leaves. */
  async line(text: string): Promise<boolean> {
    try {
      if (text.trim() === "/quit") return false
      await this.#obey(text)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#line(error.message)
    }
    if (!this.busy) this.prompt()
    return true
  }

  async #obey(text: string): Promise<void> {
    const [word = "", ...rest] = text.trim().split(/\s+/)
    const argument = rest.join(" ")
    if (word === "") return
    if (word === "/help") return this.#print(help)
    if (word === "/stop") return void (await this.#port.request({ type: "abort", conversation }))
    if (word === "/compact") return void (await this.#port.request({ type: "compact", conversation, focus: argument }))
    if (word === "/model") {
      const { notice } = await this.#port.request({ type: "configure", conversation, model: argument })
      if (notice !== undefined) this.#line(notice)
      return
    }
    if (word === "/thinking") return this.#thinking(argument)
    if (text.startsWith("!")) return this.#shell(text)
    const content = [{ type: "text" as const, text }]
    await this.#port.request({ type: "submit", conversation, requestId: requestId(), content, mode: "steer" })
  }

  async #thinking(level: string): Promise<void> {
    if (!(thinkingLevels as readonly string[]).includes(level)) {
      return this.#line(`There is no thinking level ${level}: give one of ${thinkingLevels.join(", ")}.`)
    }
    await this.#port.request({ type: "configure", conversation, thinking: level as ThinkingLevel })
  }

  async #shell(text: string): Promise<void> {
    const excluded = text.startsWith("!!")
    const command = text.slice(excluded ? 2 : 1)
    const { output } = await this.#port.request({ type: "shell", conversation, command, excluded })
    this.#line(output)
  }

  #progress(task: number, text: string): void {
    if (this.#view.tasks.get(task)?.work.kind !== "generation") return
    for (const delta of deltasOf(text)) if (delta.type === "text_delta") this.#print(delta.delta)
  }

  #entry(entry: EntryRecord): void {
    const { data } = entry
    if (data.kind === "toolResult") {
      const { title, outcome, message } = data as ToolResultEntry
      this.#line(`[${message.toolName} ${cleanLine(title)}: ${outcome}]`)
    }
    if (data.kind === "assistant" && "message" in data) {
      const { errorMessage } = data.message as { errorMessage?: string }
      if (errorMessage !== undefined) this.#line(`[${errorMessage}]`)
    }
    if (data.kind === "notice" && "text" in data) this.#line(`[${String(data.text)}]`)
  }

  #line(text: string): void {
    if (this.#column > 0) this.#print("\n")
    this.#print(`${text}\n`)
  }

  #print(text: string): void {
    const shown = cleanControls(text)
    if (shown === "") return
    this.#write(shown)
    this.#column = shown.length - (shown.lastIndexOf("\n") + 1)
  }
}

/** Talk until the person leaves or the input ends. */
export async function runLines(port: Port, prompt: string | undefined): Promise<number> {
  const mode = new LineMode(port, (text) => process.stdout.write(text))
  const unwatch = port.watch((frame) => mode.hear(frame))
  const lines = createInterface({ input: process.stdin, terminal: false })
  const interrupt = (): void => {
    if (mode.busy) void mode.line("/stop")
    else lines.close()
  }
  process.on("SIGINT", interrupt)
  try {
    if (prompt === undefined || prompt === "") mode.prompt()
    else await mode.line(prompt)
    for await (const line of lines) if (!(await mode.line(line))) break
    return 0
  } finally {
    process.off("SIGINT", interrupt)
    lines.close()
    unwatch()
    await port.close()
  }
}
