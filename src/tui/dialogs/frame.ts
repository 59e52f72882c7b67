/**
 * The frame that every dialog stands in: a border with a title, over everything else, as large as its content and never larger than the screen.
 */
import { BoxRenderable, TextRenderable, type CliRenderer, type KeyEvent, type Renderable } from "@opentui/core"
import type { WidthMethod } from "../../std/text.ts"
import type { Ink } from "../roles.ts"
import type { Dialog } from "./dialog.ts"

/** What a dialog draws with. */
export type Look = { readonly ink: Ink; readonly mono: boolean; readonly method: WidthMethod }

export type DialogView = {
  readonly node: Renderable
  /** A `dialog.*` command by the rest of its name. False where it means nothing here. */
  run(command: string): boolean
  type(text: string): void
  /** A key that is no text and no command. */
  key(event: KeyEvent): void
  /** The same dialog with other contents. */
  update(dialog: Dialog): void
  look(look: Look): void
  resize(columns: number, rows: number): void
  focus(): void
  dispose(): void
}

/** Wider lines are hard to read. */
const columnsMax = 88
/** On screens this small a dialog takes all there is. */
const narrowColumns = 64
const lowRows = 16

export const overlayIndex = 100

export type Size = { readonly columns: number; readonly rows: number }

/** Cells inside of the border on a screen of this size. */
export function room(columns: number, rows: number): Size {
  return {
    columns: Math.max(1, (columns < narrowColumns ? columns : Math.min(columnsMax, columns - 8)) - 4),
    rows: Math.max(1, (rows < lowRows ? rows : rows - Math.floor(rows / 4)) - 2),
  }
}

export class Frame {
  readonly box: BoxRenderable

  constructor(renderer: CliRenderer, title: string) {
    this.box = new BoxRenderable(renderer, {
      position: "absolute",
      zIndex: overlayIndex,
      border: true,
      borderStyle: "rounded",
      title: ` ${title} `,
      paddingLeft: 1,
      paddingRight: 1,
      flexDirection: "column",
    })
  }

  title(text: string): void {
    this.box.title = ` ${text} `
  }

  look({ ink }: Look): void {
    this.box.backgroundColor = ink.backgroundPanel
    this.box.borderColor = ink.borderActive
    this.box.focusedBorderColor = ink.borderActive
    this.box.titleColor = ink.primary
  }

  /** Puts the frame around `rows` rows of content, in the middle and somewhat above it. */
  place(columns: number, rows: number, content: number): void {
    const inside = room(columns, rows)
    const width = inside.columns + 4
    const height = Math.min(inside.rows, Math.max(1, content)) + 2
    this.box.width = width
    this.box.height = height
    this.box.left = Math.floor((columns - width) / 2)
    this.box.top = Math.max(0, Math.floor((rows - height) / 3))
  }
}

/** A row or a block of rows of text inside a frame. */
export function textNode(renderer: CliRenderer, rows: number): TextRenderable {
  return new TextRenderable(renderer, { content: "", width: "100%", height: rows, wrapMode: "none", flexShrink: 0 })
}
