/**
 * What a command printed, as lines of styled text: the second door for text that others wrote.
 *
 * - Colours and attributes (SGR) become styles; a carriage return, a backspace and the erasing of a line do what a terminal would do within the
 *   line, so progress bars and overstruck bold come out as they looked in the end. Every other sequence is dropped.
 * - What a line holds is clean in the sense of `clean.ts`; tabs stay tabs.
 * - Output that comes in pieces is parsed piece by piece when each piece but the last ends with a newline: the style goes on in `style`.
 */
import { cleanControls, sequenceEnd, Strings } from "./clean.ts"
import { graphemes } from "./text.ts"

/** 0 to 255 of the terminal's palette, or a colour of its own. */
export type AnsiColor = number | `#${string}`

export type AnsiStyle = {
  readonly fg?: AnsiColor
  readonly bg?: AnsiColor
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly strike?: true
  readonly inverse?: true
}

export type AnsiSpan = { readonly text: string; readonly style: AnsiStyle }
export type AnsiLine = readonly AnsiSpan[]

const plain: AnsiStyle = {}

type Cell = { text: string; style: AnsiStyle }

/** A line that is being written. It is spans until something moves back in it; from then on it is cells. */
class LineWriter {
  #spans: Cell[] = []
  #cells: Cell[] | null = null
  #column = 0

  write(text: string, style: AnsiStyle): void {
    if (text === "") return
    if (this.#cells === null) {
      const last = this.#spans.at(-1)
      if (last?.style === style) last.text += text
      else this.#spans.push({ text, style })
      return
    }
    for (const grapheme of graphemes(text)) {
      while (this.#cells.length < this.#column) this.#cells.push({ text: " ", style: plain })
      this.#cells[this.#column++] = { text: grapheme, style }
    }
  }

  move(to: (column: number) => number): void {
    this.#toCells()
    this.#column = Math.min(cellsMax, Math.max(0, to(this.#column)))
  }

  /** 0: from here to the end, 1: from the start to here, 2: all of it. */
  erase(how: number): void {
    const cells = this.#toCells()
    if (how === 0) cells.length = Math.min(cells.length, this.#column)
    if (how === 2) cells.length = 0
    if (how === 1) cells.fill({ text: " ", style: plain }, 0, this.#column + 1)
  }

  take(): AnsiLine {
    const cells = this.#cells ?? this.#spans
    const line: Cell[] = []
    for (const cell of cells) {
      const last = line.at(-1)
      if (last?.style === cell.style) last.text += cell.text
      else line.push({ ...cell })
    }
    this.#spans = []
    this.#cells = null
    this.#column = 0
    return line
  }

  #toCells(): Cell[] {
    if (this.#cells !== null) return this.#cells
    this.#cells = this.#spans.flatMap(({ text, style }) => graphemes(text).map((cell) => ({ text: cell, style })))
    this.#column = this.#cells.length
    return this.#cells
  }
}

/** A cursor address beyond this is a joke at our expense: no real line is so long. */
const cellsMax = 4_096

/** The lines of `text`, from the style that held before it. The last line is the one after the last newline, which may be empty. */
export function parseAnsi(text: string, style: AnsiStyle = plain): { lines: readonly AnsiLine[]; style: AnsiStyle } {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  const strings = new Strings(whole)
  const writer = new LineWriter()
  const lines: AnsiLine[] = []
  let now = style
  let at = 0
  while (at < whole.length) {
    const stop = nextControl(whole, at)
    writer.write(cleanControls(whole.slice(at, stop)), now)
    if (stop === whole.length) break
    const char = whole[stop]
    at = stop + 1
    if (char === "\n") lines.push(writer.take())
    else if (char === "\r") at = carriageReturn(whole, stop, writer)
    else if (char === "\b") writer.move((column) => column - 1)
    else {
      const end = sequenceEnd(whole, stop, strings)
      if (end <= stop) writer.write(cleanControls(char ?? ""), now)
      else {
        now = applySequence(whole.slice(stop, end), now, writer)
        at = end
      }
    }
  }
  lines.push(writer.take())
  return { lines, style: now }
}

const controls = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g

function nextControl(text: string, from: number): number {
  controls.lastIndex = from
  const found = controls.exec(text)
  return found === null ? text.length : found.index
}

/** Carriage returns before a newline are part of it, however many. */
function carriageReturn(text: string, at: number, writer: LineWriter): number {
  let end = at
  while (text[end] === "\r") end += 1
  if (text[end] !== "\n" && end < text.length) writer.move(() => 0)
  return end
}

const csi = /^(?:\x1b\[|\x9b)([0-9;:]*)([A-Za-z])$/

function applySequence(sequence: string, style: AnsiStyle, writer: LineWriter): AnsiStyle {
  const found = csi.exec(sequence)
  if (found === null) return style
  const [, parameters = "", final] = found
  const first = Number.parseInt(parameters, 10)
  if (final === "m") return applySgr(parameters, style)
  if (final === "K") writer.erase(Number.isNaN(first) ? 0 : first)
  if (final === "G") writer.move(() => (Number.isNaN(first) ? 0 : first - 1))
  if (final === "C") writer.move((column) => column + (first || 1))
  if (final === "D") writer.move((column) => column - (first || 1))
  return style
}

const switches: Readonly<Record<number, AnsiStyle | undefined>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
}

const offs: Readonly<Record<number, readonly (keyof AnsiStyle)[] | undefined>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
  39: ["fg"],
  49: ["bg"],
}

function without(style: AnsiStyle, keys: readonly (keyof AnsiStyle)[]): AnsiStyle {
  return Object.fromEntries(Object.entries(style).filter(([key]) => !keys.includes(key as keyof AnsiStyle)))
}

function applySgr(parameters: string, before: AnsiStyle): AnsiStyle {
  // `4:3` is one parameter with a detail (a curly line); `38:2::r:g:b` is a colour in the same notation.
  const groups = parameters.split(";")
  let style = before
  for (let place = 0; place < groups.length; place++) {
    const group = (groups[place] ?? "").split(":")
    const code = Number(group[0] || "0")
    if (code === 38 || code === 48) {
      const inner = group.length > 1
      const list = inner ? group.slice(1) : groups.slice(place + 1)
      const { color, used } = extendedColor(list, inner)
      if (!inner) place += used
      if (color !== undefined) style = { ...style, [code === 38 ? "fg" : "bg"]: color }
      continue
    }
    if (code === 0) style = plain
    else if (code === 4 && group[1] === "0") style = without(style, ["underline"])
    else style = applyCode(code, style)
  }
  return style
}

function applyCode(code: number, style: AnsiStyle): AnsiStyle {
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 }
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 }
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 }
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 }
  const off = offs[code]
  return off === undefined ? { ...style, ...switches[code] } : without(style, off)
}

/** The colour that `5;n` or `2;r;g;b` names, and how many parameters it took. */
function extendedColor(list: readonly string[], colons: boolean): { color?: AnsiColor; used: number } {
  const kind = Number(list[0])
  const byte = (text: string | undefined): number => Math.min(255, Math.max(0, Number(text) || 0))
  if (kind === 5) return { color: byte(list[1]), used: 2 }
  if (kind !== 2) return { used: 1 }
  // With colons a colour space may stand before red.
  const from = colons && list.length > 4 ? 2 : 1
  const hex = list.slice(from, from + 3).map((text) => byte(text).toString(16).padStart(2, "0"))
  return { color: hex.length === 3 ? `#${hex.join("")}` : undefined, used: 4 }
}
