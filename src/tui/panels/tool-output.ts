/**
 * One call in full: the one that was chosen, else the newest. Its output has a scrollback and a search of its own.
 *
 * - A running call is followed to its end. One that was cut for the model is fetched from what the host kept of it, a piece at a time.
 * - Raw, it is what it was: the arguments and the bytes, escape sequences to be read.
 * - What is not plain output (a diff, a file that was read) looks as it does in the conversation, unfolded.
 */
import type { ToolResultEntry } from "../../protocol/records.ts"
import { clean, cleanLine } from "../../std/clean.ts"
import { isObject, type Json } from "../../std/json.ts"
import { makeBlock, type BlockOf } from "../blocks/block.ts"
import { callContent, headLine, outputTextOf } from "../blocks/call.ts"
import type { Content, RowBlock } from "../rows/content.ts"
import { span, textLine } from "../rows/row.ts"
import type { RowView } from "../viewport/row-view.ts"
import { HeldOutput } from "./output-held.ts"
import { outputContent, rawContent, type OutputBlock } from "./output-text.ts"
import type { HeldPart, Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { panelRows, readingCommands } from "./reading.ts"
import { argsOf, nextCall, targetTask, toolTarget, type ToolTarget } from "./tool-target.ts"

type ToolBlock = (OutputBlock & { readonly kind: "lines" }) | (RowBlock & ToolHead)
type ToolHead = {
  readonly kind: "call"
  readonly call: BlockOf<"call">
  /** Drawn whole, as in the conversation: a diff, a file that was read. */
  readonly whole: boolean
  readonly silent: boolean
  /** The arguments, where the call is shown as it was. */
  readonly raw: string | null
}

const notKept = "it is not kept any more; of a session's outputs the newest are, up to a limit"

export type ToolPanel = Panel & {
  /** Stay with one call; null goes on with the newest. `at`: a byte of its output that has to be there. */
  show(task: number | null, at?: number): void
}

export function openToolOutput(host: PanelHost): ToolPanel {
  return new ToolOutput(host)
}

class ToolOutput implements ToolPanel {
  readonly id = "tool"
  readonly contexts = ["panel.tool", "panel"]
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #rows: RowView<ToolBlock>
  readonly #unwatch: () => void
  #held = this.#newHeld()
  #chosen: number | null = null
  #wanted: number | null = null
  #target: ToolTarget | null = null
  #input: PanelInput | null = null
  #size = { width: 40, height: 10 }
  #raw = false
  #lines: readonly ToolBlock[] = []
  #linesOf: readonly OutputBlock[] = []
  constructor(host: PanelHost) {
    this.#host = host
    this.#rows = panelRows<ToolBlock>(host, {
      content: (block) => this.#content(block),
      followMs: host.followMs,
      changed: () => this.#moved(),
      atStart: () => this.#held.older(),
    })
    this.#unwatch = host.highlighter.watch(() => this.#rows.refresh())
    this.commands = {
      ...readingCommands(this.#rows, host),
      "scroll.top": () => this.#held.toStart() || this.#rows.toTop(),
      "scroll.bottom": () => this.#held.toEnd() || this.#rows.toBottom(),
      "block.edit": () => this.#edit(),
      "output.show": (args) => this.#showOutput(args),
      "output.reach": (args) => this.#reach(args),
      "output.raw": () => this.#toggleRaw(),
      "output.pager": () => this.#page(),
      "output.older": () => this.#step(-1),
      "output.newer": () => this.#step(1),
    }
  }

  get node() {
    return this.#rows.node
  }

  get reader() {
    return this.#rows
  }

  get empty(): boolean {
    return this.#target === null
  }

  title(): string {
    const target = this.#target
    if (target === null) return "output"
    const [name, what] =
      target.kind === "running"
        ? [target.task.work.name, target.task.work.title]
        : [target.data.message.toolName, target.data.title]
    return cleanLine(`${this.#raw ? "raw: " : ""}${name} ${what}`)
  }

  part(): HeldPart | null {
    const { stretch } = this.#held
    return stretch === null || this.#target === null ? null : { task: targetTask(this.#target), ...stretch }
  }

  show(task: number | null, at?: number): void {
    this.#chosen = task
    this.#wanted = at ?? null
    if (this.#input !== null) this.update(this.#input)
    // The name over the panel, and what follows of there being something to show, are others' to draw.
    this.#host.changed()
  }

  /** Makes a byte of a call's output be there. */
  #reach(args: Json | undefined): boolean {
    const { task, at } = isObject(args) ? args : {}
    if (typeof task !== "number") return false
    this.show(task, typeof at === "number" ? at : undefined)
    return true
  }

  /** As {@link #reach}, and marks what was searched for. */
  #showOutput(args: Json | undefined): boolean {
    const { query } = isObject(args) ? args : {}
    if (!this.#reach(args)) return false
    this.#rows.search(typeof query === "string" ? query : "")
    return true
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    this.#rows.setTheme(input.theme)
    if (before?.widthMethod !== input.widthMethod) {
      this.#rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    const target = toolTarget(input.view, input.conversation, this.#chosen)
    const task = target === null ? null : targetTask(target)
    const other = task !== (this.#target === null ? null : targetTask(this.#target))
    if (other) {
      this.#held.close()
      this.#held = this.#newHeld()
    }
    const settled = target?.kind === "ended" && this.#target?.kind !== "ended"
    this.#target = target
    if (target?.kind === "running") this.#live(target, input)
    else if (target !== null && (other || settled)) this.#ended(target.data)
    this.#show()
    if (other) this.#rows.toBottom()
    if (this.#wanted === null) return
    this.#held.want(this.#wanted)
    this.#wanted = null
  }

  focus(on: boolean): void {
    this.#rows.setFocus(on)
  }

  resize(width: number, height: number): void {
    this.#size = { width, height }
    this.#rows.resize(width, height)
  }

  dispose(): void {
    this.#unwatch()
    this.#rows.dispose()
  }

  #live(target: ToolTarget & { kind: "running" }, { view }: PanelInput): void {
    const progress = view.progress.get(target.task.id)
    if (progress?.kind === "output") this.#held.live(progress.text, progress.size, !this.#rows.following)
  }

  #ended(data: ToolResultEntry): void {
    if (data.output === undefined) this.#held.whole(outputTextOf(data))
    else this.#held.ended(data.output.bytes, !this.#rows.following)
  }

  #moved(): void {
    if (this.#rows.following) this.#held.newer()
    this.#host.changed()
  }

  #newHeld(): HeldOutput {
    return new HeldOutput({
      fetch: async (from, to) => {
        const task = this.#target === null ? null : targetTask(this.#target)
        if (task === null || this.#input === null) return { text: "", from, bytes: 0 }
        const answer = await this.#input.port.request({ type: "output", task, from, to })
        if (answer.ended && answer.size === 0 && this.#target?.kind === "ended") throw new Error(notKept)
        return answer
      },
      changed: (to) => {
        this.#show()
        if (to === "start") this.#rows.toTop()
        if (to === "end") this.#rows.toBottom()
      },
      failed: (error) => {
        const reason = error instanceof Error ? error.message : String(error)
        this.#host.say("warning", `The output could not be read: ${reason}`)
        // What its result says of it is there still.
        if (this.#target?.kind === "ended") this.#held.whole(outputTextOf(this.#target.data))
        this.#show()
      },
    })
  }

  #show(): void {
    const target = this.#target
    if (target === null) {
      this.#rows.setBlocks([])
      return
    }
    if (this.#linesOf !== this.#held.blocks) {
      this.#linesOf = this.#held.blocks
      const known = new Map(this.#lines.map((block) => [block.kind === "lines" ? block.lines : null, block]))
      this.#lines = this.#linesOf.map((block) => known.get(block.lines) ?? { ...block, kind: "lines" })
    }
    const call = this.#call(target)
    const whole = !this.#raw && target.kind === "ended" && !isPlain(target.data)
    const silent = target.kind === "ended" && target.data.output === undefined && this.#lines.length === 0
    const raw = this.#raw ? rawArgs(target, this.#input) : null
    const head: ToolBlock = { ...call, kind: "call", call, whole, silent, raw, group: null }
    const before = this.#rows.block(0)
    const same =
      before?.kind === "call" &&
      before.whole === whole &&
      before.silent === silent &&
      before.raw === raw &&
      sameCall(before.call, call)
    this.#rows.setBlocks([same ? before : head, ...(whole ? [] : this.#lines)])
  }

  #call(target: ToolTarget): BlockOf<"call"> {
    const rest = { output: "", unsaved: false }
    if (target.kind === "ended") {
      const { data } = target
      const { title, task, outcome } = data
      const made = { kind: "call", name: data.message.toolName, title, task, state: outcome } as const
      return call(
        makeBlock({ key: `c${task}`, entry: target.entry.id }, null, {
          ...made,
          args: {},
          ...rest,
          result: data,
          seconds: null,
        }),
      )
    }
    const { work, id, startedAt } = target.task
    const { name, title, args } = work
    const running = work.phase === "execute"
    const seconds = running ? Math.max(0, Math.floor(((this.#input?.now ?? startedAt) - startedAt) / 1000)) : null
    const state = running ? "running" : "queued"
    const made = { kind: "call", name, title, args, task: id, state, result: null, seconds } as const
    return call(makeBlock({ key: `c${id}`, entry: null }, null, { ...made, ...rest }))
  }

  #content(block: ToolBlock): Content {
    if (block.kind === "lines") return this.#raw ? rawContent(block) : outputContent(block)
    if (block.whole) {
      const { lines, pending } = callContent(block.call, true, this.#host.highlighter)
      return { parts: [{ lines }], pending }
    }
    const empty = block.silent ? [textLine([span("No output.", { fg: "textMuted" })])] : []
    const args = (block.raw ?? "").split("\n").filter((line) => line !== "")
    const given = args.map((line) => textLine([span(clean(line), { fg: "textMuted" })], { wrap: "cell" }))
    return { parts: [{ lines: [headLine(block.call, true), ...given, ...empty] }], pending: false }
  }

  /** The kept output's file, else what is held as text. */
  #outside(): { readonly path: string } | { readonly text: string } | null {
    const target = this.#target
    if (target === null) return null
    if (target.kind === "ended" && target.data.output !== undefined) return { path: target.data.output.path }
    const count = this.#lines.length + 1
    return { text: Array.from({ length: count }, (_, index) => this.#rows.blockText(index)).join("\n") }
  }

  #edit(): boolean {
    const what = this.#outside()
    if (what !== null) this.#host.edit(what)
    return what !== null
  }

  #page(): boolean {
    const what = this.#outside()
    if (what !== null) this.#host.page(what)
    return what !== null
  }

  #toggleRaw(): boolean {
    if (this.#target === null) return false
    this.#raw = !this.#raw
    // The same pieces say something else now: new blocks, so that nothing of the old ones is kept.
    this.#lines = []
    this.#linesOf = []
    this.#show()
    this.#host.changed()
    return true
  }

  /** To the call before or after; after the last one the newest is followed again. */
  #step(by: -1 | 1): boolean {
    if (this.#input === null || this.#target === null) return false
    const { view, conversation } = this.#input
    const next = nextCall(view, conversation, targetTask(this.#target), by)
    if (next === undefined || (next === null && this.#chosen === null)) return false
    this.show(next)
    return true
  }
}

function call(block: ReturnType<typeof makeBlock>): BlockOf<"call"> {
  return block as BlockOf<"call">
}

function sameCall(a: BlockOf<"call">, b: BlockOf<"call">): boolean {
  return (
    a.key === b.key && a.state === b.state && a.title === b.title && a.seconds === b.seconds && a.result === b.result
  )
}

/** What the call was given, as JSON. */
function rawArgs(target: ToolTarget, input: PanelInput | null): string {
  const args = input === null ? null : argsOf(target, input.view)
  return args === null ? "" : JSON.stringify(args, null, 2)
}

/** What a command printed, as against what a tool says of a file. */
function isPlain(data: ToolResultEntry): boolean {
  const details = isObject(data.details) ? data.details : {}
  if (typeof details.diff === "string" && details.diff !== "") return false
  return data.message.toolName !== "read"
}
