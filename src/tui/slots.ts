/**
 * Panels in their slots: made when first shown, put where the layout says, told of what changed.
 *
 * - What a panel throws is its own trouble: it is taken off the screen with a sentence, and everything else goes on.
 * - A panel that is not in view costs nothing but its memory: it is brought up to date when it is shown.
 */
import { BoxRenderable, StyledText, TextRenderable, type CliRenderer, type TextChunk } from "@opentui/core"
import type { JsonObject } from "../std/json.ts"
import { cleanLine } from "../std/clean.ts"
import { shorten, textWidth } from "../std/text.ts"
import type { Look } from "./dialogs/frame.ts"
import { visiblePanels, type Layout, type Placed, type Rect } from "./layout.ts"
import type { Panel, PanelInput, Reader } from "./panels/panel.ts"
import type { Focus } from "./state.ts"
import { chunk } from "./status/strip.ts"

export type SlotsOptions = {
  readonly renderer: CliRenderer
  /** A panel by its id, or null where there is none of that name. */
  make(id: string): Panel | null
  /** The panel that a command is for when the editor has the focus. */
  front(): string
  focus(): Focus
  /** A click on a panel. */
  clicked(id: string): void
  /** A click on a tab. */
  turned(id: string): void
  /** Focus has to be given to a node again. */
  refocus(): void
  failed(id: string, error: unknown): void
}

type Holder = {
  readonly box: BoxRenderable
  readonly title: TextRenderable
  readonly panel: Panel
  size: string
  seen: PanelInput | null
}

export class Slots {
  readonly #options: SlotsOptions
  readonly #holders = new Map<string, Holder>()
  readonly #missing = new Set<string>()
  readonly #tabs: TextRenderable
  readonly #divider: TextRenderable
  #layout: Layout | null = null
  /** The columns of each tab, the end exclusive. */
  #tabColumns: readonly { readonly id: string; readonly from: number; readonly to: number }[] = []

  constructor(options: SlotsOptions) {
    this.#options = options
    const row = { position: "absolute", wrapMode: "none", content: "", visible: false } as const
    this.#tabs = new TextRenderable(options.renderer, row)
    this.#divider = new TextRenderable(options.renderer, row)
    this.#tabs.onMouseDown = (event) => {
      const tab = this.#tabColumns.find(({ from, to }) => event.x >= from && event.x < to)
      if (tab !== undefined) options.turned(tab.id)
    }
    options.renderer.root.add(this.#tabs)
    options.renderer.root.add(this.#divider)
  }

  known(id: string): boolean {
    return this.#holder(id) !== null
  }

  /** The panels that can be seen or turned to, in order. */
  visible(): readonly string[] {
    return this.#layout === null ? [] : visiblePanels(this.#layout)
  }

  refocus(): void {
    this.#options.refocus()
  }

  /** Contexts of the panel that has the focus. */
  contexts(id: string): readonly string[] {
    const panel = this.#holder(id)?.panel
    if (panel === undefined) return []
    return panel.reader?.copying === true ? ["copy", ...panel.contexts] : panel.contexts
  }

  panel(id: string): Panel | null {
    return this.#holder(id)?.panel ?? null
  }

  focus(id: string, on: boolean): void {
    this.#guard(id, ({ panel }) => panel.focus(on))
  }

  /** The panel that a command is for: the focused one, else the one in front. */
  target(): string {
    const focus = this.#options.focus()
    return focus.area === "panel" ? focus.id : this.#options.front()
  }

  /** Runs a command of that panel. False where it has none of that name, or it did not apply. */
  run(name: string, args: JsonObject): boolean {
    const id = this.target()
    const command = this.#holder(id)?.panel.commands[name]
    return command !== undefined && (this.#guard(id, () => command(args)) ?? false)
  }

  /** What a search and a selection are for. */
  reader(): Reader | null {
    return this.#holder(this.target())?.panel.reader ?? null
  }

  /** Where the reader is in each panel that was opened. */
  readers(): readonly (readonly [string, Reader])[] {
    return [...this.#holders].flatMap(([id, { panel }]) => (panel.reader === null ? [] : [[id, panel.reader] as const]))
  }

  /** Puts every panel where it belongs, hides the others. */
  place(layout: Layout, look: Look): void {
    this.#layout = layout
    const placed = new Map(layout.panels.map((panel) => [panel.id, panel]))
    for (const [id, holder] of this.#holders) {
      if (placed.has(id)) continue
      holder.box.visible = false
      holder.title.visible = false
    }
    for (const panel of layout.panels) this.#place(panel, look)
    this.#drawTabs(layout, look)
    this.#drawDivider(layout.divider, look)
  }

  /**
   * Tells the panels what they are to show: those in view, and those of `watched` that have nothing to show yet, which come into view once
   * they have. Gives the ids of panels that have something.
   */
  update(input: PanelInput, watched: readonly string[]): ReadonlySet<string> {
    const shown = new Set(this.#layout?.panels.map(({ id }) => id))
    for (const id of new Set([...shown, ...watched])) {
      this.#guard(id, (holder) => {
        if (holder.seen === input || (!shown.has(id) && !holder.panel.empty)) return
        holder.seen = input
        holder.panel.update(input)
      })
    }
    return new Set([...this.#holders].filter(([, { panel }]) => !panel.empty).map(([id]) => id))
  }

  close(): void {
    for (const id of [...this.#holders.keys()]) this.#drop(id)
  }

  #holder(id: string): Holder | null {
    const known = this.#holders.get(id)
    if (known !== undefined) return known
    if (this.#missing.has(id)) return null
    const panel = this.#options.make(id)
    if (panel === null) {
      this.#missing.add(id)
      return null
    }
    const { renderer } = this.#options
    const box = new BoxRenderable(renderer, { position: "absolute", visible: false, overflow: "hidden" })
    box.onMouseDown = () => this.#options.clicked(id)
    const title = new TextRenderable(renderer, { position: "absolute", wrapMode: "none", content: "", visible: false })
    box.add(panel.node)
    renderer.root.add(box)
    renderer.root.add(title)
    const holder: Holder = { box, title, panel, size: "", seen: null }
    this.#holders.set(id, holder)
    return holder
  }

  #place({ id, title, body }: Placed, look: Look): void {
    const holder = this.#holder(id)
    if (holder === null) return
    const focus = this.#options.focus()
    const focused = focus.area === "panel" && focus.id === id
    put(holder.box, body)
    holder.title.visible = title !== null
    if (title !== null) {
      put(holder.title, title)
      const name = shorten(` ${cleanLine(holder.panel.title())} `, title.width, look.method)
      const line = "─".repeat(Math.max(0, title.width - textWidth(name, look.method)))
      holder.title.content = new StyledText([
        chunk(name, look.ink, {
          role: focused ? "primary" : "textMuted",
          bold: focused,
          inverse: focused && look.mono,
        }),
        chunk(line, look.ink, { role: focused ? "focus" : "borderSubtle" }),
      ])
    }
    const size = `${body.width}x${body.height}`
    if (size === holder.size) return
    holder.size = size
    this.#guard(id, ({ panel }) => panel.resize(body.width, body.height))
  }

  #drawTabs({ tabs, panels }: Layout, look: Look): void {
    this.#tabs.visible = tabs !== null
    if (tabs === null) return
    put(this.#tabs, tabs.rect)
    const front = panels[0]?.id
    let column = tabs.rect.left
    this.#tabColumns = tabs.ids.map((id) => {
      const from = column
      column += textWidth(this.#tabText(id), look.method) + 1
      return { id, from, to: column - 1 }
    })
    const chunks = tabs.ids.flatMap((id): readonly TextChunk[] => {
      const on = id === front
      return [
        chunk(this.#tabText(id), look.ink, {
          role: on ? "tabActive" : "textMuted",
          bold: on,
          inverse: on && look.mono,
        }),
        chunk("│", look.ink, { role: "borderSubtle" }),
      ]
    })
    this.#tabs.content = new StyledText(chunks)
  }

  #tabText(id: string): string {
    return ` ${cleanLine(this.#holder(id)?.panel.title() ?? id)} `
  }

  #drawDivider(rect: Rect | null, look: Look): void {
    this.#divider.visible = rect !== null
    if (rect === null) return
    put(this.#divider, rect)
    this.#divider.fg = look.ink.borderSubtle
    this.#divider.content = Array.from({ length: rect.height }, () => "│").join("\n")
  }

  /** Runs `work` on a panel; a panel that throws is taken away. */
  #guard<T>(id: string, work: (holder: Holder) => T): T | undefined {
    const holder = this.#holder(id)
    if (holder === null) return undefined
    try {
      return work(holder)
    } catch (error) {
      this.#drop(id)
      this.#missing.add(id)
      this.#options.failed(id, error)
      return undefined
    }
  }

  #drop(id: string): void {
    const holder = this.#holders.get(id)
    if (holder === undefined) return
    this.#holders.delete(id)
    holder.panel.dispose()
    holder.box.destroyRecursively()
    holder.title.destroy()
  }
}

/** Gives a node its rectangle, and only writes what differs. */
export function put(node: BoxRenderable | TextRenderable, rect: Rect): void {
  node.left = rect.left
  node.top = rect.top
  node.width = rect.width
  node.height = rect.height
  node.visible = rect.width > 0 && rect.height > 0
}
