/**
 * Images to look at: as pixels where the terminal has a protocol for them (kitty graphics, sixel), in half blocks where it has colours, and as
 * the line that says what it is everywhere.
 *
 * - The library fits the image into the frame and takes it off the terminal when the frame goes.
 */
import { ImageRenderable, StyledText, type CliRenderer, type KeyEvent, type TextRenderable } from "@opentui/core"
import { assert } from "../../std/assert.ts"
import { clean } from "../../std/clean.ts"
import { chunk } from "../status/strip.ts"
import type { Dialog, ImageDialog } from "./dialog.ts"
import { Frame, room, textNode, type DialogView, type Look } from "./frame.ts"

export class ImageView implements DialogView {
  readonly #frame: Frame
  readonly #image: ImageRenderable
  readonly #text: TextRenderable
  readonly #cancelled: () => void
  #dialog: ImageDialog
  #place: number
  /** Why the one that is chosen cannot be shown. */
  #problem = ""
  #look: Look | null = null
  #size = { columns: 80, rows: 24 }

  constructor(renderer: CliRenderer, dialog: ImageDialog, cancelled: () => void) {
    assert(dialog.images.length > 0, "there is an image to show")
    this.#dialog = dialog
    this.#cancelled = cancelled
    this.#place = dialog.images.length - 1
    this.#frame = new Frame(renderer, dialog.title)
    this.#image = new ImageRenderable(renderer, {
      fit: "fit",
      width: "100%",
      flexShrink: 0,
      onLoad: () => this.#told(""),
      onError: () => this.#told(", which cannot be shown here"),
    })
    this.#text = textNode(renderer, 1)
    this.#frame.box.add(this.#image)
    this.#frame.box.add(this.#text)
    this.#frame.box.focusable = true
  }

  get node(): Frame["box"] {
    return this.#frame.box
  }

  run(command: string): boolean {
    const last = this.#dialog.images.length - 1
    const to = { up: this.#place - 1, down: this.#place + 1, top: 0, bottom: last }[command]
    if (to !== undefined) {
      this.#place = Math.max(0, Math.min(last, to))
      this.#show()
      return true
    }
    if (command !== "accept" && command !== "cancel") return false
    this.#cancelled()
    return true
  }

  type(text: string): void {
    const by = { j: "down", k: "up", n: "down", p: "up", g: "top", G: "bottom", q: "cancel" }[text]
    if (by !== undefined) this.run(by)
  }

  key(event: KeyEvent): void {
    if (event.name === "left") this.run("up")
    if (event.name === "right") this.run("down")
  }

  update(dialog: Dialog): void {
    if (dialog.kind !== "image" || dialog === this.#dialog) return
    this.#dialog = dialog
    this.#place = Math.min(this.#place, dialog.images.length - 1)
    this.#show()
  }

  look(look: Look): void {
    const first = this.#look === null
    this.#look = look
    this.#frame.look(look)
    // Without colours half blocks are no picture.
    this.#image.visible = !look.mono
    if (first) this.#show()
    else this.#draw()
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

  #told(problem: string): void {
    this.#problem = problem
    this.#draw()
  }

  #show(): void {
    const image = this.#dialog.images[this.#place]
    this.#problem = ""
    if (image !== undefined && this.#look?.mono === false) this.#image.source = Buffer.from(image.data, "base64")
    this.#draw()
  }

  #draw(): void {
    const look = this.#look
    if (look === null) return
    const { rows } = room(this.#size.columns, this.#size.rows)
    const height = look.mono ? 0 : Math.max(1, rows - 1)
    this.#image.height = height
    const { images } = this.#dialog
    const count = images.length === 1 ? "" : `${this.#place + 1}/${images.length}  `
    const line = `${count}[image: ${clean(images[this.#place]?.about ?? "")}]${this.#problem}`
    this.#text.content = new StyledText([chunk(line, look.ink, { role: "textMuted" })])
    this.#frame.place(this.#size.columns, this.#size.rows, height + 1)
  }
}
