/**
 * The conversation: every block of it in one scrolling view.
 *
 * - It follows the end unless the reader went up; older entries are asked for when the first one comes into view.
 */
import { sessionOf } from "../../protocol/view.ts"
import { cleanControls, cleanLine } from "../../std/clean.ts"
import { isObject, type Json } from "../../std/json.ts"
import type { Block } from "../blocks/block.ts"
import { allBlocks, blocksOf, emptyTranscript, type Transcript } from "../blocks/blocks-of.ts"
import { blockSource } from "../blocks/content.ts"
import { commandOf, messageOf, outputOf } from "../blocks/written.ts"
import { RowView } from "../viewport/row-view.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { Places, type KeptPlace } from "./places.ts"
import { copyText, readingCommands } from "./reading.ts"

/** Bytes of an output that are copied: what terminals take, written as base64, is not more. */
const copiedBytesMax = 75_000

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
  readonly #places = new Places()
  #size = { width: 80, height: 24 }

  constructor(host: PanelHost) {
    this.#host = host
    this.rows = new RowView<Block>(host.context, {
      source: blockSource(host.highlighter),
      theme: host.theme,
      widthMethod: host.widthMethod,
      clock: host.clock,
      followMs: host.followMs,
      events: {
        changed: () => host.changed(),
        selected: (text) => host.selected(text),
        open: (block) => this.#open(block),
        moved: () => {
          this.#places.settled()
          host.moved()
        },
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

  get places() {
    return {
      save: () => this.#places.save(this.#place()),
      restore: (session: string, places: Json): void => {
        this.#places.restore(session, places)
        this.#goBack()
      },
    }
  }

  get empty(): boolean {
    return this.#transcript.settled.length + this.#transcript.live.length === 0
  }

  title(): string {
    const session = this.#input === null ? undefined : sessionOf(this.#input.view)
    return cleanLine(session?.title ?? "") || "conversation"
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    const other = this.#places.enter(input.view.session, input.conversation, () => this.#place())
    this.rows.setTheme(input.theme)
    if (before?.widthMethod !== input.widthMethod) {
      this.rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    this.#transcript = blocksOf(input.view, input.conversation, input.now, this.#transcript)
    this.rows.setBlocks(this.#transcript.settled, this.#transcript.live)
    if (other && this.#places.wanted === null) this.rows.toBottom()
    this.#goBack()
  }

  #place(): KeptPlace {
    return { ...this.rows.place, entry: this.rows.block(this.rows.top.index)?.entry ?? null }
  }

  /** To where the reader was in this conversation, as soon as that is loaded. */
  #goBack(): void {
    const { wanted } = this.#places
    const input = this.#input
    const first = this.#transcript.settled.find(({ entry }) => entry !== null)?.entry
    if (wanted === null || input === null || first == null) return
    if (wanted.following) {
      this.rows.toBottom()
      this.#places.settled()
    } else if (this.rows.restorePlace(wanted)) this.#places.settled()
    else if (wanted.entry !== null && wanted.entry < first && input.view.older.has(input.conversation)) {
      this.#host.loadOlder(input.conversation)
    } else this.#places.settled()
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

  #withCurrent(action: (at: { readonly block: Block; readonly index: number }) => boolean): boolean {
    const current = this.rows.currentBlock
    return current !== undefined && action(current)
  }

  /** An output that is held in part is asked for in full, where a clipboard has room for it. */
  #copyOutput(block: Block): boolean {
    const output = block.kind === "call" ? block.result?.output : undefined
    const input = this.#input
    if (block.kind !== "call" || output === undefined || block.task === null || input === null) {
      return copyText(this.#host, outputOf(block))
    }
    const { bytes } = output
    if (bytes > copiedBytesMax) {
      const size = bytes.toLocaleString("en")
      this.#host.say("warning", `${size} bytes are too much for a clipboard: open the output in your editor instead`)
      return true
    }
    input.port.request({ type: "output", task: block.task, from: 0, to: bytes }).then(
      ({ text }) => copyText(this.#host, cleanControls(text)),
      (error: unknown) => this.#host.say("error", error instanceof Error ? error.message : String(error)),
    )
    return true
  }

  /** Brings an entry into view (its first block, else the one before it), and marks there what was searched for. */
  #showEntry(args: Json | undefined): boolean {
    const { entry, query } = isObject(args) ? args : {}
    if (typeof entry !== "number") return false
    const blocks = allBlocks(this.#transcript)
    const own = blocks.findIndex((block) => block.entry === entry)
    const before = blocks.findLastIndex((block) => block.entry !== null && block.entry <= entry)
    const index = own >= 0 ? own : Math.max(0, before)
    if (!this.rows.choose(index)) return false
    return typeof query !== "string" || query === "" || this.rows.searchFrom(query, index)
  }

  #commands(): Readonly<Record<string, PanelCommand>> {
    return {
      ...readingCommands(this.rows, this.#host),
      "scroll.previousTurn": () => this.rows.toBlock(-1, ({ turn }) => turn),
      "scroll.nextTurn": () => this.rows.toBlock(1, ({ turn }) => turn),
      "block.copy": () =>
        this.#withCurrent(({ block, index }) => copyText(this.#host, messageOf(block) ?? this.rows.blockText(index))),
      "block.copyCommand": () => this.#withCurrent(({ block }) => copyText(this.#host, commandOf(block))),
      "block.copyOutput": () => this.#withCurrent(({ block }) => this.#copyOutput(block)),
      "block.foldAll": () => this.rows.toggleGroup("call"),
      "thinking.toggle": () => this.rows.toggleGroup("thinking"),
      "block.open": () => this.#withCurrent(({ block }) => this.#open(block)),
      "block.edit": () =>
        this.#withCurrent(({ block, index }) => {
          this.#host.edit({ text: messageOf(block) ?? this.rows.blockText(index) })
          return true
        }),
      "entry.show": (args) => this.#showEntry(args),
      "message.copy": () => {
        const answer = allBlocks(this.#transcript).findLast((block) => block.kind === "answer")
        if (answer?.kind !== "answer") return false
        this.#host.copy(answer.text)
        return true
      },
    }
  }
}
