/**
 * The blocks of a view, what is folded, and the rows of those that were looked at.
 *
 * - Heights are guesses until a block is laid out, and only the scrollbar reads guesses.
 * - Rows are kept for the blocks laid out last (`laidMax`, `laidRowsMax`) that are still there, heights for all.
 * - New blocks are told from old ones by identity; a block that stays where it was costs one comparison.
 */
import type { WidthMethod } from "../../std/text.ts"
import { layoutContent, unitTexts, type Content, type RowBlock, type RowSource } from "../rows/content.ts"
import { emptyLayout, type Layout } from "../rows/row.ts"
import { Sums } from "./sums.ts"

/** Blocks whose rows are kept: some screens each way. */
const laidMax = 512
/** And their rows: blocks of an output have hundreds each. */
const laidRowsMax = 20_000

type Laid<B> = { block: B; open: boolean; gap: number; content: Content; layout: Layout; width: number }

/** How indexes of blocks changed: the new index, or undefined where the block is gone. */
export type Shift = {
  /** Nothing changed at all. */
  readonly same: boolean
  /** Blocks before this one are where and what they were. */
  readonly first: number
  move(index: number): number | undefined
}

export class Store<B extends RowBlock> {
  readonly #source: RowSource<B>
  #settled: readonly B[] = []
  #live: readonly B[] = []
  #width = 80
  #method: WidthMethod
  readonly #heights = new Sums()
  readonly #laid = new Map<string, Laid<B>>()
  #laidRows = 0
  readonly #folds = new Map<string, boolean>()
  readonly #groups = new Map<string, boolean>()
  #texts = new WeakMap<B, readonly string[]>()

  constructor(source: RowSource<B>, method: WidthMethod) {
    this.#source = source
    this.#method = method
  }

  get count(): number {
    return this.#settled.length + this.#live.length
  }

  get width(): number {
    return this.#width
  }

  get method(): WidthMethod {
    return this.#method
  }

  /** Rows of all blocks, as far as they are known or guessed. */
  get total(): number {
    return this.#heights.total
  }

  block(index: number): B | undefined {
    return blockAt(this.#settled, this.#live, index)
  }

  /** Rows that are kept. */
  get laidRows(): number {
    return this.#laidRows
  }

  guessBefore(index: number): number {
    return this.#heights.before(index)
  }

  /** The block and row at a guessed distance from the start. */
  guessAt(rows: number): { readonly index: number; readonly rest: number } {
    return this.#heights.find(rows)
  }

  /** Exact: lays the block out where need be. */
  height(index: number): number {
    return this.layout(index).rows.length
  }

  /** `live` comes after `settled`; a list that is the same as before is not looked at again. */
  setBlocks(settled: readonly B[], live: readonly B[] = []): Shift {
    const [oldSettled, oldLive] = [this.#settled, this.#live]
    const count = settled.length + live.length
    if (settled === oldSettled && live === oldLive) return unchanged(count)
    const before = (index: number): B | undefined => blockAt(oldSettled, oldLive, index)
    const now = (index: number): B | undefined => blockAt(settled, live, index)
    this.#settled = settled
    this.#live = live
    const oldCount = oldSettled.length + oldLive.length
    const shorter = Math.min(oldCount, count)
    let first = settled === oldSettled ? settled.length : 0
    while (first < shorter && before(first) === now(first)) first += 1
    if (first === oldCount && first === count) return unchanged(first)
    let same = 0
    while (same < shorter - first && before(oldCount - 1 - same) === now(count - 1 - same)) same += 1
    const kept = Array.from({ length: same }, (_, place) => this.#heights.get(oldCount - same + place))
    const end = count - same
    const height = (index: number): number =>
      index < end ? this.#guess(index) : (kept[index - end] ?? this.#guess(index))
    if (first === 0) this.#heights.assign(count, height)
    else {
      this.#heights.truncate(first)
      for (let index = first; index < count; index++) this.#heights.push(height(index))
    }
    this.#drop(before, first, oldCount - same, new Set(keysOf(now, first, end)))
    const moved = (index: number): number | undefined => {
      if (index < first) return index
      if (index >= oldCount - same) return index + count - oldCount
      const key = before(index)?.key
      if (index < end && now(index)?.key === key) return index
      for (let at = first; at < end; at++) if (now(at)?.key === key) return at
      return undefined
    }
    return { same: false, first, move: moved }
  }

  setWidth(width: number, method: WidthMethod): void {
    if (width === this.#width && method === this.#method) return
    if (method !== this.#method) this.#clear()
    this.#width = width
    this.#method = method
    this.#guessAll()
  }

  #guessAll(): void {
    this.#heights.assign(this.count, (index) => this.#guess(index))
  }

  #guess(index: number): number {
    const block = this.block(index)
    if (block === undefined) return 0
    if (block.group !== null && !this.isOpen(block)) return 1 + block.gap
    return block.gap + 1 + Math.floor((block.size * 1.3) / Math.max(1, this.#width))
  }

  layout(index: number): Layout {
    const block = this.block(index)
    if (block === undefined) return emptyLayout
    const open = this.isOpen(block)
    const gap = index === 0 ? 0 : block.gap
    const known = this.#laid.get(block.key)
    const fits = known !== undefined && known.open === open
    if (fits && known.block === block && known.width === this.#width && known.gap === gap) {
      return known.layout
    }
    const sameBlock = fits && known.block === block
    const content = sameBlock ? known.content : this.#source.content(block, open, fits ? known.content : undefined)
    const layout = layoutContent(content, gap, this.#width, this.#method)
    this.#remove(block.key)
    this.#laid.set(block.key, { block, open, gap, content, layout, width: this.#width })
    this.#laidRows += layout.rows.length
    this.#heights.set(index, layout.rows.length)
    this.#trim()
    return layout
  }

  #trim(): void {
    if (this.#laid.size <= laidMax && this.#laidRows <= laidRowsMax) return
    for (const key of this.#laid.keys()) {
      const few = this.#laid.size <= laidMax / 2 && this.#laidRows <= laidRowsMax / 2
      if (few || this.#laid.size === 1) return
      this.#remove(key)
    }
  }

  /** Rows of blocks that were there from `first` to `end` and are not among those with `keys`. */
  #drop(before: (index: number) => B | undefined, first: number, end: number, keys: ReadonlySet<string>): void {
    for (const key of keysOf(before, first, end)) if (!keys.has(key)) this.#remove(key)
  }

  #remove(key: string): void {
    const laid = this.#laid.get(key)
    if (laid === undefined) return
    this.#laidRows -= laid.layout.rows.length
    this.#laid.delete(key)
  }

  #clear(): void {
    this.#laid.clear()
    this.#laidRows = 0
  }

  /** Content that was waiting for something is made again when it is next looked at. True when there was any. */
  refreshPending(): boolean {
    let any = false
    for (const laid of this.#laid.values()) {
      if (!laid.content.pending) continue
      any = true
      const content = this.#source.content(laid.block, laid.open, laid.content)
      this.#laidRows -= laid.layout.rows.length
      laid.layout = layoutContent(content, laid.gap, laid.width, this.#method)
      this.#laidRows += laid.layout.rows.length
      laid.content = content
    }
    return any
  }

  /** Every row is made again: the way of measuring changed, or what contents depend on. */
  forget(): void {
    this.#clear()
    this.#texts = new WeakMap()
    this.#guessAll()
  }

  isOpen(block: B): boolean {
    if (block.group === null) return true
    return this.#folds.get(block.key) ?? this.#groups.get(block.group) ?? !block.folded
  }

  setOpen(index: number, open: boolean): void {
    const block = this.block(index)
    if (block === undefined || block.group === null) return
    this.#folds.set(block.key, open)
  }

  /** Folds or unfolds a whole group, those that were set one by one included. */
  setGroupOpen(group: string, open: boolean): void {
    this.#groups.set(group, open)
    for (const block of [...this.#settled, ...this.#live]) if (block.group === group) this.#folds.delete(block.key)
    this.#guessAll()
  }

  groupOpen(group: string): boolean | undefined {
    return this.#groups.get(group)
  }

  /** All that a block says when it is unfolded, unit by unit. */
  texts(index: number): readonly string[] {
    const block = this.block(index)
    if (block === undefined) return []
    const known = this.#texts.get(block)
    if (known !== undefined) return known
    const laid = this.#laid.get(block.key)
    const shown = laid?.block === block && laid.open ? laid.content : undefined
    const texts = unitTexts(shown ?? this.#source.content(block, true, undefined))
    this.#texts.set(block, texts)
    return texts
  }
}

function blockAt<B>(settled: readonly B[], live: readonly B[], index: number): B | undefined {
  return index < settled.length ? settled[index] : live[index - settled.length]
}

function keysOf(blocks: (index: number) => RowBlock | undefined, first: number, end: number): readonly string[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, place) => blocks(first + place)?.key ?? "")
}

function unchanged(first: number): Shift {
  return { same: true, first, move: (index) => index }
}
