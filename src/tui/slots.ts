/**
 * Panels in their slots: made when first shown, put where the layout says, told of what changed.
 *
 * - What a panel throws is its own trouble: it is taken off the screen with a sentence, and everything else goes on.
 * - With the mouse a divider is dragged, a title is dragged to another slot, and its buttons zoom and hide.
 * - A panel that is not in view costs nothing but its memory: it is brought up to date when it is shown.
 */
import { BoxRenderable, TextRenderable, type CliRenderer, type MouseEvent } from "@opentui/core"
import type { Json, JsonObject } from "../std/json.ts"
import { cleanLine } from "../std/clean.ts"
import type { Look } from "./dialogs/frame.ts"
import { slotAt, type Layout, type Placed, type Rect, type SlotName } from "./layout.ts"
import { titleContent, titlePart } from "./panel-title.ts"
import type { Panel, PanelInput, Reader } from "./panels/panel.ts"
import type { Focus } from "./state.ts"
import { Tabs, type Tab } from "./tabs.ts"

export type SlotsOptions = {
  readonly renderer: CliRenderer
  /** A panel by its id, or null where there is none of that name. */
  make(id: string): Panel | null
  /** The panel that a command is for when the editor has the focus. */
  front(): string
  focus(): Focus
  /** A click on a panel. */
  clicked(id: string): void
  /** A click on a tab or a title. */
  turned(id: string): void
  hidden(id: string): void
  zoomed(id: string): void
  isZoomed(id: string): boolean
  moved(id: string, to: SlotName): void
  /** A slot was dragged to so many per cent of the columns or rows. */
  sized(slot: "side" | "bottom", size: number): void
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
  /** The title as it is drawn, and in which colours. */
  named: string
  look: Look | null
}

export class Slots {
  readonly #options: SlotsOptions
  readonly #holders = new Map<string, Holder>()
  readonly #missing = new Set<string>()
  readonly #tabs: Tabs
  readonly #divider: TextRenderable
  #layout: Layout | null = null
  #look: Look | null = null
  /** What the pressed button of the mouse has hold of. */
  #drag: { readonly id: string; readonly as: "move" | "size" } | null = null

  constructor(options: SlotsOptions) {
    this.#options = options
    // What the library may select it does not let be dragged.
    const row = { position: "absolute", wrapMode: "none", content: "", visible: false, selectable: false } as const
    this.#tabs = new Tabs(options.renderer, { turned: options.turned, hidden: options.hidden })
    this.#divider = new TextRenderable(options.renderer, row)
    this.#divider.onMouseDrag = (event) => this.#size("side", event)
    options.renderer.root.add(this.#tabs.node)
    options.renderer.root.add(this.#divider)
  }

  known(id: string): boolean {
    return this.#holder(id) !== null
  }

  /** The panels that can be seen or turned to, in order. */
  visible(): readonly string[] {
    return this.#layout?.order ?? []
  }

  /** Whether the panel is in view: not behind a tab, not hidden. */
  inView(id: string): boolean {
    return this.#layout?.panels.some((panel) => panel.id === id) ?? false
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

  /** The panel that a command is for: the focused one, else the one in front; where several have room, that is the first of them. */
  target(): string {
    const focus = this.#options.focus()
    if (focus.area === "panel") return focus.id
    const front = this.#options.front()
    const first = this.#layout?.panels[0]?.id
    return first !== undefined && this.inView(front) ? first : front
  }

  /** The panel that a command is for is the conversation, and it is empty. */
  get nothingSaid(): boolean {
    const { panel } = this.#holder(this.target()) ?? {}
    return panel?.id === "chat" && panel.empty
  }

  /** Whether that panel has a command of this name. */
  offers(name: string): boolean {
    return this.#holder(this.target())?.panel.commands[name] !== undefined
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

  /** Where the reader is in each panel that keeps it. */
  places(): Readonly<Record<string, Json>> {
    return Object.fromEntries(
      [...this.#holders].flatMap(([id, { panel }]) => (panel.places === undefined ? [] : [[id, panel.places.save()]])),
    )
  }

  /** Goes back to where the reader was in a session, now or when that session is shown. */
  restorePlaces(session: string, places: Readonly<Record<string, Json | undefined>>): void {
    for (const [id, place] of Object.entries(places)) {
      if (place !== undefined) this.#guard(id, ({ panel }) => panel.places?.restore(session, place))
    }
  }

  /** Puts every panel where it belongs, hides the others. */
  place(layout: Layout, look: Look): void {
    this.#layout = layout
    this.#look = look
    const placed = new Map(layout.panels.map((panel) => [panel.id, panel]))
    for (const [id, holder] of this.#holders) {
      if (placed.has(id)) continue
      holder.box.visible = false
      holder.title.visible = false
    }
    for (const panel of layout.panels) this.#place(panel)
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
    this.#drawNames()
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
    const title = new TextRenderable(renderer, {
      position: "absolute",
      wrapMode: "none",
      content: "",
      visible: false,
      selectable: false,
    })
    this.#listen(id, title)
    box.add(panel.node)
    renderer.root.add(box)
    renderer.root.add(title)
    const holder: Holder = { box, title, panel, size: "", seen: null, named: "", look: null }
    this.#holders.set(id, holder)
    return holder
  }

  /** Titles and tabs, once the panels know what they show. */
  #drawNames(): void {
    const [layout, look] = [this.#layout, this.#look]
    if (layout === null || look === null) return
    const focus = this.#options.focus()
    for (const { id, title } of layout.panels) {
      const holder = this.#holder(id)
      if (holder === null || title === null) continue
      const state = { focused: focus.area === "panel" && focus.id === id, zoomed: this.#options.isZoomed(id) }
      const name = cleanLine(holder.panel.title())
      const named = JSON.stringify([name, title.width, state])
      if (named === holder.named && look === holder.look) continue
      holder.named = named
      holder.look = look
      holder.title.content = titleContent(name, title.width, state, look)
    }
    this.#drawTabs(layout, look)
  }

  #place({ id, title, body }: Placed): void {
    const holder = this.#holder(id)
    if (holder === null) return
    put(holder.box, body)
    holder.title.visible = title !== null
    if (title !== null) put(holder.title, title)
    const size = `${body.width}x${body.height}`
    if (size === holder.size) return
    holder.size = size
    this.#guard(id, ({ panel }) => panel.resize(body.width, body.height))
  }

  #drawTabs({ tabs, panels }: Layout, look: Look): void {
    this.#tabs.node.visible = tabs !== null
    if (tabs === null) return
    put(this.#tabs.node, tabs.rect)
    const front = panels[0]
    const all = tabs.ids.map((id): Tab => {
      const name = cleanLine(this.#holder(id)?.panel.title() ?? id)
      return { id, name, front: id === front?.id, hides: id === front?.id && front.slot !== "main" }
    })
    this.#tabs.draw(all, tabs.rect.left, tabs.rect.width, look)
  }

  #listen(id: string, title: TextRenderable): void {
    title.onMouseDown = (event) => {
      const placed = this.#layout?.panels.find((panel) => panel.id === id)
      if (placed?.title == null || this.#look === null) return
      const { left, width } = placed.title
      const part = titlePart(cleanLine(this.#holder(id)?.panel.title() ?? ""), event.x - left, width, this.#look)
      if (part === "hide") return this.#options.hidden(id)
      if (part === "zoom") return this.#options.zoomed(id)
      const firstBelow = this.#layout?.panels.find(({ slot }) => slot === "bottom")?.id === id
      this.#drag = { id, as: part === "line" && firstBelow ? "size" : "move" }
      this.#options.turned(id)
    }
    title.onMouseDrag = (event) => {
      if (this.#drag?.id === id && this.#drag.as === "size") this.#size("bottom", event)
    }
    title.onMouseDragEnd = (event) => {
      const to = this.#layout === null ? null : slotAt(this.#layout, event.x, event.y)
      if (this.#drag?.id === id && this.#drag.as === "move" && to !== null) this.#options.moved(id, to)
      this.#drag = null
    }
  }

  /** The edge of a slot follows the pointer. */
  #size(slot: "side" | "bottom", { x, y }: MouseEvent): void {
    if (this.#layout === null) return
    const { width, top: height } = this.#layout.banner
    this.#options.sized(slot, slot === "side" ? ((width - x - 1) / width) * 100 : ((height - y) / height) * 100)
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
