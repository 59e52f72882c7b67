/**
 * A scrolling view of blocks on one node: reading, folding, searching, selecting.
 *
 * - Calls change the view's state at once; what it looks like is worked out once, when the next frame is painted.
 * - Nothing moves what the reader is looking at, but what the reader asked for.
 * - A search looks through blocks between frames, a slice at a time; the newest query wins.
 */
import type { MouseEvent, RenderContext } from "@opentui/core"
import type { Theme } from "../../home/theme.ts"
import type { WidthMethod } from "../../std/text.ts"
import type { RowBlock } from "../rows/content.ts"
import { Palette } from "../rows/paint.ts"
import { drawWindow, marginsOf } from "./draw.ts"
import { Keyboard } from "./keyboard.ts"
import { Pace } from "./pace.ts"
import { Pointer } from "./pointer.ts"
import { textOfRange, type Position } from "./place.ts"
import { type Place } from "./scroll.ts"
import { Seeker, type SearchState } from "./seeker.ts"
import { Store } from "./store.ts"
import { Surface } from "./surface.ts"
import type { RowViewOptions } from "./view-options.ts"
import { Window } from "./window.ts"

/** Rows that a turn of the wheel scrolls. */
const wheelRows = 3

export class RowView<B extends RowBlock> {
  readonly node: Surface
  readonly #options: RowViewOptions<B>
  readonly #store: Store<B>
  readonly #window: Window<B>
  readonly #seeker: Seeker<B>
  readonly #pointer: Pointer<B>
  readonly #pace: Pace<B>
  /** Selecting with the keyboard. */
  readonly copy: Keyboard<B>
  #palette: Palette
  #current: number | null = null
  #focused = false
  #told = ""

  constructor(context: RenderContext, options: RowViewOptions<B>) {
    this.#options = options
    this.#palette = new Palette(options.theme)
    this.#store = new Store(options.source, options.widthMethod)
    this.#window = new Window(this.#store)
    this.#seeker = new Seeker(this.#window, options.clock, () => this.#changed())
    this.#pointer = new Pointer(this.#window, options.clock)
    this.copy = new Keyboard(this.#window, () => this.#changed())
    this.node = new Surface(context, { width: "100%", height: "100%" }, options.widthMethod)
    this.#pace = new Pace(this.#window, options.clock, options.followMs ?? 0, () => this.node.requestRender())
    this.node.onPaint = () => this.#paint()
    this.node.onMouse = (event: MouseEvent) => this.#mouse(event)
  }

  get following(): boolean {
    return this.#window.following
  }

  /** More comes than is shown before the next scroll. */
  get waiting(): boolean {
    return this.#pace.waiting
  }

  /** Blocks that are new below what is read. */
  get newBelow(): number {
    return this.#window.newBelow
  }

  get top(): Place {
    return this.#window.top
  }

  block(index: number): B | undefined {
    return this.#store.block(index)
  }

  /** All blocks: those that stay, and after them those that come and go with every frame. */
  setBlocks(settled: readonly B[], live: readonly B[] = []): void {
    const shift = this.#pace.making(() => this.#window.setBlocks(settled, live))
    if (shift.same) return
    if (this.#current !== null) this.#current = shift.move(this.#current) ?? null
    this.copy.shift(shift)
    this.#seeker.shift(shift)
    this.#pointer.shift(shift)
    this.#changed()
  }

  setTheme(theme: Theme): void {
    if (theme === this.#palette.theme) return
    this.#palette = new Palette(theme)
    this.node.requestRender()
  }

  resize(width: number, height: number, method: WidthMethod = this.#store.method): void {
    const { left, right } = marginsOf(width)
    this.node.method = method
    this.#window.resize(width - left - right, height, method)
    this.#changed()
  }

  /** What contents wait for may have come: colours of code. */
  refresh(): void {
    this.#window.change(() => this.#store.refreshPending())
    this.node.requestRender()
  }

  scrollBy(rows: number): boolean {
    return this.#did(this.#window.scrollBy(rows))
  }

  pageBy(pages: number): boolean {
    return this.scrollBy(Math.sign(pages) * Math.max(1, Math.floor(Math.abs(pages) * (this.#window.rows - 1))))
  }

  toTop(): boolean {
    return this.#did(this.#window.toTop())
  }

  toBottom(): boolean {
    return this.#did(this.#window.toBottom())
  }

  /** To the first row of the nearest block above (-1) or below (1) that is `wanted`, below the last one to the end; false where there is none. */
  toBlock(direction: -1 | 1, wanted: (block: B) => boolean): boolean {
    const place = this.#window.blockFrom(direction, this.#window.top, wanted)
    if (place === undefined) return direction > 0 && this.toBottom()
    this.#current = place.index
    this.#window.goTo(place)
    return this.#did(true)
  }

  /** The block that commands are about: the chosen one while it is in view, else the last one in view that can be folded. */
  get currentBlock(): { readonly index: number; readonly block: B } | undefined {
    const shown = this.#window.visible().map(({ place }) => place.index)
    const chosen = this.#current !== null && shown.includes(this.#current) ? this.#current : undefined
    const foldable = shown.findLast((one) => (this.#store.block(one)?.group ?? null) !== null)
    const index = this.copy.cursor?.index ?? chosen ?? foldable ?? shown.at(-1)
    const block = index === undefined ? undefined : this.#store.block(index)
    return index === undefined || block === undefined ? undefined : { index, block }
  }

  /** Without the focus no block is marked as the one that commands are about. */
  setFocus(on: boolean): void {
    this.#focused = on
    this.node.requestRender()
  }

  /** The block that was chosen, null where none was. */
  get chosen(): number | null {
    return this.#current
  }

  /** Chooses a block, and brings it into view. */
  choose(index: number): boolean {
    if (this.#store.block(index) === undefined) return false
    this.#current = index
    this.#window.reveal({ index, row: 0 }, 1)
    return this.#did(true)
  }

  /** Chooses the next block down or up, and brings it into view. */
  moveBlock(direction: -1 | 1): boolean {
    const shown = this.#window.visible()
    const inView = this.#current !== null && shown.some(({ place }) => place.index === this.#current)
    const edge = direction > 0 ? shown[0] : shown.at(-1)
    const from = inView ? (this.#current ?? 0) + direction : edge?.place.index
    if (from === undefined || this.#store.block(from) === undefined) return false
    this.#current = from
    this.#window.reveal({ index: from, row: 0 })
    return this.#did(true)
  }

  /** Folds or unfolds a block; false where it has nothing to fold. */
  toggleFold(index = this.currentBlock?.index): boolean {
    const block = index === undefined ? undefined : this.#store.block(index)
    if (index === undefined || block === undefined || block.group === null) return false
    this.#window.change(() => this.#store.setOpen(index, !this.#store.isOpen(block)))
    return this.#did(true)
  }

  /** Folds or unfolds all blocks of a group. */
  toggleGroup(group: string, open?: boolean): boolean {
    const first = this.currentBlock?.block
    const now = this.#store.groupOpen(group) ?? (first?.group === group ? this.#store.isOpen(first) : false)
    this.#window.change(() => this.#store.setGroupOpen(group, open ?? !now))
    return this.#did(true)
  }

  /** Looks for text without moving anything; an empty query clears. */
  search(query: string, more: { readonly regex?: boolean } = {}): void {
    this.#seeker.search(query, more.regex ?? false)
    this.#changed()
  }

  get searchState(): SearchState {
    return this.#seeker.state
  }

  /** Goes to the next match down (1) or up (-1), around the end. False while there is none. */
  toMatch(direction: -1 | 1): boolean {
    return this.#at(this.#seeker.go(direction))
  }

  /** Goes to the first match of all (1), or the last one (-1). */
  toOuterMatch(end: -1 | 1): boolean {
    return this.#at(this.#seeker.goOuter(end))
  }

  /** Looks for plain text and goes to its first match in block `index` or below. */
  searchFrom(query: string, index: number): boolean {
    this.#seeker.search(query, false)
    return this.#at(this.#seeker.goFrom(index))
  }

  #at(position: Position | undefined): boolean {
    if (position === undefined) return false
    this.#current = position.index
    this.copy.goTo(position)
    return this.#did(true)
  }

  /** Ends a search; `restore` goes back to where it began. */
  closeSearch(restore: boolean): boolean {
    const closed = this.#seeker.close(restore)
    if (closed) this.#changed()
    return closed
  }

  get copying(): boolean {
    return this.copy.cursor !== null
  }

  /** What is selected with the keyboard or the mouse, as it was written; empty where nothing is. */
  selectedText(): string {
    const range = this.#pointer.range
    return this.copy.text() ?? (range === null ? "" : textOfRange(this.#store, range.from, range.to))
  }

  clearSelection(): boolean {
    return this.#did(this.#pointer.clear())
  }

  /** The code that the reader is at: at the cursor, else the last in view of the chosen block, else the last in view; empty where there is none. */
  codeText(): string {
    const { cursor } = this.copy
    if (cursor !== null) return this.#store.layout(cursor.index).units[cursor.unit]?.code?.text ?? ""
    const codes = this.#window.visible().flatMap(({ place, row }) => {
      const code = row.pieces[0]?.unit.code
      return code === undefined ? [] : [{ index: place.index, code }]
    })
    const found = codes.findLast(({ index }) => index === this.#current) ?? codes.at(-1)
    return found?.code.text ?? ""
  }

  /** All that a block says, as it was written, folded or not. */
  blockText(index: number): string {
    return this.#store.texts(index).join("\n")
  }

  /** Where the reader is, to come back to. */
  get place(): { readonly key: string; readonly row: number; readonly following: boolean } {
    const { index, row } = this.#window.top
    return { key: this.#store.block(index)?.key ?? "", row, following: this.#window.following }
  }

  restorePlace(place: { readonly key: string; readonly row: number; readonly following: boolean }): boolean {
    for (let index = 0; index < this.#store.count; index++) {
      if (this.#store.block(index)?.key !== place.key) continue
      this.#window.restore({ index, row: place.row }, place.following)
      return this.#did(true)
    }
    return false
  }

  dispose(): void {
    this.#seeker.close(false)
    this.#pace.close()
    this.node.destroy()
  }

  #did(happened: boolean): boolean {
    if (!happened) return false
    this.#changed()
    this.#options.events.moved?.()
    return true
  }

  #changed(): void {
    this.node.requestRender()
    this.#tell()
  }

  /** Tells what others show of the view, where that is something else than they were told last. */
  #tell(): void {
    const { following, newBelow } = this.#window
    const told = JSON.stringify([following, newBelow, this.#seeker.state, this.copying])
    if (told === this.#told) return
    this.#told = told
    this.#options.events.changed()
  }

  #paint(): void {
    this.#pace.making(() => this.#window.settle())
    if (this.#window.top.index === 0 && this.#store.count > 0) this.#options.events.atStart()
    this.node.content = this.#pace.making(() =>
      drawWindow(this.#window, this.node.width, this.#palette, {
        finder: this.#seeker.finder,
        match: this.#seeker.match,
        selection: this.copy.range ?? this.#pointer.range,
        cursor: this.copy.cursor,
        block: this.#focused && !this.copying ? this.#current : null,
      }),
    )
    this.#pace.painted()
    // Only now it may be known that the end is in view; others are drawn by a frame of their own.
    queueMicrotask(() => this.#tell())
  }

  #mouse(event: MouseEvent): void {
    const row = event.y - this.node.screenY
    const column = event.x - this.node.screenX - marginsOf(this.node.width).left
    if (event.type === "scroll") {
      const rows = wheelRows * Math.max(1, event.scroll?.delta ?? 1)
      if (event.scroll?.direction === "up") this.scrollBy(-rows)
      if (event.scroll?.direction === "down") this.scrollBy(rows)
      event.stopPropagation()
      return
    }
    if (event.button !== 0) return
    const click = this.#pointer.handle(event.type, row, column)
    if (click === undefined) return
    if (click.kind === "selected") this.#options.events.selected(this.selectedText())
    if (click.kind === "click") this.#click(click.place)
    this.#changed()
  }

  #click(place: Place): void {
    const block = this.#store.block(place.index)
    const action = this.#store.layout(place.index).rows[place.row]?.action
    this.#current = place.index
    if (action === "fold") this.toggleFold(place.index)
    if (action === "open" && block !== undefined) this.#options.events.open(block)
  }
}
