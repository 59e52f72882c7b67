/**
 * Rows and a theme to what the native renderer takes: chunks of text with colours.
 *
 * - Marks are laid over a row after its own styles, in their order; they are ranges of code units of the row's text.
 * - `none` is the terminal's own colour. In a theme without any colour, colours that a command printed are left out too.
 */
import { RGBA, TextAttributes, type TextChunk } from "@opentui/core"
import type { Color } from "../../home/color.ts"
import { isRole, type Role } from "../../home/roles.ts"
import type { Theme } from "../../home/theme.ts"
import type { Row, Style } from "./row.ts"

/** Native hyperlinks have room for this many bytes. */
const linkBytesMax = 512

export type Mark = { readonly from: number; readonly to: number; readonly style: Style }

export class Palette {
  readonly theme: Theme
  /** No colour at all: what is marked is then drawn inverse. */
  readonly mono: boolean
  readonly foreground = RGBA.defaultForeground()
  readonly #known = new Map<Color, RGBA | undefined>()

  constructor(theme: Theme) {
    this.theme = theme
    this.mono = Object.values(theme.colors).every((color) => color === "none")
  }

  /** Undefined for `none`: nothing is painted, so the terminal's own shows. */
  color(name: Role | Color | undefined): RGBA | undefined {
    if (name === undefined) return undefined
    if (typeof name === "string" && isRole(name)) return this.#rgba(this.theme.colors[name])
    return this.mono ? undefined : this.#rgba(name)
  }

  #rgba(color: Color): RGBA | undefined {
    if (this.#known.has(color)) return this.#known.get(color)
    const made = color === "none" ? undefined : typeof color === "number" ? RGBA.fromIndex(color) : RGBA.fromHex(color)
    this.#known.set(color, made)
    return made
  }

  chunk(text: string, style: Style): TextChunk {
    const fg = this.color(style.fg ?? "text") ?? this.foreground
    const bg = this.color(style.bg)
    const link =
      style.link !== undefined && Buffer.byteLength(style.link) <= linkBytesMax ? { url: style.link } : undefined
    return { __isChunk: true, text, fg, bg, attributes: attributesOf(style), link }
  }
}

const attributes = [
  ["bold", TextAttributes.BOLD],
  ["italic", TextAttributes.ITALIC],
  ["underline", TextAttributes.UNDERLINE],
  ["dim", TextAttributes.DIM],
  ["strike", TextAttributes.STRIKETHROUGH],
  ["inverse", TextAttributes.INVERSE],
] as const

function attributesOf(style: Style): number {
  let bits = 0
  for (const [name, bit] of attributes) if (style[name]) bits |= bit
  return bits
}

/** The chunks of one row, without a newline. */
export function rowChunks(row: Row, marks: readonly Mark[], palette: Palette): TextChunk[] {
  if (marks.length === 0) return row.spans.map(({ text, style }) => palette.chunk(text, style))
  const edges = new Set<number>()
  for (const mark of marks) edges.add(mark.from).add(mark.to)
  const cuts = [...edges].sort((a, b) => a - b)
  const chunks: TextChunk[] = []
  let at = 0
  for (const { text, style } of row.spans) {
    const end = at + text.length
    const stops = [...cuts.filter((cut) => cut > at && cut < end), end]
    let from = at
    for (const stop of stops) {
      const over = marks.filter((mark) => mark.from <= from && mark.to >= stop)
      const merged = over.reduce<Style>((under, mark) => ({ ...under, ...mark.style }), style)
      chunks.push(palette.chunk(text.slice(from - at, stop - at), merged))
      from = stop
    }
    at = end
  }
  return chunks
}
