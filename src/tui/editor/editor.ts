/**
 * The editor: one edit, its undo, its kill ring, its pastes and its walk through the history, shown in a field.
 *
 * - Every change goes through `#set`: it records the undo step, shows the edit and tells who listens.
 * - In normal and visual mode typed characters are no text. A command that waits for a character (`f`, `r`) gets the next one.
 */
import type { CliRenderer } from "@opentui/core"
import type { Theme } from "../../home/theme.ts"
import { assert } from "../../std/assert.ts"
import { isObject, type Json } from "../../std/json.ts"
import type { Draft } from "../options.ts"
import type { EditorFacts, EditorMode } from "../state.ts"
import { actions } from "./actions.ts"
import type { Desk } from "./desk.ts"
import { after, emptyEdit, insert, moveTo, onCharacter, replace, selectTo, type Edit } from "./edit.ts"
import { Field } from "./field.ts"
import { History } from "./history.ts"
import { KillRing } from "./kill-ring.ts"
import { find } from "./motions.ts"
import { droppedImages, type DroppedImage } from "./images.ts"
import { cleanPaste, expand, fold, foldImage, isLong, pasteUnitsMax, usedPastes, type Pastes } from "./paste.ts"
import { Undo, type UndoKind } from "./undo.ts"

export type EditorOptions = {
  readonly renderer: CliRenderer
  readonly history: readonly string[]
  /** The text, the cursor or the mode is another. */
  changed(): void
  /** Something was copied. */
  copied(text: string): void
}

const killing = new Set(["deleteWordBack", "deleteWordForward", "deleteToLineStart", "deleteToLineEnd", "deleteLine"])
const yanking = new Set(["yank", "yankPop"])

/** Rows that a page of the editor moves. */
const pageRows = 5

export class Editor {
  readonly #options: EditorOptions
  readonly #field: Field
  readonly #undo = new Undo()
  readonly #ring = new KillRing()
  readonly #history: History
  #edit: Edit = emptyEdit
  #mode: EditorMode = "plain"
  #pastes: Pastes = new Map()
  #awaiting: ((char: string) => Edit | null) | null = null

  constructor(options: EditorOptions) {
    this.#options = options
    this.#history = new History(options.history)
    this.#field = new Field(options.renderer)
  }

  get node(): Field["node"] {
    return this.#field.node
  }

  get edit(): Edit {
    return this.#edit
  }

  get mode(): EditorMode {
    return this.#mode
  }

  /** True while a command waits for a character: the next key is that. */
  get awaiting(): boolean {
    return this.#awaiting !== null
  }

  /** The whole input: marks expanded. */
  get content(): string {
    return expand(this.#edit.text, this.#pastes)
  }

  facts(columns: number): EditorFacts {
    const { text } = this.#edit
    const shell = text.startsWith("!!") ? "untold" : text.startsWith("!") ? "told" : "no"
    return { empty: text === "", rows: this.#field.rows(columns), shell, mode: this.#mode }
  }

  theme(theme: Theme): void {
    this.#field.theme(theme)
  }

  focus(on: boolean): void {
    this.#field.focus(on)
  }

  /** Modes for a keymap that has them: begins in insert mode. */
  modal(on: boolean): void {
    if (on === (this.#mode !== "plain")) return
    this.#setMode(on ? "insert" : "plain")
    this.#options.changed()
  }

  /** An `editor.*` command by the rest of its name. False where it did not apply. */
  run(name: string, args?: Json): boolean {
    const values = isObject(args) ? args : {}
    if (name === "jumpForward" || name === "jumpBackward") return this.#await((char) => this.#jump(char, name))
    if (name === "replaceChar") return this.#await((char) => this.#replaceChar(char))
    const action = actions[name]
    if (action === undefined) return false
    if (!killing.has(name) && !yanking.has(name)) this.#ring.rest()
    const done = action(this.#desk(), values)
    if (done === null) return false
    if (done.copied !== undefined) this.#options.copied(done.copied)
    if (done.mode !== undefined) this.#setMode(done.mode)
    this.#set(done.edit, "other")
    return true
  }

  /** Characters from the keyboard. False where they are no text here. */
  type(text: string): boolean {
    const awaiting = this.#awaiting
    if (awaiting !== null) {
      this.#awaiting = null
      const next = awaiting(text)
      if (next !== null) this.#set(next, "other")
      return true
    }
    if (this.#mode !== "plain" && this.#mode !== "insert") return false
    this.#ring.rest()
    this.#set(insert(this.#read(), text), "typing", /\s/.test(text))
    return true
  }

  /** Gives up waiting for a character. */
  stopAwaiting(): void {
    this.#awaiting = null
  }

  newline(): boolean {
    this.#ring.rest()
    this.#set(insert(this.#read(), "\n"), "typing", true)
    return true
  }

  /** A paste, folded into a mark where it is long or names images; false where it is too large to be an input. */
  paste(raw: string): boolean {
    if (raw.length > pasteUnitsMax) return false
    const images = droppedImages(raw)
    if (images !== null) return this.image(...images)
    const text = cleanPaste(raw)
    this.#ring.rest()
    this.#awaiting = null
    if (!isLong(text)) {
      this.#set(insert(this.#read(), text), "other")
      return true
    }
    const folded = fold(this.#pastes, text)
    this.#pastes = folded.pastes
    this.#set(insert(this.#read(), folded.mark), "other")
    return true
  }

  /** Images, each as a mark with a blank behind it. */
  image(...images: readonly DroppedImage[]): boolean {
    this.#ring.rest()
    this.#awaiting = null
    let marks = ""
    for (const image of images) {
      const folded = foldImage(this.#pastes, image)
      this.#pastes = folded.pastes
      marks += `${folded.mark} `
    }
    this.#set(insert(this.#read(), marks), "other")
    return true
  }

  /** Puts `text` in the place of what is there; undo brings that back. */
  put(text: string, cursor = text.length): void {
    this.#set({ text, cursor, anchor: null, marked: false }, "other")
  }

  /** Replaces a part, as a completion does. */
  replacePart(from: number, to: number, text: string): void {
    this.#set(replace(this.#read(), { from, to }, text), "other")
  }

  clear(): boolean {
    if (this.#edit.text === "") return false
    this.put("")
    return true
  }

  /** The input leaves for good: it goes into the history, and undo does not bring it back. */
  take(): string {
    const content = this.content
    this.#history.add(content)
    this.#undo.clear()
    this.#pastes = new Map()
    if (this.#mode !== "plain") this.#setMode("insert")
    this.#edit = emptyEdit
    this.#show()
    return content
  }

  get undoable(): boolean {
    return this.#undo.undoable
  }

  get redoable(): boolean {
    return this.#undo.redoable
  }

  undo(): boolean {
    const last = this.#undo.undo(this.#edit)
    return last !== null && this.#jumpTo(last)
  }

  redo(): boolean {
    const next = this.#undo.redo(this.#edit)
    return next !== null && this.#jumpTo(next)
  }

  /** One step back in the history; at its end nothing moves. */
  historyPrevious(): void {
    this.#walkTo(this.#history.previous(this.#edit.text))
  }

  historyNext(): void {
    this.#walkTo(this.#history.next())
  }

  draft(session: string | null, now: number): Draft | null {
    const { text, cursor } = this.#edit
    if (text === "") return null
    const pastes = Object.fromEntries(usedPastes(text, this.#pastes))
    return { session, text, cursor, pastes, savedAt: now }
  }

  restore(draft: Draft): void {
    const entries = Object.entries(draft.pastes).map(([number, text]): [number, string] => [Number(number), text])
    this.#pastes = new Map(entries)
    this.put(draft.text, Math.min(draft.cursor, draft.text.length))
    this.#undo.clear()
  }

  #read(): Edit {
    return (this.#edit = this.#field.read(this.#edit))
  }

  #desk(): Desk {
    return {
      edit: this.#read(),
      ring: this.#ring,
      pastes: this.#pastes,
      mode: this.#mode,
      pageRows,
      vertical: (edit, rows) => this.#field.vertical(edit, rows),
    }
  }

  #set(next: Edit, kind: UndoKind, breaks = false): void {
    assert(next.cursor >= 0 && next.cursor <= next.text.length, `cursor ${next.cursor} is outside of the text`)
    if (next.text !== this.#edit.text) {
      this.#undo.record(this.#edit, kind, breaks)
      this.#history.look(next.text)
    } else {
      this.#undo.pause()
    }
    this.#edit = next
    this.#show()
  }

  #show(): void {
    this.#field.show(this.#edit)
    this.#options.changed()
  }

  #jumpTo(edit: Edit): boolean {
    this.#edit = this.#mode === "normal" ? onCharacter(edit) : edit
    this.#ring.rest()
    this.#show()
    return true
  }

  #walkTo(text: string | null): void {
    if (text !== null) this.put(text)
  }

  #setMode(mode: EditorMode): void {
    this.#mode = mode
    this.#field.cursorStyle(mode === "insert" ? "line" : "block")
  }

  #await(given: (char: string) => Edit | null): boolean {
    this.#awaiting = given
    return true
  }

  #jump(char: string, name: "jumpForward" | "jumpBackward"): Edit | null {
    const edit = this.#read()
    const to = find(edit.text, edit.cursor, char, name === "jumpForward")
    if (to === null) return null
    return this.#mode === "visual" ? selectTo(edit, to) : moveTo(edit, to)
  }

  #replaceChar(char: string): Edit | null {
    const edit = this.#read()
    const to = after(edit.text, edit.cursor)
    if (to === edit.cursor || edit.text[edit.cursor] === "\n") return null
    return { ...replace(edit, { from: edit.cursor, to }, char), cursor: edit.cursor }
  }
}
