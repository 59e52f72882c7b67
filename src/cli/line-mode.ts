/**
 * The conversation on a terminal that cannot place text (TERM=dumb, or none): a prompt, streamed plain text, no escape sequence at all.
 *
 * - It is a client of a host like the full screen: what runs goes on when the terminal is lost, and a host that dies is started again.
 * - A line while the agent works steers it. Ctrl+C stops the run, or leaves when nothing runs.
 */
import { createInterface } from "node:readline"
import { cleanControls, cleanLine } from "../std/clean.ts"
import { systemClock } from "../std/clock.ts"
import { requestId, shortId } from "../std/id.ts"
import type { Answers, Command, Frame } from "../protocol/port.ts"
import type { AssistantEntry, EntryRecord, NoticeEntry, ShellEntry, ToolResultEntry } from "../protocol/records.ts"
import { thinkingLevels, type ThinkingLevel } from "../message/message.ts"
import { applyFrame, deltasOf, emptyView, runOf, sessionOf, type View } from "../protocol/view.ts"
import { Silence, silenceText, type SilenceLimits } from "./silence.ts"
import { LineHost, type LineHostOptions } from "./line-host.ts"

const conversation = 1

const help = `/model provider/id   change the model      /thinking level   off to max
/compact             summarize             /stop             stop the run
/name words          name the session      /session          which one this is
/continue            interrupted work      /quit             leave
!command             run a command         !!command         and do not tell the model
`

type Ask = <C extends Command>(command: C) => Promise<Answers[C["type"]]>

export class LineMode {
  readonly #ask: Ask
  readonly #write: (text: string) => void
  #view: View = emptyView
  #column = 0
  #greeted = false
  /** Id of the newest entry that was told. */
  #seen = 0

  constructor(ask: Ask, write: (text: string) => void) {
    this.#ask = ask
    this.#write = write
  }

  get view(): View {
    return this.#view
  }

  get busy(): boolean {
    return this.#view.tasks.size > 0 || runOf(this.#view, conversation) !== undefined
  }

  hear(frame: Frame): void {
    const before = this.#view
    this.#view = applyFrame(before, frame)
    if (frame.type === "snapshot") this.#snapshot()
    if (frame.type === "progress") this.#progress(frame.task, frame.text)
    if (frame.type === "commit") {
      for (const change of frame.changes) if (change.type === "entry") this.#entry(change.entry)
    }
    if (frame.type === "settled") this.prompt()
  }

  prompt(): void {
    if (this.#column > 0) this.#print("\n")
    this.#print("> ")
  }

  /** A sentence that is no part of the conversation. */
  told(text: string): void {
    this.#line(`[${text}]`)
  }

  /** Carry out one line; false when the person leaves. */
  async line(text: string): Promise<boolean> {
    // The person's own Enter ended the row.
    this.#column = 0
    if (text.trim() === "/quit") return false
    let works = false
    try {
      works = text.trim() !== "" && !(await this.#obey(text))
      if (works) await this.#work(text)
    } catch (error) {
      works = false
      this.#line(error instanceof Error ? error.message : String(error))
    }
    // The end of all work is told, and the prompt comes then. What could not be begun has no end.
    if (!works && !this.busy) this.prompt()
    return true
  }

  /** A command for the shell, or an input. */
  async #work(text: string): Promise<void> {
    if (text.startsWith("!")) {
      const excluded = text.startsWith("!!")
      await this.#ask({ type: "shell", conversation, command: text.slice(excluded ? 2 : 1), excluded })
      return
    }
    const content = [{ type: "text" as const, text }]
    await this.#ask({ type: "submit", conversation, requestId: requestId(), content, mode: "steer" })
  }

  /** Carries out a command of these lines; false where `text` is none. */
  async #obey(text: string): Promise<boolean> {
    const [word = "", ...rest] = text.trim().split(/\s+/)
    const argument = rest.join(" ")
    const known: Readonly<Record<string, () => unknown>> = {
      "/help": () => this.#print(help),
      "/stop": () => this.#ask({ type: "abort", conversation }),
      "/compact": () => this.#ask({ type: "compact", conversation, focus: argument }),
      "/continue": () => this.#ask({ type: "resume" }),
      "/name": () => this.#ask({ type: "title", title: argument }),
      "/session": () => this.#about(),
      "/model": () => this.#model(argument),
      "/thinking": () => this.#thinking(argument),
    }
    const command = Object.hasOwn(known, word) ? known[word] : undefined
    if (command === undefined) return false
    await command()
    return true
  }

  #about(): void {
    const session = sessionOf(this.#view)
    const id = this.#view.session === "" ? "not begun" : shortId(this.#view.session)
    this.#line([id, session?.title ?? "", session?.folder ?? ""].filter((one) => one !== "").join("  "))
  }

  async #model(name: string): Promise<void> {
    if (name !== "") {
      const { notice } = await this.#ask({ type: "configure", conversation, model: name })
      if (notice !== undefined) this.#line(notice)
      return
    }
    const models = await this.#ask({ type: "models" })
    this.#line(models.flatMap((model) => (model.ready ? [model.name] : [])).join("\n"))
  }

  async #thinking(level: string): Promise<void> {
    if (!(thinkingLevels as readonly string[]).includes(level)) {
      return this.#line(`There is no thinking level ${level}: give one of ${thinkingLevels.join(", ")}.`)
    }
    await this.#ask({ type: "configure", conversation, thinking: level as ThinkingLevel })
  }

  /** What was said last, for somebody who comes back; what is being said goes on below it. */
  #snapshot(): void {
    const answers = this.#view.entries.filter((entry) => entry.data.kind === "assistant")
    // The first time what was said last; later what was said while the host was away.
    const told = this.#greeted ? answers.filter(({ id }) => id > this.#seen) : answers.slice(-1)
    for (const { data } of told) this.#line(answerOf(data as AssistantEntry))
    this.#greeted = true
    this.#seen = Math.max(this.#seen, this.#view.entries.at(-1)?.id ?? 0)
    for (const [task, progress] of this.#view.progress) {
      if (progress.kind !== "generation" || this.#view.tasks.get(task)?.conversation !== conversation) continue
      this.#line(progress.partial.parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join(""))
    }
  }

  #progress(task: number, text: string): void {
    if (this.#view.tasks.get(task)?.work.kind !== "generation") return
    for (const delta of deltasOf(text)) if (delta.type === "text_delta") this.#print(delta.delta)
  }

  #entry(entry: EntryRecord): void {
    const { data } = entry
    this.#seen = Math.max(this.#seen, entry.id)
    if (data.kind === "toolResult") {
      const { title, outcome, message } = data as ToolResultEntry
      this.told(`${message.toolName} ${cleanLine(title)}: ${outcome}`)
    }
    if (data.kind === "assistant") {
      const { errorMessage } = (data as AssistantEntry).message
      if (errorMessage !== undefined) this.told(errorMessage)
    }
    if (data.kind === "shell") this.#line((data as ShellEntry).output.trimEnd())
    if (data.kind === "notice") this.told((data as NoticeEntry).text)
  }

  #line(text: string): void {
    if (this.#column > 0) this.#print("\n")
    if (text !== "") this.#print(`${text}\n`)
  }

  #print(text: string): void {
    const shown = cleanControls(text)
    if (shown === "") return
    this.#write(shown)
    this.#column = shown.length - (shown.lastIndexOf("\n") + 1)
  }
}

function answerOf({ message }: AssistantEntry): string {
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

export type LinesOptions = Pick<LineHostOptions, "choice" | "connect"> & {
  readonly prompt: string
  /** How long a silence of a model is borne, as of now. */
  limits(): SilenceLimits
}

/** Talk until the person leaves or the input ends; the view as it then is. Throws where there is no host at the start. */
export async function runLines(options: LinesOptions): Promise<View> {
  const mode = new LineMode(
    (command) => host.ask(command),
    (text) => process.stdout.write(text),
  )
  const silence = new Silence(systemClock, options.limits, (silent) => mode.told(silenceText(silent)))
  const host = new LineHost({
    clock: systemClock,
    choice: options.choice,
    connect: (choice) => options.connect(choice),
    hear(frame) {
      mode.hear(frame)
      silence.hear(frame, mode.view)
    },
    problem(text) {
      mode.told(text)
      if (!mode.busy) mode.prompt()
    },
  })
  await host.reach()
  const lines = createInterface({ input: process.stdin, terminal: false })
  const interrupt = (): void => {
    if (mode.busy) void mode.line("/stop")
    else lines.close()
  }
  process.on("SIGINT", interrupt)
  try {
    if (options.prompt === "") mode.prompt()
    else await mode.line(options.prompt)
    for await (const line of lines) if (!(await mode.line(line))) break
    return mode.view
  } finally {
    process.off("SIGINT", interrupt)
    lines.close()
    silence.stop()
    await host.close()
  }
}
