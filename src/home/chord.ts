/**
 * Keys as values: what a person writes in a keymap, what a terminal reports, and what help shows are the same thing.
 *
 * - A chord is a key with its modifiers, written `ctrl+alt+x`; a sequence is chords with a space between; alternatives have a comma between.
 *   The characters that this syntax needs are named `space`, `plus` and `comma`.
 * - Names are in lower case and the same for all terminals (`enter`, `pageup`). A shifted letter is `shift` and the small letter, written
 *   `G` or `shift+g`; for other characters shift is already in the character (`?`), so the modifier is dropped.
 * - `<leader>` as the first chord stands for the keymap's leader until the keymap is resolved.
 */
export type Chord = {
  readonly name: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
  readonly super: boolean
}

export const leaderName = "<leader>"

/** A key as terminals report it. `meta` is alt; `baseCode` is the character of the key on a Latin layout. */
export type KeyReport = {
  readonly name: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly shift: boolean
  readonly super?: boolean
  readonly baseCode?: number
}

/** What other programs and people call the same key. */
const aliases: Readonly<Record<string, string>> = {
  return: "enter",
  cr: "enter",
  esc: "escape",
  pgup: "pageup",
  pgdown: "pagedown",
  pgdn: "pagedown",
  del: "delete",
  ins: "insert",
  bs: "backspace",
  " ": "space",
  "+": "plus",
  ",": "comma",
  kpenter: "enter",
  kpplus: "plus",
  kpminus: "-",
  kpmultiply: "*",
  kpdivide: "/",
  kpdecimal: ".",
  kpequal: "=",
  kpseparator: "comma",
}

const namedKeys: ReadonlySet<string> = new Set([
  ..."enter escape tab backspace delete insert up down left right pageup pagedown home end space plus comma clear".split(
    " ",
  ),
  ...Array.from({ length: 35 }, (_, place) => `f${place + 1}`),
])

const modifiers: Readonly<Record<string, "ctrl" | "alt" | "shift" | "super">> = {
  ctrl: "ctrl",
  control: "ctrl",
  alt: "alt",
  meta: "alt",
  option: "alt",
  opt: "alt",
  shift: "shift",
  super: "super",
  cmd: "super",
  win: "super",
}

/** Where terminals do not tell the Latin key of another layout, its place on the keyboard does. */
const latinPlaces: ReadonlyMap<string, string> = new Map(
  [
    ["йцукенгшщзхъфывапролджэячсмитьбю", "qwertyuiop[]asdfghjkl;'zxcvbnm,."],
    ["ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"],
  ].flatMap(([from = "", to = ""]) => [...from].map((char, place): [string, string] => [char, to[place] ?? char])),
)

const plain: Omit<Chord, "name"> = { ctrl: false, alt: false, shift: false, super: false }

/** True for one character, one of two code units included. */
function isSingle(name: string): boolean {
  return name.length === 1 || (name.length === 2 && (name.codePointAt(0) ?? 0) > 0xffff)
}

/** A chord in its one form. */
function normal(name: string, held: Omit<Chord, "name">): Chord {
  const single = isSingle(name)
  const lower = name.toLowerCase()
  const upper = single && name !== lower
  // A report of `G` with or without shift, and a file's `shift+g`, are one chord.
  const known =
    aliases[lower] ?? (lower.startsWith("kp") && lower.length > 2 ? (aliases[lower.slice(2)] ?? lower.slice(2)) : lower)
  const letter = single && lower !== name.toUpperCase()
  const shift = letter
    ? held.shift || upper
    : held.shift && namedKeys.has(known) && known !== "plus" && known !== "comma"
  return { ...held, name: known, shift }
}

/** The chords of one report: two Escapes that came quickly are reported as one, and are two. Empty for a key without a name. */
export function chordsOf(key: KeyReport): readonly Chord[] {
  if (key.name === "") return []
  const held = { ctrl: key.ctrl, alt: key.meta, shift: key.shift, super: key.super === true }
  if (key.name === "escape" && key.meta) {
    const escape = normal("escape", { ...held, alt: false })
    return [escape, escape]
  }
  // A bare line feed is what Ctrl+J sends on terminals that know no better.
  if (key.name === "linefeed") return [normal("j", { ...held, ctrl: true })]
  const command = held.ctrl || held.alt || held.super
  const base = key.baseCode === undefined ? undefined : String.fromCodePoint(key.baseCode)
  const foreign = isSingle(key.name) && (key.name.codePointAt(0) ?? 0) > 0x7f
  if (!command || !foreign) return [normal(key.name, held)]
  return [normal(base ?? latinPlaces.get(key.name.toLowerCase()) ?? key.name, held)]
}

/** What is written as a chord, or the sentence that says why it is none. */
export function parseChord(text: string): Chord | string {
  if (text.toLowerCase() === leaderName) return { name: leaderName, ...plain }
  const parts = text.split("+")
  const key = parts.at(-1) ?? ""
  if (key === "") return `\`${text}\` names no key; the plus sign itself is written \`plus\``
  const held = { ...plain }
  const flags: Record<"ctrl" | "alt" | "shift" | "super", boolean> = held
  for (const part of parts.slice(0, -1)) {
    const modifier = modifiers[part.toLowerCase()]
    if (modifier === undefined) return `\`${part}\` in \`${text}\` is not a modifier; use ctrl, alt, shift or super`
    flags[modifier] = true
  }
  const chord = normal(key, flags)
  if (isSingle(chord.name) || namedKeys.has(chord.name)) return chord
  return `\`${key}\` in \`${text}\` is not a key; use a character or a name such as enter, escape, pageup, f5, space`
}

/** Alternatives of sequences, or the sentence that says what is wrong. */
export function parseKeys(text: string): readonly (readonly Chord[])[] | string {
  const alternatives: (readonly Chord[])[] = []
  for (const part of text.split(",")) {
    const words = part.trim().split(/\s+/).filter(Boolean)
    if (words.length === 0) return `\`${text}\` has an empty alternative; the comma itself is written \`comma\``
    const chords: Chord[] = []
    for (const word of words) {
      const chord = parseChord(word)
      if (typeof chord === "string") return chord
      if (chord.name === leaderName && chords.length > 0) return `\`${text}\`: <leader> can only come first`
      chords.push(chord)
    }
    if (chords.length === 1 && chords[0]?.name === leaderName) return `\`${text}\`: <leader> needs a key after it`
    alternatives.push(chords)
  }
  return alternatives
}

export function sameChord(a: Chord, b: Chord): boolean {
  return a.name === b.name && a.ctrl === b.ctrl && a.alt === b.alt && a.shift === b.shift && a.super === b.super
}

/** One chord as it is written in a keymap. */
export function printChord(chord: Chord): string {
  const letter = isSingle(chord.name) && chord.shift
  const name = letter && !chord.ctrl && !chord.alt && !chord.super ? chord.name.toUpperCase() : chord.name
  const held = [
    chord.ctrl && "ctrl",
    chord.alt && "alt",
    chord.shift && name === chord.name && "shift",
    chord.super && "super",
  ]
  return [...held.filter(Boolean), name].join("+")
}

/** A sequence as it is written in a keymap and shown in help. */
export function printKeys(keys: readonly Chord[]): string {
  return keys.map(printChord).join(" ")
}
