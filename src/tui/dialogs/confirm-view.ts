/** A question with a few answers: the first is the default, a letter answers at once. */
import { StyledText, type CliRenderer, type KeyEvent, type TextChunk, type TextRenderable } from "@opentui/core"
import { clean } from "../../std/clean.ts"
import { wrap } from "../../std/text.ts"
import { chunk, stripChunks, type Strip } from "../status/strip.ts"
import type { ConfirmDialog, Dialog } from "./dialog.ts"
import { Frame, room, textNode, type DialogView, type Look } from "./frame.ts"

export type ConfirmAnswers = { chosen(place: number): void; cancelled(): void }

export class ConfirmView implements DialogView {
  readonly #frame: Frame
  readonly #text: TextRenderable
  readonly #answers: ConfirmAnswers
  #dialog: ConfirmDialog
  #place = 0
  #look: Look | null = null
  #size = { columns: 80, rows: 24 }

  constructor(renderer: CliRenderer, dialog: ConfirmDialog, answers: ConfirmAnswers) {
    this.#dialog = dialog
    this.#answers = answers
    this.#frame = new Frame(renderer, dialog.title)
    this.#text = textNode(renderer, 1)
    this.#frame.box.add(this.#text)
    this.#frame.box.focusable = true
  }

  get node(): Frame["box"] {
    return this.#frame.box
  }

  run(command: string): boolean {
    const count = this.#dialog.choices.length
    const by = { up: -1, down: 1, complete: 1 }[command]
    if (by !== undefined) {
      this.#place = (this.#place + by + count) % count
      this.#draw()
      return true
    }
    if (command === "accept") this.#answers.chosen(this.#place)
    else if (command === "cancel") this.#answers.cancelled()
    else return false
    return true
  }

  type(text: string): void {
    const place = this.#dialog.choices.findIndex(({ letter }) => letter.toLowerCase() === text.toLowerCase())
    if (place !== -1) this.#answers.chosen(place)
  }

  key(event: KeyEvent): void {
    if (event.name === "left") this.run("up")
    if (event.name === "right") this.run("down")
  }

  update(dialog: Dialog): void {
    if (dialog.kind !== "confirm" || dialog === this.#dialog) return
    this.#dialog = dialog
    this.#draw()
  }

  look(look: Look): void {
    this.#look = look
    this.#frame.look(look)
    this.#draw()
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
    this.#draw()
  }

  focus(): void {
    this.#frame.box.focus()
  }

  dispose(): void {
    this.#frame.box.destroyRecursively()
  }

  #draw(): void {
    const look = this.#look
    if (look === null) return
    const inside = room(this.#size.columns, this.#size.rows)
    const { ink, method, mono } = look
    const text = clean(this.#dialog.text)
    const { choices } = this.#dialog
    const lines = text
      .split("\n")
      .flatMap((line) =>
        wrap(line, { method, by: "word", first: inside.columns, rest: inside.columns }).map((range) =>
          line.slice(range.from, range.to),
        ),
      )
    // The answers are what must be seen: a long text is cut before them.
    const shown = lines.slice(0, Math.max(0, inside.rows - choices.length - 1))
    const answers = choices.map(({ letter, label }, at): Strip => {
      const bar = at === this.#place
      const role = bar && !mono ? "selectedListItemText" : "text"
      return {
        lead: bar ? "› " : "  ",
        left: [{ text: label, role, bold: bar }],
        right: [{ text: letter, role: bar && !mono ? "selectedListItemText" : "textMuted", drop: 1 }],
        gap: " ",
        ...(bar ? (mono ? { inverse: true } : { on: "primary" as const }) : {}),
      }
    })
    const chunks: TextChunk[] = shown.map((line) => chunk(`${line}\n`, ink, { role: "text" }))
    if (shown.length > 0) chunks.push(chunk("\n", ink, { role: "text" }))
    for (const [at, answer] of answers.entries()) {
      if (at > 0) chunks.push(chunk("\n", ink, { role: "text" }))
      chunks.push(...stripChunks(answer, inside.columns, ink, method))
    }
    const rows = shown.length + (shown.length > 0 ? 1 : 0) + answers.length
    this.#text.height = rows
    this.#text.content = new StyledText(chunks)
    this.#frame.place(this.#size.columns, this.#size.rows, rows)
  }
}
