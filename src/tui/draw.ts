/**
 * State to nodes: what stands around the panels, and where everything is put. Nothing here decides anything.
 *
 * - Nodes are made once. A row whose text and colours are as they were is not touched, so that nothing is painted for nothing.
 */
import { BoxRenderable, StyledText, TextRenderable, type CliRenderer } from "@opentui/core"
import type { Theme } from "../home/theme.ts"
import type { WidthMethod } from "../std/text.ts"
import type { Look } from "./dialogs/frame.ts"
import type { DialogStack } from "./dialogs/stack.ts"
import type { Editor } from "./editor/editor.ts"
import { Popup } from "./editor/popup.ts"
import { layout, type Arrangement, type Layout, type Rect } from "./layout.ts"
import type { ScreenOptions } from "./options.ts"
import type { PanelInput } from "./panels/panel.ts"
import { inkOf, isMono } from "./roles.ts"
import { put, type Slots } from "./slots.ts"
import { folderOf, type Place, type ScreenState } from "./state.ts"
import { activity, type HintKeys } from "./status/activity.ts"
import { banner } from "./status/banner.ts"
import { footer } from "./status/footer.ts"
import { KeyHints, type KeyHint } from "./status/key-hints.ts"
import { outbox } from "./status/outbox.ts"
import type { SearchLine } from "./status/search-line.ts"
import { welcome } from "./status/welcome.ts"
import { chunk, strip, stripChunks, type Strip } from "./status/strip.ts"
import { uncolored } from "./uncolored.ts"

/** Columns of the sign before the text in the editor. */
export const signColumns = 2

export type Hints = HintKeys & { readonly resume: string; readonly copying: string }

export type DrawOptions = {
  readonly renderer: CliRenderer
  readonly options: ScreenOptions
  readonly editor: Editor
  readonly slots: Slots
  readonly dialogs: DialogStack
  readonly search: SearchLine
  readonly port: PanelInput["port"]
  hints(): Hints
  /** What may follow the keys that were pressed. */
  keyHints(state: ScreenState): readonly KeyHint[]
  /** A click into the editor, or the panel that had the keys is not to be seen any more. */
  toEditor(): void
  /** Other panels have something to show than before. */
  filled(ids: ReadonlySet<string>): void
  /** Another dialog is on top, or the focus moved: nodes have to be focused anew. */
  refocus(): void
}

/** What a person said of a panel counts; else it is shown when it has something. The main slot is always shown. */
export function arrangementOf(place: Place): Arrangement {
  const { slots, shown, filled, zoomed } = place
  const others = [...slots.side.stack, ...slots.bottom]
  const hidden = [...slots.main, ...others].filter(
    (id) => !(shown.get(id) ?? (slots.main.includes(id) || filled.has(id))),
  )
  return { slots, hidden: new Set(hidden), zoomed }
}

/** What a terminal measures by; the third way of the renderer is none that terminals have by themselves. */
export function methodOf(renderer: CliRenderer): WidthMethod {
  return renderer.widthMethod === "wcwidth" ? "wcwidth" : "unicode"
}

export class Drawing {
  readonly #given: DrawOptions
  readonly #banner: TextRenderable
  readonly #queue: TextRenderable
  readonly #rule: TextRenderable
  readonly #sign: TextRenderable
  readonly #field: BoxRenderable
  readonly #footer: TextRenderable
  readonly #welcome: TextRenderable
  readonly #popup: Popup
  readonly #keyHints: KeyHints
  readonly #keys = new Map<TextRenderable, string>()
  #look: Look | null = null
  #theme: Theme | null = null
  #size = ""
  #input: PanelInput | null = null
  #focus: ScreenState["focus"] | null = null

  constructor(given: DrawOptions) {
    this.#given = given
    const { renderer } = given
    const text = (): TextRenderable => {
      const node = new TextRenderable(renderer, { position: "absolute", wrapMode: "none", content: "", visible: false })
      renderer.root.add(node)
      return node
    }
    this.#banner = text()
    this.#queue = text()
    this.#rule = text()
    this.#sign = text()
    this.#footer = text()
    this.#welcome = text()
    this.#field = new BoxRenderable(renderer, { position: "absolute" })
    this.#field.add(given.editor.node)
    this.#field.onMouseDown = () => given.toEditor()
    this.#popup = new Popup(renderer)
    this.#keyHints = new KeyHints(renderer)
    for (const node of [this.#field, given.search.node, this.#popup.node, this.#keyHints.node]) renderer.root.add(node)
  }

  /** `content`: the panels may be told of a new view; else only what a key changed is drawn. */
  draw(state: ScreenState, content: boolean): void {
    const { slots, dialogs, options, port, renderer } = this.#given
    const look = this.#lookFor(state.theme)
    const { columns } = state.size
    const hints = this.#given.hints()
    const rows = {
      banner: banner(state, columns, look.method, hints.resume),
      queue: outbox(state),
    }
    const placed = layout({
      ...state.size,
      arrangement: arrangementOf(state.place),
      front: state.place.front,
      editorRows: state.editor.rows,
      queueRows: rows.queue.length,
      bannerRows: rows.banner.length,
    })
    this.#resize(state)
    slots.place(placed, look)
    // A panel that went away or finds no room on a smaller screen would swallow keys unseen.
    if (state.focus.area === "panel" && !placed.order.includes(state.focus.id)) this.#given.toEditor()
    this.#chrome(state, placed, rows, look)
    const view = content || this.#input === null ? state.view : this.#input.view
    const folder = folderOf(state, options.folder)
    const { conversation, theme, now } = state
    const input: PanelInput = { view, conversation, theme, now, widthMethod: look.method, port, folder }
    if (!sameInput(this.#input, input)) this.#input = input
    const { slots: names } = state.place
    const filled = slots.update(this.#input ?? input, [...names.side.stack, ...names.bottom])
    if (filled.symmetricDifference(state.place.filled).size > 0) this.#given.filled(filled)
    const other = dialogs.sync(state.dialogs)
    if (other || state.focus !== this.#focus) this.#given.refocus()
    this.#focus = state.focus
    renderer.requestRender()
  }

  #lookFor(theme: Theme): Look {
    const method = methodOf(this.#given.renderer)
    if (this.#look !== null && theme === this.#theme && method === this.#look.method) return this.#look
    const look: Look = { ink: inkOf(theme), mono: isMono(theme), method }
    this.#look = look
    this.#theme = theme
    this.#keys.clear()
    this.#given.renderer.removePostProcessFn(uncolored)
    if (look.mono) this.#given.renderer.addPostProcessFn(uncolored)
    this.#given.renderer.setBackgroundColor(theme.colors.background === "none" ? "transparent" : look.ink.background)
    this.#given.editor.theme(theme)
    this.#given.search.look(look.ink)
    this.#given.dialogs.look(look)
    return look
  }

  #resize({ size }: ScreenState): void {
    const name = `${size.columns}x${size.rows}`
    if (name === this.#size) return
    this.#size = name
    this.#given.dialogs.resize(size.columns, size.rows)
  }

  #chrome(
    state: ScreenState,
    placed: Layout,
    rows: { readonly banner: ReturnType<typeof banner>; readonly queue: readonly Strip[] },
    look: Look,
  ): void {
    const { options, search } = this.#given
    const { columns } = state.size
    const bannerText = rows.banner.slice(0, placed.banner.height).map(({ text, role }) => ({ text, role }))
    this.#set(this.#banner, placed.banner, JSON.stringify(bannerText), () =>
      bannerText.map(({ text, role }, at) => chunk(`${at > 0 ? "\n" : ""}${text}`, look.ink, { role })),
    )
    const queued = rows.queue.slice(0, placed.queue.height)
    this.#set(this.#queue, placed.queue, JSON.stringify(queued), () =>
      queued.flatMap((row, at) => [
        ...(at > 0 ? [chunk("\n", look.ink, { role: "text" })] : []),
        ...stripChunks(row, columns, look.ink, look.method),
      ]),
    )
    const reader = this.#given.slots.reader()
    const hints = this.#given.hints()
    const reading = {
      remote: options.terminal.remote,
      newBelow: reader?.newBelow ?? 0,
      copying: reader?.copying === true ? hints.copying : "",
    }
    this.#strip(this.#rule, placed.rule, activity(state, hints, reading), look)
    this.#rule.visible = !search.open
    search.place(placed.rule.left, placed.rule.top, placed.rule.width)
    search.refresh()
    this.#strip(this.#footer, placed.footer, footer(state, options), look)
    const sign = { no: "›", told: "!", untold: "!" }[state.editor.shell]
    const role = state.focus.area === "editor" ? (state.editor.shell === "no" ? "primary" : "accent") : "textMuted"
    this.#set(this.#sign, { ...placed.editor, width: signColumns }, sign + role, () => [
      chunk(`${sign} `, look.ink, { role, bold: true }),
    ])
    this.#greet(state, placed, look)
    put(this.#field, {
      ...placed.editor,
      left: placed.editor.left + signColumns,
      width: Math.max(1, placed.editor.width - signColumns),
    })
    this.#popup.draw(state.completion, { columns, above: placed.rule }, look)
    const next = state.keyHints && state.keys.length > 0 ? this.#given.keyHints(state) : []
    this.#keyHints.draw(next, { columns, above: placed.rule }, look)
  }

  /** Words in the middle of the main panel, while there is no conversation. */
  #greet(state: ScreenState, placed: Layout, look: Look): void {
    const main = placed.panels.find(({ slot }) => slot === "main")
    const empty = main !== undefined && this.#given.slots.panel(main.id)?.empty === true
    const rows = empty ? welcome(this.#given.hints(), main.body.width, main.body.height) : []
    this.#welcome.visible = rows.length > 0
    if (main === undefined || rows.length === 0) return
    const width = Math.max(...rows.map(({ text }) => text.length))
    const rect: Rect = {
      left: main.body.left + Math.max(0, Math.floor((main.body.width - width) / 2)),
      top: main.body.top + Math.max(0, Math.floor((main.body.height - rows.length) / 2)),
      width: Math.min(width, main.body.width),
      height: rows.length,
    }
    this.#set(this.#welcome, rect, JSON.stringify([rows, state.keymap]), () =>
      rows.map(({ text, role }, at) => chunk(`${at > 0 ? "\n" : ""}${text}`, look.ink, { role })),
    )
  }

  #strip(node: TextRenderable, rect: Rect, row: Strip, look: Look): void {
    this.#set(node, rect, JSON.stringify(row), () => strip(row, rect.width, look.ink, look.method).chunks)
  }

  /** New content only where `key` or the width is another. */
  #set(node: TextRenderable, rect: Rect, key: string, make: () => readonly StyledText["chunks"][number][]): void {
    put(node, rect)
    const whole = `${rect.width}:${key}`
    if (rect.height === 0 || this.#keys.get(node) === whole) return
    this.#keys.set(node, whole)
    node.content = new StyledText([...make()])
  }
}

function sameInput(a: PanelInput | null, b: PanelInput): boolean {
  return (
    a !== null &&
    a.view === b.view &&
    a.conversation === b.conversation &&
    a.theme === b.theme &&
    a.now === b.now &&
    a.widthMethod === b.widthMethod
  )
}
