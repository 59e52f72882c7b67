/**
 * One row of the screen made of parts: what does not fit gives way, least important first, and nothing wraps.
 *
 * - Texts are cleaned here, so a title or a branch name cannot drive the terminal.
 */
import { StyledText, TextAttributes, type TextChunk } from "@opentui/core"
import type { Role } from "../../home/roles.ts"
import { cleanLine } from "../../std/clean.ts"
import { shorten, textWidth, unjoined, type WidthMethod } from "../../std/text.ts"
import type { Ink } from "../roles.ts"

export type Part = {
  readonly text: string
  readonly role: Role
  readonly bold?: boolean
  readonly inverse?: boolean
  readonly on?: Role
  /** Higher goes first when there is no room; 0 is shortened rather than dropped. */
  readonly drop?: number
}

export type Strip = {
  /** Stands before everything, as it is. */
  readonly lead?: string
  readonly left: readonly Part[]
  readonly right: readonly Part[]
  /** What fills the space between. */
  readonly gap: string
  readonly on?: Role
  readonly inverse?: boolean
}

const separator = "  "

type Sized = { readonly part: Part; readonly text: string; readonly width: number }

function size(parts: readonly Part[], method: WidthMethod): readonly Sized[] {
  return parts
    .map((part) => ({ part, text: unjoined(cleanLine(part.text), method) }))
    .filter(({ text }) => text !== "")
    .map(({ part, text }) => ({ part, text, width: textWidth(text, method) }))
}

const widthOf = (parts: readonly Sized[]): number =>
  parts.reduce((sum, { width }) => sum + width, 0) + separator.length * Math.max(0, parts.length - 1)

/** The parts that fit into `width`, in their order. */
function fit(
  left: readonly Sized[],
  right: readonly Sized[],
  width: number,
): readonly [readonly Sized[], readonly Sized[]] {
  let [kept, others] = [left, right]
  for (;;) {
    const between = kept.length > 0 && others.length > 0 ? separator.length : 0
    if (widthOf(kept) + between + widthOf(others) <= width) return [kept, others]
    const worst = Math.max(...[...kept, ...others].map(({ part }) => part.drop ?? 0))
    if (worst <= 0) return [kept, []]
    const stays = ({ part }: Sized): boolean => (part.drop ?? 0) < worst
    kept = kept.filter(stays)
    others = others.filter(stays)
  }
}

export function chunk(text: string, ink: Ink, part: Omit<Part, "text">): TextChunk {
  const attributes = (part.bold ? TextAttributes.BOLD : 0) | (part.inverse ? TextAttributes.INVERSE : 0)
  return {
    __isChunk: true,
    text,
    fg: ink[part.role],
    attributes,
    ...(part.on === undefined ? {} : { bg: ink[part.on] }),
  }
}

/** What stands behind the whole row. */
function behind(given: Strip): Pick<Part, "on" | "inverse"> {
  return {
    ...(given.on === undefined ? {} : { on: given.on }),
    ...(given.inverse === undefined ? {} : { inverse: given.inverse }),
  }
}

/** The row as text and styles, exactly `width` cells. */
export function strip(given: Strip, width: number, ink: Ink, method: WidthMethod): StyledText {
  return new StyledText([...stripChunks(given, width, ink, method)])
}

export function stripChunks(given: Strip, width: number, ink: Ink, method: WidthMethod): readonly TextChunk[] {
  const lead = given.lead ?? ""
  const room = Math.max(0, width - textWidth(lead, method))
  const [left, right] = fit(size(given.left, method), size(given.right, method), room)
  const plain: Part = { text: "", role: given.on === "primary" ? "selectedListItemText" : "border", ...behind(given) }
  const chunks: TextChunk[] = lead === "" ? [] : [chunk(lead, ink, plain)]
  const add = (parts: readonly Sized[], free: number): number => {
    let used = 0
    for (const [place, { part, text }] of parts.entries()) {
      const before = place > 0 ? separator.length : 0
      const cut = shorten(text, free - used - before, method)
      if (cut === "") break
      if (before > 0) chunks.push(chunk(separator, ink, plain))
      chunks.push(chunk(cut, ink, { ...part, ...behind(given) }))
      used += before + textWidth(cut, method)
    }
    return used
  }
  const used = add(left, room)
  const rest = Math.max(0, room - used - widthOf(right))
  if (rest > 0) chunks.push(chunk(fill(given.gap, rest, used > 0, right.length > 0), ink, plain))
  add(right, room)
  return chunks
}

/** `rest` cells of `gap`, with a space to what stands beside it. */
function fill(gap: string, rest: number, before: boolean, after: boolean): string {
  const spaces = (before ? 1 : 0) + (after ? 1 : 0)
  if (gap === " " || rest <= spaces) return " ".repeat(rest)
  return `${before ? " " : ""}${gap.repeat(rest - spaces)}${after ? " " : ""}`
}
