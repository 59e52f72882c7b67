/**
 * One line to type. What is typed unseen is never in a node, in a frame or in a history: the field shows as many dots, and the text stays in
 * this object until it is given away.
 */
import { InputRenderable, type CliRenderer, type KeyEvent, type TextRenderable } from "@opentui/core"
import { cleanControls, clean } from "../../std/clean.ts"
import { wrap } from "../../std/text.ts"
import type { Dialog, InputDialog } from "./dialog.ts"
import { before } from "../editor/edit.ts"
import { Frame, room, textNode, type DialogView, type Look } from "./frame.ts"

export type InputAnswers = { submitted(text: string): void; cancelled(): void }

const dot = "•"
const lengthMax = 4_096

export class InputView implements DialogView {
  readonly #frame: Frame
  readonly #text: TextRenderable
  readonly #input: InputRenderable
  readonly #answers: InputAnswers
  readonly #dialog: InputDialog
  /** The text of a masked field. */
  #secret = ""
  #look: Look | null = null
  #size = { columns: 80, rows: 24 }

  constructor(renderer: CliRenderer, dialog: InputDialog, answers: InputAnswers) {
    this.#dialog = dialog
    this.#answers = answers
    this.#frame = new Frame(renderer, dialog.title)
    this.#text = textNode(renderer, 1)
    this.#input = new InputRenderable(renderer, {
      width: "100%",
      value: dialog.masked ? "" : (dialog.initial ?? ""),
      maxLength: lengthMax,
      flexShrink: 0,
    })
    this.#frame.box.add(this.#text)
    this.#frame.box.add(this.#input)
  }

  get node(): Frame["box"] {
    return this.#frame.box
  }

  run(command: string): boolean {
    if (command === "accept") this.#answers.submitted(this.#dialog.masked ? this.#secret : this.#input.value)
    else if (command === "cancel") this.#answers.cancelled()
    else return false
    return true
  }

  type(text: string): void {
    const line = cleanControls(text).replaceAll("\n", "")
    if (this.#dialog.masked) this.#keep((this.#secret + line).slice(0, lengthMax))
    else this.#input.insertText(line)
  }

  key(event: KeyEvent): void {
    if (!this.#dialog.masked) {
      this.#input.handleKeyPress(event)
      return
    }
    const all = event.name === "u" && event.ctrl
    if (all) this.#keep("")
    else if (event.name === "backspace") this.#keep(this.#secret.slice(0, before(this.#secret, this.#secret.length)))
  }

  update(_dialog: Dialog): void {
    // What is asked does not change while it is being answered.
  }

  look(look: Look): void {
    this.#look = look
    this.#frame.look(look)
    this.#text.fg = look.ink.text
    this.#input.textColor = look.ink.text
    this.#input.focusedTextColor = look.ink.text
    this.#input.backgroundColor = look.ink.backgroundElement
    this.#input.focusedBackgroundColor = look.ink.backgroundElement
    this.#input.cursorColor = look.ink.cursor
    this.#draw()
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
    this.#draw()
  }

  focus(): void {
    this.#input.focus()
  }

  dispose(): void {
    this.#secret = ""
    this.#frame.box.destroyRecursively()
  }

  #keep(text: string): void {
    this.#secret = text
    this.#input.value = dot.repeat([...text].length)
    this.#input.gotoBufferEnd()
  }

  #draw(): void {
    const look = this.#look
    if (look === null) return
    const inside = room(this.#size.columns, this.#size.rows)
    const options = { method: look.method, by: "word", first: inside.columns, rest: inside.columns } as const
    const lines = clean(this.#dialog.text)
      .split("\n")
      .flatMap((line) => wrap(line, options).map(({ from, to }) => line.slice(from, to)))
      .slice(0, Math.max(0, inside.rows - 1))
    this.#text.height = Math.max(1, lines.length)
    this.#text.content = lines.join("\n")
    this.#frame.place(this.#size.columns, this.#size.rows, Math.max(1, lines.length) + 1)
  }
}
