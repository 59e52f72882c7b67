/**
 * The line that a search is typed into, with what it found. It stands where the activity stood, so nothing above it moves.
 *
 * - Asking moves nothing; going to a match does, and closing goes back unless the match was accepted.
 */
import { BoxRenderable, InputRenderable, TextRenderable, type CliRenderer, type KeyEvent } from "@opentui/core"
import { sleep, type Clock } from "../../std/clock.ts"
import type { Beyond, BeyondState } from "../beyond.ts"
import type { Ink } from "../roles.ts"
import type { Reader } from "../panels/panel.ts"
import type { SearchState } from "../viewport/seeker.ts"
import { QueryHistory } from "./query-history.ts"

/** How long entries that were fetched are waited for to be searched, and how often that is looked at. */
const fetchedMsMax = 2_000
const lookMs = 10

/** `query`: what was typed, which the view may not have been asked yet. */
export function searchWords(
  state: SearchState,
  query = state.query,
  regex = state.regex,
  beyond: BeyondState | null = null,
): string {
  if (query === "") return regex ? "regular expression" : ""
  if (state.problem !== null) return state.problem
  // What the host refuses concerns what is not here.
  if (beyond !== null && beyond.problem !== null && state.total === 0) return beyond.problem
  const { before = 0, after = 0, rough = false } = beyond ?? {}
  const all = state.total + before + after
  const scanning = state.scanning || beyond?.scanning === true
  const about = rough && before + after > 0 ? "~" : ""
  const total = `${about}${all.toLocaleString("en")}${scanning ? "+" : ""}`
  const count = state.current === null ? total : `${about}${(state.current + before).toLocaleString("en")}/${total}`
  const outputs = beyond === null || beyond.outputs === 0 ? "" : ` · ${beyond.outputs} in outputs`
  return `${all === 0 && !scanning ? "nothing found" : count}${outputs}${regex ? " · regex" : ""}`
}

/** The reader that is searched, and what looks further than it holds. */
type Target = { readonly reader: Reader; readonly beyond: Beyond | null }

export class SearchLine {
  readonly node: BoxRenderable
  readonly #sign: TextRenderable
  readonly #input: InputRenderable
  readonly #words: TextRenderable
  readonly #clock: Clock
  readonly history = new QueryHistory()
  #target: Target | null = null
  /** What an accepted search goes on in. */
  #last: Target | null = null
  #regex: boolean
  #direction: -1 | 1 = -1

  /** `regex`: begin with regular expressions rather than plain text. */
  constructor(renderer: CliRenderer, clock: Clock, regex: boolean) {
    this.#clock = clock
    this.#regex = regex
    this.node = new BoxRenderable(renderer, { position: "absolute", flexDirection: "row", visible: false, zIndex: 1 })
    this.#sign = new TextRenderable(renderer, { content: "/ ", flexShrink: 0 })
    this.#input = new InputRenderable(renderer, { flexGrow: 1, flexShrink: 1, placeholder: "search" })
    this.#words = new TextRenderable(renderer, { content: "", flexShrink: 0, wrapMode: "none" })
    for (const node of [this.#sign, this.#input, this.#words]) this.node.add(node)
  }

  get open(): boolean {
    return this.#target !== null
  }

  /** What is typed; empty while the line is closed. */
  get query(): string {
    return this.open ? this.#input.value : ""
  }

  get regex(): boolean {
    return this.#regex
  }

  /** Begins a search in `reader`; `beyond` looks where its view does not reach. */
  start(reader: Reader, direction: -1 | 1, beyond: Beyond | null): void {
    this.#last?.beyond?.stop()
    if (this.#target !== null && this.#target.reader !== reader) this.#target.reader.closeSearch(true)
    this.#target = { reader, beyond }
    this.#last = this.#target
    this.#direction = direction
    this.#sign.content = direction === 1 ? "/ " : "? "
    this.node.visible = true
    this.history.rewind()
    this.#input.value = ""
    this.#input.focus()
    this.refresh()
  }

  /**
   * False when it was not open. `accept` stays at the match, goes to the nearest one first where none was gone to, and leaves the matches
   * marked for the keys that go on with them.
   */
  close(accept: boolean): boolean {
    const target = this.#target
    if (target === null) return false
    const { reader, beyond } = target
    const elsewhere = (beyond?.state.before ?? 0) + (beyond?.state.after ?? 0)
    this.history.add(this.#input.value)
    if (accept && reader.searchState.current === null) this.#go(target, this.#direction)
    this.#target = null
    this.node.visible = false
    this.#input.blur()
    if (accept && reader.searchState.total + elsewhere > 0) return true
    reader.closeSearch(!accept)
    this.#forget()
    return true
  }

  refocus(): void {
    this.#input.focus()
  }

  /** The next match in the direction that was asked for, or the other one. */
  next(on: boolean): boolean {
    const direction = on ? this.#direction : this.#direction === 1 ? -1 : 1
    return this.#target !== null && this.#go(this.#target, direction)
  }

  /** As {@link next}, in a reader whose search was accepted. */
  goOn(reader: Reader, direction: -1 | 1): boolean {
    return this.#last?.reader === reader ? this.#go(this.#last, direction) : reader.toMatch(direction)
  }

  #go(target: Target, direction: -1 | 1): boolean {
    const { reader, beyond } = target
    const { total, current } = reader.searchState
    const { before = 0, after = 0 } = beyond?.state ?? {}
    const more = direction < 0 ? before : after
    const here = total > 0 && (current !== (direction < 0 ? 1 : total) || more === 0)
    if (here || before + after === 0) return reader.toMatch(direction)
    void this.#fetch(target, more > 0 ? direction : before > 0 ? -1 : 1)
    return true
  }

  /** What is elsewhere comes into the view; once that has been searched, it is gone on to. */
  async #fetch(target: Target, direction: -1 | 1): Promise<void> {
    const { reader, beyond } = target
    if (beyond === null || !(await beyond.fetch(direction))) return
    for (let waited = 0; reader.searchState.scanning && waited < fetchedMsMax; waited += lookMs) {
      await sleep(this.#clock, lookMs)
    }
    if (this.#last !== target || reader.searchState.query === "") return
    // Where all that was held made way, its nearest match is the outermost one of what came.
    if (reader.searchState.current === null) reader.toOuterMatch(direction < 0 ? -1 : 1)
    else reader.toMatch(direction)
  }

  #forget(): void {
    this.#last?.beyond?.stop()
    this.#last = null
  }

  toggleRegex(): boolean {
    if (this.#target === null) return false
    this.#regex = !this.#regex
    this.#ask()
    return true
  }

  /** Puts an earlier query into the line, or a later one. */
  recall(by: -1 | 1): boolean {
    const query = this.#target === null ? null : this.history.step(by, this.#input.value)
    if (query === null) return false
    this.#input.value = query
    this.#ask()
    return true
  }

  type(text: string): void {
    this.#input.insertText(text.replaceAll("\n", " "))
    this.#ask()
  }

  key(event: KeyEvent): void {
    const before = this.#input.value
    this.#input.handleKeyPress(event)
    if (this.#input.value !== before) this.#ask()
  }

  /** Shows what has been found by now. */
  refresh(): void {
    const target = this.#target
    if (target === null) return
    const words = searchWords(target.reader.searchState, this.#input.value, this.#regex, target.beyond?.state ?? null)
    this.#words.content = ` ${words}`
  }

  place(left: number, top: number, width: number): void {
    this.node.left = left
    this.node.top = top
    this.node.width = width
    this.node.height = 1
  }

  look(ink: Ink): void {
    this.node.backgroundColor = ink.backgroundElement
    this.#sign.fg = ink.primary
    this.#words.fg = ink.textMuted
    this.#input.textColor = ink.text
    this.#input.focusedTextColor = ink.text
    this.#input.backgroundColor = "transparent"
    this.#input.focusedBackgroundColor = "transparent"
    this.#input.placeholderColor = ink.textMuted
    this.#input.cursorColor = ink.cursor
  }

  #ask(): void {
    const target = this.#target
    if (target === null) return
    const { value } = this.#input
    target.beyond?.ask(value, this.#regex)
    target.reader.search(value, { regex: this.#regex })
    this.refresh()
  }
}
