/** A list with a filter: the picker of models, themes, sessions, and of all commands. */
import {
  InputRenderable,
  StyledText,
  type CliRenderer,
  type KeyEvent,
  type TextChunk,
  type TextRenderable,
} from "@opentui/core"
import { clean } from "../../std/clean.ts"
import { wrap } from "../../std/text.ts"
import { chunk, stripChunks, type Strip } from "../status/strip.ts"
import type { Dialog, Item, ListDialog } from "./dialog.ts"
import { Frame, room, textNode, type DialogView, type Look } from "./frame.ts"
import { ask, chosen, listRows, makeList, scroll, stays, walk, type List, type ListRow } from "./list.ts"

export type ListAnswers = {
  chosen(item: Item): void
  cancelled(): void
  /** The keys of a command, for the hint; empty where nothing is bound. */
  keysOf(command: string): string
}

/** Under this many rows the rows of a preview go to the list; it never has more than these. */
const previewFromRows = 12
const previewRowsMin = 5
const previewRowsMax = 9

/** A line, then the text in as many rows as there are. */
function previewText(text: string, rows: number, columns: number, { ink, method }: Look): StyledText {
  const width = { method, by: "word", first: columns, rest: columns } as const
  const lines = clean(text)
    .split("\n")
    .slice(0, rows)
    .flatMap((line) => wrap(line, width).map(({ from, to }) => line.slice(from, to)))
  const shown = ["─".repeat(columns), ...lines.slice(0, Math.max(0, rows - 1))]
  return new StyledText(
    shown.map((line, at) => chunk(`${at > 0 ? "\n" : ""}${line}`, ink, { role: at === 0 ? "border" : "textMuted" })),
  )
}

/** Under this many rows the hint row goes to the list. */
const hintRowsMin = 9

export class ListView implements DialogView {
  readonly #frame: Frame
  readonly #input: InputRenderable
  readonly #list: TextRenderable
  readonly #preview: TextRenderable
  readonly #hint: TextRenderable
  readonly #answers: ListAnswers
  #dialog: ListDialog
  #model: List
  /** What is drawn, and the first row of it that is in view. */
  #drawn: readonly ListRow[] = []
  #first = 0
  #look: Look | null = null
  #size = { columns: 80, rows: 24 }

  constructor(renderer: CliRenderer, dialog: ListDialog, answers: ListAnswers) {
    this.#dialog = dialog
    this.#answers = answers
    this.#model = makeList(dialog.items ?? [], dialog.filter ?? "", dialog.at, dialog.asked === undefined)
    this.#frame = new Frame(renderer, dialog.title)
    this.#input = new InputRenderable(renderer, {
      width: "100%",
      value: dialog.filter ?? "",
      placeholder: dialog.asked === undefined ? "type to narrow" : "type to search",
      flexShrink: 0,
    })
    this.#list = textNode(renderer, 1)
    this.#preview = textNode(renderer, 1)
    this.#hint = textNode(renderer, 1)
    for (const node of [this.#input, this.#list, this.#preview, this.#hint]) this.#frame.box.add(node)
    this.#list.onMouseDown = (event) => this.#click(event.y - this.#list.screenY)
    const item = chosen(this.#model)
    if (item !== undefined && dialog.preview !== undefined) dialog.moved?.(item)
    this.#frame.box.onMouseScroll = (event) => this.run(event.scroll?.direction === "up" ? "up" : "down")
  }

  get node(): Frame["box"] {
    return this.#frame.box
  }

  run(command: string): boolean {
    const page = Math.max(1, this.#rows() - 1)
    const by = { up: -1, down: 1, pageUp: -page, pageDown: page, top: -1e9, bottom: 1e9 }[command]
    if (by !== undefined) return this.#set(walk(this.#model, by))
    const item = chosen(this.#model)
    if (command === "cancel") {
      this.#answers.cancelled()
      return true
    }
    if (command === "accept") {
      if (item !== undefined && item.off === undefined) this.#answers.chosen(item)
      return true
    }
    if (command === "complete") {
      if (item === undefined) return true
      this.#input.value = item.label
      return this.#ask()
    }
    const action = this.#dialog.actions?.find((other) => other.command === `dialog.${command}`)
    if (action === undefined) return false
    if ("always" in action) action.always()
    else if (item === undefined) return false
    else action.run(item)
    return true
  }

  type(text: string): void {
    this.#input.insertText(text.replaceAll("\n", " "))
    this.#ask()
  }

  key(event: KeyEvent): void {
    this.#input.handleKeyPress(event)
    this.#ask()
  }

  update(dialog: Dialog): void {
    if (dialog.kind !== "list" || dialog === this.#dialog) return
    const before = chosen(this.#model)?.key
    const same = dialog.items === this.#dialog.items
    this.#dialog = dialog
    this.#frame.title(dialog.title)
    const items = dialog.items ?? []
    const at = stays(this.#model, items) ?? dialog.at
    if (!same) this.#model = makeList(items, this.#model.query, at, this.#model.narrows)
    const item = chosen(this.#model)
    if (item !== undefined && item.key !== before) dialog.moved?.(item)
    this.#draw()
  }

  look(look: Look): void {
    this.#look = look
    this.#frame.look(look)
    this.#input.textColor = look.ink.text
    this.#input.focusedTextColor = look.ink.text
    this.#input.backgroundColor = "transparent"
    this.#input.focusedBackgroundColor = "transparent"
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
    this.#frame.box.destroyRecursively()
  }

  /** A click chooses a row, and one on the chosen row takes it. */
  #click(row: number): void {
    const clicked = this.#drawn[this.#first + row]
    if (clicked === undefined || "heading" in clicked) return
    const { place } = clicked
    if (place === this.#model.place) this.run("accept")
    else this.#set({ ...this.#model, place })
  }

  #ask(): boolean {
    const before = this.#model.query
    const done = this.#set(ask(this.#model, this.#input.value))
    if (this.#model.query !== before) (this.#dialog.asked ?? this.#dialog.typed)?.(this.#model.query)
    return done
  }

  #set(next: List): boolean {
    const before = chosen(this.#model)?.key
    this.#model = next
    const item = chosen(next)
    if (item !== undefined && item.key !== before) this.#dialog.moved?.(item)
    this.#draw()
    return true
  }

  #hasHint(): boolean {
    return room(this.#size.columns, this.#size.rows).rows >= hintRowsMin
  }

  /** Rows below the items: a line, and what the chosen one holds. */
  #previewRows(): number {
    if (this.#dialog.preview === undefined) return 0
    const { rows } = room(this.#size.columns, this.#size.rows)
    return rows < previewFromRows ? 0 : Math.min(previewRowsMax, Math.max(previewRowsMin, Math.floor(rows / 3)))
  }

  /** Rows for items on this screen. */
  #rows(): number {
    const { rows } = room(this.#size.columns, this.#size.rows)
    return Math.max(1, rows - 1 - this.#previewRows() - (this.#hasHint() ? 1 : 0))
  }

  #draw(): void {
    const look = this.#look
    if (look === null) return
    const { place, items } = this.#model
    this.#drawn = listRows(this.#model)
    // The frame keeps its height while the filter narrows: a list that jumps is hard to read.
    const whole = listRows({ query: "", shown: items, narrows: true }).length
    const wanted = this.#model.narrows ? Math.max(1, whole) : this.#rows()
    const rows = Math.min(this.#rows(), wanted)
    const bar = this.#drawn.findIndex((row) => "place" in row && row.place === place)
    // The heading over the first item comes into view with it.
    const from = place === 0 ? 0 : this.#first
    this.#first = scroll(from, Math.max(0, bar), rows, this.#drawn.length)
    const { columns } = room(this.#size.columns, this.#size.rows)
    const visible = this.#drawn.slice(this.#first, this.#first + rows)
    const strips = visible.length > 0 ? visible.map((row) => this.#rowStrip(row)) : this.#none()
    const chunks = strips.flatMap((one, at): readonly TextChunk[] => {
      const row = stripChunks(one, columns, look.ink, look.method)
      return at === 0 ? row : [{ __isChunk: true, text: "\n" }, ...row]
    })
    this.#list.height = rows
    this.#list.content = new StyledText(chunks)
    const preview = this.#previewRows()
    this.#preview.visible = preview > 0
    this.#preview.height = preview
    this.#preview.content = previewText(
      this.#model.shown.length === 0 ? "" : (this.#dialog.preview ?? ""),
      preview,
      columns,
      look,
    )
    this.#hint.visible = this.#hasHint()
    this.#hint.content = new StyledText([...stripChunks(this.#hintStrip(), columns, look.ink, look.method)])
    this.#frame.place(this.#size.columns, this.#size.rows, 1 + rows + preview + (this.#hasHint() ? 1 : 0))
  }

  #rowStrip(row: ListRow): Strip {
    if ("heading" in row) return { left: [{ text: row.heading, role: "accent", bold: true }], right: [], gap: " " }
    const item = this.#model.shown[row.place]
    return item === undefined ? { left: [], right: [], gap: " " } : this.#strip(item, row.place === this.#model.place)
  }

  #strip(item: Item, bar: boolean): Strip {
    const mono = this.#look?.mono === true
    const role = bar && !mono ? "selectedListItemText" : item.off === undefined ? "text" : "textMuted"
    const dim = bar && !mono ? "selectedListItemText" : "textMuted"
    const first = item.keepsRight === true && item.off === undefined ? 2 : 0
    return {
      lead: bar ? "› " : "  ",
      left: [
        // Why it cannot be chosen is worth more than all of its name.
        { text: item.off === undefined ? item.label : (item.label.split(";")[0] ?? ""), role, drop: 0, bold: bar },
        { text: item.off === undefined ? (item.detail ?? "") : item.off, role: dim, drop: 2 + first },
      ],
      right: [{ text: item.right ?? "", role: dim, drop: 3 }],
      gap: " ",
      ...(bar ? (mono ? { inverse: true } : { on: "primary" as const }) : {}),
    }
  }

  #none(): readonly Strip[] {
    const { items, empty } = this.#dialog
    const text = items === null ? "looking …" : items.length === 0 ? (empty ?? "nothing here") : "nothing matches"
    return [{ left: [{ text, role: "textMuted" }], right: [], gap: " " }]
  }

  #hintStrip(): Strip {
    const off = chosen(this.#model)?.off
    if (off !== undefined) return { left: [{ text: `not now: ${off}`, role: "warning", drop: 0 }], right: [], gap: " " }
    const actions = [{ command: "dialog.accept", label: "take" }, ...(this.#dialog.actions ?? [])]
    const hints = actions
      .map(({ command, label }) => ({ keys: this.#answers.keysOf(command), label }))
      .filter(({ keys }) => keys !== "")
    const { shown, place } = this.#model
    const count = shown.length === 0 ? "" : `${place + 1}/${shown.length}`
    return {
      left: hints.map(({ keys, label }, at) => ({ text: `${keys} ${label}`, role: "textMuted" as const, drop: at })),
      right: [{ text: count, role: "textMuted", drop: 1 }],
      gap: " ",
    }
  }
}
