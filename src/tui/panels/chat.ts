/**
 * The conversation: every block of it in one scrolling view.
 *
 * - It follows the end unless the reader went up; older entries are asked for when the first one comes into view.
 */
import { sessionOf } from "../../protocol/view.ts"
import { cleanLine } from "../../std/clean.ts"
import { isObject, type Json } from "../../std/json.ts"
import type { Block } from "../blocks/block.ts"
import { blocksOf, emptyTranscript, type Transcript } from "../blocks/blocks-of.ts"
import { blockSource } from "../blocks/content.ts"
import { RowView } from "../viewport/row-view.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { readingCommands } from "./reading.ts"

export type ChatPanel = Panel & { readonly rows: RowView<Block> }

export function openChat(host: PanelHost): ChatPanel {
  return new Chat(host)
}

class Chat implements ChatPanel {
  readonly id = "chat"
  readonly contexts = ["scrollback"]
  readonly rows: RowView<Block>
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #unwatch: () => void
  #transcript: Transcript = emptyTranscript
  #input: PanelInput | null = null
  #size = { width: 80, height: 24 }

  constructor(host: PanelHost) {
    this.#host = host
    this.rows = new RowView<Block>(host.context, {
      source: blockSource(host.highlighter),
      theme: host.theme,
      widthMethod: host.widthMethod,
      clock: host.clock,
      events: {
        changed: () => host.changed(),
        selected: (text) => host.selected(text),
        open: (block) => this.#open(block),
        atStart: () => this.#older(),
      },
    })
    this.#unwatch = host.highlighter.watch(() => this.rows.refresh())
    this.commands = this.#commands()
  }

  get node() {
    return this.rows.node
  }

  get reader() {
    return this.rows
  }

  get empty(): boolean {
    return this.#transcript.blocks.length === 0
  }

  title(): string {
    const session = this.#input === null ? undefined : sessionOf(this.#input.view)
    return cleanLine(session?.title ?? "") || "conversation"
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    this.rows.setTheme(input.theme)
    if (before?.widthMethod !== input.widthMethod) {
      this.rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    this.#transcript = blocksOf(input.view, input.conversation, input.now, this.#transcript)
    this.rows.setBlocks(this.#transcript.blocks)
  }

  focus(on: boolean): void {
    this.rows.setFocus(on)
  }

  resize(width: number, height: number): void {
    this.#size = { width, height }
    this.rows.resize(width, height)
  }

  dispose(): void {
    this.#unwatch()
    this.rows.dispose()
  }

  #older(): void {
    const input = this.#input
    if (input !== null && input.view.older.has(input.conversation)) this.#host.loadOlder(input.conversation)
  }

  #open(block: Block): boolean {
    if (block.kind !== "call" || block.task === null) return false
    this.#host.openOutput(block.task)
    return true
  }

  /** Brings an entry into view (its first block, else the one before it), and marks there what was searched for. */
  #showEntry(args: Json | undefined): boolean {
    const { entry, query } = isObject(args) ? args : {}
    if (typeof entry !== "number") return false
    const { blocks } = this.#transcript
    const own = blocks.findIndex((block) => block.entry === entry)
    const before = blocks.findLastIndex((block) => block.entry !== null && block.entry <= entry)
    const index = own >= 0 ? own : Math.max(0, before)
    if (!this.rows.choose(index)) return false
    return typeof query !== "string" || query === "" || this.rows.searchFrom(query, index)
  }

  #commands(): Readonly<Record<string, PanelCommand>> {
    return {
      ...readingCommands(this.rows, this.#host),
      "block.foldAll": () => this.rows.toggleGroup("call"),
      "thinking.toggle": () => this.rows.toggleGroup("thinking"),
      "block.open": () => {
        const current = this.rows.currentBlock
        return current !== undefined && this.#open(current.block)
      },
      "block.edit": () => {
        const current = this.rows.currentBlock
        if (current === undefined) return false
        this.#host.edit({ text: this.rows.blockText(current.index) })
        return true
      },
      "entry.show": (args) => this.#showEntry(args),
      "message.copy": () => {
        const answer = this.#transcript.blocks.findLast((block) => block.kind === "answer")
        if (answer?.kind !== "answer") return false
        this.#host.copy(answer.text)
        return true
      },
    }
  }
}
