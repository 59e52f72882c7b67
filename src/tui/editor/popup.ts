/** The completion as a list over the editor: its last row stands on the line above it. */
import { BoxRenderable, StyledText, TextRenderable, type CliRenderer, type TextChunk } from "@opentui/core"
import type { Rect } from "../layout.ts"
import { scroll } from "../dialogs/list.ts"
import type { Look } from "../dialogs/frame.ts"
import type { Completion } from "../state.ts"
import { stripChunks, type Strip } from "../status/strip.ts"

const rowsMax = 8
const columnsMax = 72

export class Popup {
  readonly node: BoxRenderable
  readonly #text: TextRenderable
  #first = 0

  constructor(renderer: CliRenderer) {
    this.node = new BoxRenderable(renderer, { position: "absolute", visible: false, zIndex: 50 })
    this.#text = new TextRenderable(renderer, { content: "", width: "100%", height: "100%", wrapMode: "none" })
    this.node.add(this.#text)
  }

  /** `above` is the row that the popup may not cover. */
  draw(completion: Completion | null, screen: { readonly columns: number; readonly above: Rect }, look: Look): void {
    const rows = Math.min(rowsMax, completion?.items.length ?? 0, screen.above.top)
    this.node.visible = completion !== null && rows > 0
    if (completion === null || rows <= 0) {
      this.#first = 0
      return
    }
    const width = Math.min(columnsMax, screen.columns)
    this.#first = scroll(this.#first, completion.chosen, rows, completion.items.length)
    const chunks = completion.items.slice(this.#first, this.#first + rows).flatMap((item, at): readonly TextChunk[] => {
      const bar = this.#first + at === completion.chosen
      const role = bar && !look.mono ? "selectedListItemText" : "text"
      const row: Strip = {
        lead: bar ? "› " : "  ",
        left: [{ text: item.label, role, bold: bar }],
        right: [{ text: item.detail, role: bar && !look.mono ? "selectedListItemText" : "textMuted", drop: 1 }],
        gap: " ",
        ...(bar ? (look.mono ? { inverse: true } : { on: "primary" as const }) : { on: "backgroundMenu" as const }),
      }
      const own = stripChunks(row, width, look.ink, look.method)
      return at === 0 ? own : [{ __isChunk: true, text: "\n" }, ...own]
    })
    this.node.left = 0
    this.node.top = screen.above.top - rows
    this.node.width = width
    this.node.height = rows
    this.node.backgroundColor = look.ink.backgroundMenu
    this.#text.content = new StyledText(chunks)
  }
}
