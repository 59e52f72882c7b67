/**
 * Blocks that are the same but for their indentation, shifted as a whole.
 *
 * - A shift adds one prefix to every line, takes one from every line, or turns spaces into tabs or tabs into spaces by one width; never a
 *   different thing for each line. Blank lines have no indentation.
 */
export type Shift = (indent: string) => string

type Pair = { readonly old: string; readonly file: string }

const widths = [4, 2, 8, 3] as const

/** The indentation of `line` and the rest of it. */
export function splitIndent(line: string): readonly [indent: string, body: string] {
  const body = line.replace(/^[ \t]+/, "")
  return [line.slice(0, line.length - body.length), body]
}

function added({ old, file }: Pair): string | null {
  return file.endsWith(old) ? file.slice(0, file.length - old.length) : null
}

function constant<T>(values: readonly (T | null)[]): T | null {
  const [first] = values
  return first !== undefined && values.every((value) => value === first) ? first : null
}

function tabbed(pairs: readonly Pair[], toTabs: boolean): Shift | null {
  const spaces = pairs.map(({ old, file }) => (toTabs ? old : file))
  const tabs = pairs.map(({ old, file }) => (toTabs ? file : old))
  if (!spaces.every((indent) => /^ *$/.test(indent)) || !tabs.every((indent) => /^\t*$/.test(indent))) return null
  const fits = widths
    .filter((width) => spaces.every((indent) => indent.length % width === 0))
    .map((width) => ({ width, more: constant(pairs.map((_, at) => moreTabs(spaces[at], tabs[at], width))) }))
    .filter((fit): fit is { width: (typeof widths)[number]; more: number } => fit.more !== null)
  // Several widths fit where all lines are equally deep; the one that needs no further shift is then the likely one.
  const fit = fits.find(({ more }) => more === 0) ?? fits[0]
  if (fit === undefined) return null
  const { width, more } = fit
  if (!toTabs)
    return (indent) => " ".repeat(Math.max(0, indent.replaceAll("\t", " ".repeat(width)).length - more * width))
  return (indent) =>
    "\t".repeat(Math.max(0, Math.floor(indent.length / width) + more)) + " ".repeat(indent.length % width)
}

function moreTabs(spaces = "", tabs = "", width: number): number {
  return tabs.length - spaces.length / width
}

/** The one shift that turns every `old` indentation into its `file` one, or null. */
export function shiftOf(pairs: readonly Pair[]): Shift | null {
  const more = constant(pairs.map(added))
  if (more !== null) return (indent) => more + indent
  const less = constant(pairs.map(({ old, file }) => added({ old: file, file: old })))
  if (less !== null) return (indent) => (indent.startsWith(less) ? indent.slice(less.length) : "")
  return tabbed(pairs, true) ?? tabbed(pairs, false)
}

/** `text` with every line's indentation shifted. */
export function shifted(text: string, shift: Shift): string {
  return text
    .split("\n")
    .map((line) => {
      const [indent, body] = splitIndent(line)
      return body === "" ? line : shift(indent) + body
    })
    .join("\n")
}

export type BlockMatch = { readonly line: number; readonly shift: Shift }

/** Where the lines of `old` stand in those of `file`, whatever their common indentation. */
export function findBlocks(file: readonly string[], old: readonly string[]): readonly BlockMatch[] {
  const wanted = old.map(splitIndent)
  const have = file.map(splitIndent)
  // A block of blank lines is everywhere.
  if (wanted.every(([, body]) => body === "")) return []
  const found: BlockMatch[] = []
  for (let line = 0; line + wanted.length <= have.length; line++) {
    if (!wanted.every(([, body], at) => have[line + at]?.[1] === body)) continue
    const pairs = wanted.flatMap(([indent, body], at) =>
      body === "" ? [] : [{ old: indent, file: have[line + at]?.[0] ?? "" }],
    )
    const shift = shiftOf(pairs)
    if (shift !== null) found.push({ line, shift })
  }
  return found
}
