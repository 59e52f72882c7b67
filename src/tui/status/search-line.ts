/**
 * The line that a search is typed into, with what it found. It stands where the activity stood, so nothing above it moves.
 *
 * - Asking moves nothing; going to a match does, and closing goes back unless the match was accepted.
 */
import { BoxRenderable, InputRenderable, TextRenderable, type CliRenderer, type KeyEvent } from "@opentui/core"
import type { Ink } from "../roles.ts"
import type { Reader } from "../panels/panel.ts"
import type { SearchState } from "../viewport/seeker.ts"

export function searchWords(state: SearchState): string {
  if (state.problem !== null) return state.problem
  if (state.query === "") return state.regex ? "regular expression" : ""
  const total = `${state.total.toLocaleString("en")}${state.scanning ? "+" : ""}`
  const count = state.current === null ? total : `${state.current}/${total}`
  return `${state.total === 0 && !state.scanning ? "nothing found" : count}${state.regex ? " · regex" : ""}`
}

export class SearchLine {
  readonly node: BoxRenderable
  readonly #sign: TextRenderable
  readonly #input: InputRenderable
  readonly #words: TextRenderable
  #target: Reader | null = null
  #regex: boolean
  #direction: -1 | 1 = -1

  /** `regex`: begin with regular expressions rather than plain text. */
  constructor(renderer: CliRenderer, regex: boolean) {
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

  /** Begins a search in `target`; the last query is there and is replaced by the first letter. */
  start(target: Reader, direction: -1 | 1): void {
    if (this.#target !== null && this.#target !== target) this.#target.closeSearch(true)
    this.#target = target
    this.#direction = direction
    this.#sign.content = direction === 1 ? "/ " : "? "
    this.node.visible = true
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
    if (accept && target.searchState.current === null) target.toMatch(this.#direction)
    this.#target = null
    this.node.visible = false
    this.#input.blur()
    if (!accept || target.searchState.total === 0) target.closeSearch(!accept)
    return true
  }

  refocus(): void {
    this.#input.focus()
  }

  /** The next match in the direction that was asked for, or the other one. */
  next(on: boolean): boolean {
    const direction = on ? this.#direction : this.#direction === 1 ? -1 : 1
    return this.#target?.toMatch(direction) ?? false
  }

  toggleRegex(): boolean {
    if (this.#target === null) return false
    this.#regex = !this.#regex
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
    if (this.#target !== null) this.#words.content = ` ${searchWords(this.#target.searchState)}`
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
    this.#target?.search(this.#input.value, { regex: this.#regex })
    this.refresh()
  }
}
