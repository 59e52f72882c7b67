/**
 * What the session is at: every live task of every conversation, as the tree of who works for whom, and the inputs that wait.
 *
 * - It shows what the host told and keeps nothing of its own: a task that ended is gone from it.
 * - A call opens in the output panel. Stopping ends the whole run that a task belongs to, as the key for it does in the conversation.
 */
import { unreachable } from "../../std/assert.ts"
import type { SubmissionRecord, TaskRecord } from "../../protocol/records.ts"
import type { View } from "../../protocol/view.ts"
import type { Content, RowBlock } from "../rows/content.ts"
import { span, textLine } from "../rows/row.ts"
import { countdown, elapsed } from "../status/numbers.ts"
import { inputText } from "../status/outbox.ts"
import type { RowView } from "../viewport/row-view.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { panelRows, readingCommands } from "./reading.ts"

type TaskRow = { readonly kind: "task"; readonly task: TaskRecord; readonly depth: number; readonly time: string }
type QueueRow = { readonly kind: "queued"; readonly input: SubmissionRecord }
type NoteRow = { readonly kind: "note"; readonly text: string }
type TasksBlock = RowBlock & { readonly row: TaskRow | QueueRow | NoteRow }

/** The task that another one works for: its owner, or the one that its conversation belongs to. */
function ownerOf(task: TaskRecord, view: View): number | null {
  return task.owner ?? view.conversations.get(task.conversation)?.owner?.task ?? null
}

/** Live tasks with their depth, each behind the one that it works for, older ones first. */
export function taskTree(view: View): readonly { readonly task: TaskRecord; readonly depth: number }[] {
  const all = [...view.tasks.values()].sort((a, b) => a.id - b.id)
  const known = new Set(all.map(({ id }) => id))
  const under = Map.groupBy(all, (task) => {
    const owner = ownerOf(task, view)
    return owner !== null && known.has(owner) && owner !== task.id ? owner : null
  })
  const walk = (owner: number | null, depth: number): readonly { task: TaskRecord; depth: number }[] =>
    (under.get(owner) ?? []).flatMap((task) => [{ task, depth }, ...walk(task.id, depth + 1)])
  return walk(null, 0)
}

function nameOf({ work }: TaskRecord): { readonly name: string; readonly what: string } {
  switch (work.kind) {
    case "generation":
      return { name: "answer", what: work.model }
    case "toolCall":
      return { name: work.name, what: work.title }
    case "shell":
      return { name: "!", what: work.command }
    case "other":
      return { name: work.name, what: "" }
    default:
      return unreachable(work)
  }
}

/** What the task is at, with a time where one runs. */
function stateOf({ work, state, aborting, startedAt }: TaskRecord, now: number): string {
  if (aborting) return "stopping"
  if (work.kind === "generation" && work.retry !== undefined) {
    return `asks again in ${countdown(work.retry.until - now)} (${work.retry.attempt} of ${work.retry.of})`
  }
  if (work.kind === "generation" && work.phase === "limit") return "waits for you"
  if (work.kind === "generation" && work.phase === "tools") return `waits for its calls, ${elapsed(now - startedAt)}`
  const waits = state === "pending" || state === "waiting" || (work.kind === "toolCall" && work.phase !== "execute")
  return waits ? "waits" : elapsed(now - startedAt)
}

function blockOf(key: string, row: TasksBlock["row"]): TasksBlock {
  return { key, gap: 0, group: null, folded: false, prompt: false, size: 60, row }
}

function blocksOf(view: View, now: number): readonly TasksBlock[] {
  const tasks = taskTree(view).map(({ task, depth }) =>
    blockOf(`t${task.id}`, { kind: "task", task, depth, time: stateOf(task, now) }),
  )
  const queued = [...view.submissions.values()]
    .filter(({ status }) => status === "queued")
    .map((input) => blockOf(`q${input.id}`, { kind: "queued", input }))
  const all = [...tasks, ...queued]
  return all.length > 0 ? all : [blockOf("none", { kind: "note", text: "Nothing is running." })]
}

function contentOf({ row }: TasksBlock): Content {
  return { parts: [{ lines: [lineOf(row)] }], pending: false }
}

function lineOf(row: TasksBlock["row"]) {
  switch (row.kind) {
    case "note":
      return textLine([span(row.text, { fg: "textMuted" })])
    case "queued":
      return textLine([span("↳ queued ", { fg: "secondary" }), span(inputText(row.input.content))], { wrap: "cut" })
    case "task": {
      const { name, what } = nameOf(row.task)
      const works = row.task.state === "running" && !row.task.aborting
      const mark = span(works ? "● " : "○ ", { fg: works ? "toolPending" : "textMuted" })
      const spans = [
        span("  ".repeat(row.depth)),
        mark,
        span(name, { bold: true }),
        span(what === "" ? "" : ` ${what}`),
      ]
      const tail = [span(`  ${row.time}`, { fg: row.task.aborting ? "warning" : "textMuted" })]
      return textLine(spans, { wrap: "cut", tail, action: "open" })
    }
    default:
      return unreachable(row)
  }
}

export function openTasks(host: PanelHost): Panel {
  return new Tasks(host)
}

class Tasks implements Panel {
  readonly id = "tasks"
  readonly contexts = ["panel.tasks", "panel"]
  /** It comes when it is asked for. */
  readonly empty = true
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #rows: RowView<TasksBlock>
  #input: PanelInput | null = null
  #size = { width: 40, height: 10 }
  #blocks: readonly TasksBlock[] = []

  constructor(host: PanelHost) {
    this.#host = host
    this.#rows = panelRows<TasksBlock>(host, { content: contentOf, open: (block) => this.#open(block) })
    this.commands = {
      ...readingCommands(this.#rows, host),
      "block.open": () => this.#open(this.#chosen()),
      "tasks.stop": () => this.#stop(),
    }
  }

  get node() {
    return this.#rows.node
  }

  get reader() {
    return this.#rows
  }

  title(): string {
    const count = this.#input?.view.tasks.size ?? 0
    return count === 0 ? "tasks" : `tasks ${count}`
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    this.#rows.setTheme(input.theme)
    if (before?.widthMethod !== input.widthMethod) {
      this.#rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    const known = new Map(this.#blocks.map((block) => [block.key, block]))
    this.#blocks = blocksOf(input.view, input.now).map((block) => {
      const old = known.get(block.key)
      return old !== undefined && same(old.row, block.row) ? old : block
    })
    this.#rows.setBlocks(this.#blocks)
  }

  focus(on: boolean): void {
    this.#rows.setFocus(on)
  }

  resize(width: number, height: number): void {
    this.#size = { width, height }
    this.#rows.resize(width, height)
  }

  dispose(): void {
    this.#rows.dispose()
  }

  #chosen(): TasksBlock | undefined {
    return this.#blocks[this.#rows.chosen ?? 0]
  }

  #open(block: TasksBlock | undefined): boolean {
    if (block?.row.kind !== "task" || block.row.task.work.kind !== "toolCall") return false
    this.#host.openOutput(block.row.task.id)
    return true
  }

  #stop(): boolean {
    const row = this.#chosen()?.row
    if (row?.kind !== "task" || this.#input === null) return false
    const { conversation } = row.task
    this.#input.port
      .request({ type: "abort", conversation })
      .catch((error: unknown) => this.#host.say("error", error instanceof Error ? error.message : String(error)))
    return true
  }
}

function same(a: TasksBlock["row"], b: TasksBlock["row"]): boolean {
  if (a.kind === "task" && b.kind === "task") return a.task === b.task && a.depth === b.depth && a.time === b.time
  return a.kind === "queued" && b.kind === "queued" ? a.input === b.input : a.kind === "note" && b.kind === "note"
}
