/**
 * The tree of the session beside the conversation: every point that one can read again, or go back to and fork at.
 *
 * - Opening a point shows it in its conversation and changes nothing; forking there is a key of its own, which asks as the tree's dialog does.
 * - A fork is folded to its first row. What is not loaded yet is asked for when the first row comes into view.
 */
import type { Content, RowBlock } from "../rows/content.ts"
import { span, textLine } from "../rows/row.ts"
import { ago } from "../status/numbers.ts"
import { forksAt, treeFilters, treeRows, type TreeFilter, type TreeRow } from "../tree.ts"
import type { RowView } from "../viewport/row-view.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { panelRows, readingCommands } from "./reading.ts"

type TreeBlock = RowBlock & { readonly row: TreeRow | null; readonly here: boolean; readonly when: string }

const signs: Readonly<Record<TreeRow["kind"], string>> = { input: "› ", answer: "  ", tool: "· ", other: "· " }
const filterWords: Readonly<Record<TreeFilter, string>> = {
  inputs: "inputs",
  noTools: "without tools",
  labelled: "labelled",
  all: "everything",
}

export function openTreePanel(host: PanelHost): Panel {
  return new TreePanel(host)
}

class TreePanel implements Panel {
  readonly id = "tree"
  readonly contexts = ["panel.tree", "panel"]
  /** It comes when it is asked for. */
  readonly empty = true
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #rows: RowView<TreeBlock>
  readonly #folded = new Set<number>()
  #filter: TreeFilter = "inputs"
  #input: PanelInput | null = null
  #size = { width: 40, height: 10 }
  #blocks: readonly TreeBlock[] = []

  constructor(host: PanelHost) {
    this.#host = host
    this.#rows = panelRows<TreeBlock>(host, {
      content: contentOf,
      open: (block) => this.#open(block),
      atStart: () => this.#older(),
    })
    this.commands = {
      ...readingCommands(this.#rows, host),
      "block.open": () => this.#open(this.#chosen()),
      "block.fold": () => this.#fold(),
      "tree.fork": () => this.#fork(),
      "tree.filter": () => this.#turn(),
    }
  }

  get node() {
    return this.#rows.node
  }

  get reader() {
    return this.#rows
  }

  title(): string {
    return `tree: ${filterWords[this.#filter]}`
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    this.#rows.setTheme(input.theme)
    if (before?.widthMethod !== input.widthMethod) {
      this.#rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    const { view, conversation } = input
    const same =
      before !== null &&
      before.view.entries === view.entries &&
      before.view.conversations === view.conversations &&
      before.view.documents === view.documents &&
      before.conversation === conversation
    if (!same) this.#show()
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

  #show(): void {
    if (this.#input === null) return
    const { view, conversation, now } = this.#input
    const known = new Map(this.#blocks.map((block) => [block.key, block]))
    const rows = treeRows(view, this.#filter, this.#folded).map((row): TreeBlock => {
      const here = row.tip && row.conversation === conversation
      const fresh = { ...blockOf(`e${row.entry}`), row, here, when: ago(now - row.at) }
      const old = known.get(fresh.key)
      return old !== undefined && JSON.stringify(old) === JSON.stringify(fresh) ? old : fresh
    })
    this.#blocks = rows.length > 0 ? rows : [{ ...blockOf("none"), row: null, here: false, when: "" }]
    this.#rows.setBlocks(this.#blocks)
    this.#host.changed()
  }

  #older(): void {
    const { view, conversation } = this.#input ?? {}
    if (view !== undefined && conversation !== undefined && view.older.has(conversation)) {
      this.#host.loadOlder(conversation)
    }
  }

  /** The chosen row, else that of where the conversation goes on. */
  #chosen(): TreeBlock | undefined {
    const place = this.#rows.chosen
    return place === null ? (this.#blocks.findLast(({ here }) => here) ?? this.#blocks.at(-1)) : this.#blocks[place]
  }

  #open(block: TreeBlock | undefined): boolean {
    if (block?.row == null) return false
    this.#host.goTo(block.row.conversation, block.row.entry)
    return true
  }

  #fork(): boolean {
    const row = this.#chosen()?.row
    if (row == null) return false
    this.#host.forkAt(row.entry)
    return true
  }

  #turn(): boolean {
    this.#filter = treeFilters[(treeFilters.indexOf(this.#filter) + 1) % treeFilters.length] ?? "inputs"
    this.#show()
    return true
  }

  /** Folds the fork that the row belongs to, or those that were made at it, or shows them again. */
  #fold(): boolean {
    const row = this.#chosen()?.row
    if (row == null || this.#input === null) return false
    const made = forksAt(this.#input.view, row.conversation, row.entry)
    const forks = made.length > 0 && row.behind === 0 ? made : row.depth > 0 ? [row.conversation] : []
    const open = forks.every((fork) => this.#folded.has(fork))
    for (const fork of forks) {
      if (open) this.#folded.delete(fork)
      else this.#folded.add(fork)
    }
    if (forks.length > 0) this.#show()
    return forks.length > 0
  }
}

function blockOf(key: string): RowBlock {
  return { key, gap: 0, group: null, folded: false, prompt: false, size: 60 }
}

function contentOf({ row, here, when }: TreeBlock): Content {
  if (row === null)
    return { parts: [{ lines: [textLine([span("Nothing was said yet.", { fg: "textMuted" })])] }], pending: false }
  const label = row.label === "" ? "" : ` [${row.label}]`
  const end = [here ? "here" : "", row.behind > 0 ? `▸ ${row.behind} more` : "", when].filter(Boolean).join(" · ")
  const line = textLine(
    [
      span("  ".repeat(row.depth)),
      span(signs[row.kind], { fg: row.kind === "input" ? "primary" : "textMuted" }),
      span(row.text, row.kind === "input" ? {} : { fg: "textMuted" }),
      span(label, { fg: "accent" }),
    ],
    { wrap: "cut", tail: [span(`  ${end}`, { fg: here ? "success" : "textMuted" })], action: "open" },
  )
  return { parts: [{ lines: [line] }], pending: false }
}
