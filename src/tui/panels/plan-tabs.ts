/** The row of plan files, where there is more than one. */
import { StyledText, TextRenderable, type RenderContext } from "@opentui/core"
import type { Theme } from "../../home/theme.ts"
import { cleanLine } from "../../std/clean.ts"
import { shorten, textWidth, type WidthMethod } from "../../std/text.ts"
import { inkOf, isMono } from "../roles.ts"
import { chunk } from "../status/strip.ts"

export type PlanTab = { readonly path: string; readonly title: string; readonly front: boolean }

export class PlanTabs {
  readonly node: TextRenderable
  #columns: readonly { readonly path: string; readonly to: number }[] = []

  constructor(context: RenderContext, turned: (path: string) => void) {
    this.node = new TextRenderable(context, {
      content: "",
      width: "100%",
      height: 1,
      flexShrink: 0,
      wrapMode: "none",
      visible: false,
    })
    this.node.onMouseDown = (event) => {
      const path = this.#columns.find(({ to }) => event.x - this.node.screenX < to)?.path
      if (path !== undefined) turned(path)
    }
  }

  draw(tabs: readonly PlanTab[], width: number, theme: Theme, method: WidthMethod): void {
    this.node.visible = tabs.length > 1
    const ink = inkOf(theme)
    const mono = isMono(theme)
    // The one in front is always seen: others give way to it.
    const each = Math.max(6, Math.floor(width / Math.max(1, tabs.length)) - 1)
    let to = 0
    this.#columns = tabs.map(({ path, title }) => {
      to += textWidth(text(title, each, method), method) + 1
      return { path, to }
    })
    this.node.content = new StyledText(
      tabs.flatMap(({ title, front }) => [
        chunk(text(title, each, method), ink, {
          role: front ? "tabActive" : "textMuted",
          bold: front,
          inverse: front && mono,
        }),
        chunk("│", ink, { role: "borderSubtle" }),
      ]),
    )
  }
}

function text(title: string, columns: number, method: WidthMethod): string {
  return shorten(` ${cleanLine(title)} `, columns, method)
}
