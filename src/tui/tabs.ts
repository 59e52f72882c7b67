/**
 * The row of tabs over a place that several panels share.
 *
 * - Where not all names fit, each has its share of the row, so that every tab can be seen and clicked.
 * - The one in front can be put away by a click on its sign, but for the conversation.
 */
import { StyledText, TextRenderable, type CliRenderer } from "@opentui/core"
import { shorten, textWidth } from "../std/text.ts"
import type { Look } from "./dialogs/frame.ts"
import { chunk } from "./status/strip.ts"

export type Tab = { readonly id: string; readonly name: string; readonly front: boolean; readonly hides: boolean }

/** What a tab has beside its name: a blank on each side and the line behind it; and the one in front the sign that hides it. */
const tabColumns = 3
const hideText = " ×"

/** The names as they are shown in `width` columns. */
export function tabTexts(tabs: readonly Tab[], width: number, { method }: Pick<Look, "method">): readonly string[] {
  const all = tabs.reduce((sum, { name }) => sum + textWidth(name, method) + tabColumns, hideText.length)
  const share = Math.max(1, Math.floor((width - hideText.length) / Math.max(1, tabs.length)) - tabColumns)
  return tabs.map(
    ({ name, hides }) => ` ${all <= width ? name : shorten(name, share, method)}${hides ? hideText : ""} `,
  )
}

export class Tabs {
  readonly node: TextRenderable
  #drawn = ""
  #look: Look | null = null
  #columns: readonly { readonly tab: Tab; readonly from: number; readonly to: number }[] = []

  constructor(
    renderer: CliRenderer,
    events: { readonly turned: (id: string) => void; readonly hidden: (id: string) => void },
  ) {
    this.node = new TextRenderable(renderer, { position: "absolute", wrapMode: "none", content: "", visible: false })
    this.node.onMouseDown = ({ x }) => {
      const at = this.#columns.find(({ from, to }) => x >= from && x < to)
      if (at === undefined) return
      if (at.tab.hides && x >= at.to - hideText.length - 1) events.hidden(at.tab.id)
      else events.turned(at.tab.id)
    }
  }

  /** `left` is the first column of the row on the screen. */
  draw(tabs: readonly Tab[], left: number, width: number, look: Look): void {
    const drawn = JSON.stringify([tabs, left, width])
    if (drawn === this.#drawn && look === this.#look) return
    this.#drawn = drawn
    this.#look = look
    const texts = tabTexts(tabs, width, look)
    let column = left
    this.#columns = tabs.map((tab, place) => {
      const from = column
      column += textWidth(texts[place] ?? "", look.method) + 1
      return { tab, from, to: column - 1 }
    })
    this.node.content = new StyledText(
      tabs.flatMap(({ front }, place) => [
        chunk(texts[place] ?? "", look.ink, {
          role: front ? "tabActive" : "textMuted",
          bold: front,
          inverse: front && look.mono,
        }),
        chunk("│", look.ink, { role: "borderSubtle" }),
      ]),
    )
  }
}
