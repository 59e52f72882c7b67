/**
 * What may follow the keys that were pressed, over the editor: the next key, and what it leads to.
 *
 * - A key that begins a longer sequence stands once, with how many commands are behind it.
 * - What does not fit is left out and counted in the last place: the palette has all of them.
 */
import { BoxRenderable, StyledText, TextRenderable, type CliRenderer, type TextChunk } from "@opentui/core"
import { printKeys, type Chord } from "../../home/chord.ts"
import { commandInfo, commandNames, type CommandName } from "../../home/command-names.ts"
import { following } from "../../home/key-match.ts"
import type { Binding, Keymap, Run } from "../../home/keymap.ts"
import { isObject } from "../../std/json.ts"
import { shorten, textWidth } from "../../std/text.ts"
import type { Look } from "../dialogs/frame.ts"
import type { Rect } from "../layout.ts"
import { chunk } from "./strip.ts"

/** A column that shows less of a title than this says nothing. */
const columnMin = 28
/** Part of the rows over the editor that the hints may take. */
const rowsShare = 0.75

export type KeyHint = { readonly key: string; readonly text: string }

function titleOf(run: Run | undefined): string {
  if (run === undefined) return "nothing"
  const { command, args } = run
  // One command has many keys by what it is given: that tells them apart.
  const given = isObject(args) ? Object.values(args).filter((value) => typeof value === "string") : []
  if (given.length > 0) return given.join(" ")
  if (!Object.hasOwn(commandNames, command)) return command
  // What stands behind the first clause is for help, which has the room.
  return commandInfo(command as CommandName).title.split(/[;:,]/)[0] ?? command
}

/** The next keys after `pressed`, in the order of the keymap. */
export function keyHints(keymap: Keymap, contexts: readonly string[], pressed: readonly Chord[]): readonly KeyHint[] {
  const groups = new Map<string, Binding[]>()
  for (const binding of following({ pending: pressed }, contexts, keymap)) {
    const key = printKeys(binding.keys.slice(pressed.length, pressed.length + 1))
    groups.set(key, [...(groups.get(key) ?? []), binding])
  }
  return [...groups].map(([key, bindings]) => {
    const [first] = bindings
    const longer = bindings.filter(({ keys }) => keys.length > pressed.length + 1)
    if (first === undefined || longer.length > 0) return { key, text: `${longer.length} more …` }
    return { key, text: titleOf(first.run[0]) }
  })
}

/** Hints as rows of cells, each `width` wide, filled column by column: as few columns as hold all of them. */
export function hintRows(
  hints: readonly KeyHint[],
  room: { readonly columns: number; readonly rows: number },
): { readonly rows: readonly (readonly KeyHint[])[]; readonly width: number } {
  const most = Math.max(1, Math.floor(room.columns / columnMin))
  const across = Math.min(most, Math.max(1, Math.ceil(hints.length / room.rows)))
  const high = Math.max(1, Math.min(room.rows, Math.ceil(hints.length / across)))
  const fits = across * high
  const left = hints.length - fits + 1
  const shown = hints.length <= fits ? hints : [...hints.slice(0, fits - 1), { key: "…", text: `${left} more keys` }]
  const rows = Array.from({ length: high }, (_, row) =>
    Array.from({ length: across }, (_, column) => shown[column * high + row]).filter((hint) => hint !== undefined),
  )
  return { rows: rows.filter((row) => row.length > 0), width: Math.floor(room.columns / across) }
}

export class KeyHints {
  readonly node: BoxRenderable
  readonly #text: TextRenderable

  constructor(renderer: CliRenderer) {
    this.node = new BoxRenderable(renderer, { position: "absolute", visible: false, zIndex: 150 })
    this.#text = new TextRenderable(renderer, { content: "", width: "100%", height: "100%", wrapMode: "none" })
    this.node.add(this.#text)
  }

  /** `above` is the row that the hints may not cover. */
  draw(hints: readonly KeyHint[], screen: { readonly columns: number; readonly above: Rect }, look: Look): void {
    const rowsMax = Math.floor(screen.above.top * rowsShare)
    this.node.visible = hints.length > 0 && rowsMax > 0
    if (!this.node.visible) return
    const { rows, width } = hintRows(hints, { columns: screen.columns, rows: rowsMax })
    const keyWidth = Math.max(...hints.map(({ key }) => textWidth(key, look.method)))
    const chunks = rows.flatMap((row, at): readonly TextChunk[] => [
      ...(at === 0 ? [] : [chunk("\n", look.ink, { role: "text" })]),
      ...row.flatMap((hint) => cell(hint, keyWidth, width, look)),
    ])
    this.node.left = 0
    this.node.top = screen.above.top - rows.length
    this.node.width = screen.columns
    this.node.height = rows.length
    this.node.backgroundColor = look.ink.backgroundMenu
    this.#text.content = new StyledText([...chunks])
  }
}

function cell({ key, text }: KeyHint, keyWidth: number, width: number, { ink, method }: Look): readonly TextChunk[] {
  const pad = (part: string, to: number): string => part + " ".repeat(Math.max(0, to - textWidth(part, method)))
  return [
    chunk(` ${pad(key, keyWidth)}  `, ink, { role: "secondary", bold: true }),
    chunk(pad(shorten(text, width - keyWidth - 4, method), width - keyWidth - 3), ink, { role: "text" }),
  ]
}
