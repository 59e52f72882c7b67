/** Rows to read: keys, settings, what the model was told. Scrolls, and closes with the keys that close a dialog. */
import { StyledText, type CliRenderer, type KeyEvent, type TextChunk, type TextRenderable } from "@opentui/core"
import { clean } from "../../std/clean.ts"
import { textWidth, wrap } from "../../std/text.ts"
import { chunk } from "../status/strip.ts"
import type { Dialog, TextDialog } from "./dialog.ts"
import { Frame, room, textNode, type DialogView, type Look } from "./frame.ts"

type Line = { readonly left: string; readonly right: string; readonly heading: boolean }

/** The left column takes what it needs, up to this part of the width. */
const leftShare = 0.4

export class TextView implements DialogView {
  readonly #frame: Frame
  readonly #text: TextRenderable
  readonly #cancelled: () => void
  #dialog: TextDialog
  #lines: readonly Line[] = []
  #first = 0
  #rows = 1
  #look: Look | null = null
  #size = { columns: 80, rows: 24 }

  constructor(renderer: CliRenderer, dialog: TextDialog, cancelled: () => void) {
    this.#dialog = dialog
    this.#cancelled = cancelled
    this.#frame = new Frame(renderer, dialog.title)
    this.#text = textNode(renderer, 1)
    this.#frame.box.add(this.#text)
    this.#frame.box.focusable = true
  }

  get node(): Frame["box"] {
    return this.#frame.box
  }

  run(command: string): boolean {
    const page = Math.max(1, this.#rows - 1)
    const by = { up: -1, down: 1, pageUp: -page, pageDown: page, top: -1e9, bottom: 1e9 }[command]
    if (by !== undefined) {
      this.#first = Math.max(0, Math.min(this.#lines.length - this.#rows, this.#first + by))
      this.#draw()
      return true
    }
    if (command !== "accept" && command !== "cancel") return false
    this.#cancelled()
    return true
  }

  type(text: string): void {
    const by = { j: "down", k: "up", " ": "pageDown", b: "pageUp", g: "top", G: "bottom", q: "cancel" }[text]
    if (by !== undefined) this.run(by)
  }

  key(_event: KeyEvent): void {
    // Everything that moves here is a command or a letter.
  }

  update(dialog: Dialog): void {
    if (dialog.kind !== "text" || dialog === this.#dialog) return
    this.#dialog = dialog
    this.#layout()
  }

  look(look: Look): void {
    this.#look = look
    this.#frame.look(look)
    this.#layout()
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
    this.#layout()
  }

  focus(): void {
    this.#frame.box.focus()
  }

  dispose(): void {
    this.#frame.box.destroyRecursively()
  }

  #leftColumns(columns: number): number {
    const look = this.#look
    if (look === null) return 0
    const widths = this.#dialog.rows
      .filter(({ right }) => right !== undefined)
      .map(({ left }) => textWidth(clean(left), look.method))
    return Math.min(Math.max(0, ...widths), Math.floor(columns * leftShare))
  }

  /** Every row in as many lines as it needs at this width. */
  #layout(): void {
    const look = this.#look
    if (look === null) return
    const { columns, rows } = room(this.#size.columns, this.#size.rows)
    const left = this.#leftColumns(columns)
    const cut = (text: string, width: number): readonly string[] =>
      text
        .split("\n")
        .flatMap((line) =>
          wrap(line, { method: look.method, by: "word", first: Math.max(1, width), rest: Math.max(1, width) }).map(
            (range) => line.slice(range.from, range.to),
          ),
        )
    this.#lines = this.#dialog.rows.flatMap((row): readonly Line[] => {
      const heading = row.heading === true
      if (row.right === undefined)
        return cut(clean(row.left), columns).map((text) => ({ left: text, right: "", heading }))
      const names = cut(clean(row.left), left)
      const texts = cut(clean(row.right), columns - left - 2)
      return Array.from({ length: Math.max(names.length, texts.length) }, (_, at) => {
        const name = names[at] ?? ""
        const pad = " ".repeat(Math.max(0, left - textWidth(name, look.method)) + 2)
        return { left: name + pad, right: texts[at] ?? "", heading }
      })
    })
    this.#rows = Math.max(1, Math.min(rows, this.#lines.length))
    this.#first = Math.max(0, Math.min(this.#first, this.#lines.length - this.#rows))
    this.#draw()
  }

  #draw(): void {
    const look = this.#look
    if (look === null) return
    const visible = this.#lines.slice(this.#first, this.#first + this.#rows)
    const chunks = visible.flatMap(({ left, right, heading }, at): readonly TextChunk[] => [
      chunk(
        `${at > 0 ? "\n" : ""}${left}`,
        look.ink,
        heading ? { role: "primary", bold: true } : { role: right === "" ? "text" : "secondary" },
      ),
      chunk(right, look.ink, { role: "text" }),
    ])
    this.#text.height = this.#rows
    this.#text.content = new StyledText(chunks)
    const more =
      this.#lines.length > this.#rows
        ? ` ${this.#first + 1}–${this.#first + visible.length} of ${this.#lines.length} `
        : ""
    this.#frame.box.bottomTitle = more
    this.#frame.place(this.#size.columns, this.#size.rows, this.#rows)
  }
}
