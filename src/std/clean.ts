/**
 * The one door for text that others wrote: nothing that comes out of it can drive a terminal or hide from a reader.
 *
 * - A whole control sequence (CSI, OSC, DCS, APC, PM, SOS, charset and two-character ones, in 7 and 8 bit form) is dropped. A string sequence ends
 *   on its own line or was never one: what it would have swallowed is shown.
 * - A control character that stands alone is shown as its picture (`␛`, `␇`, `␈`, `␍`), so a carriage return cannot paint over what was said.
 * - What cannot be seen but changes what is seen, or says something to a model and nothing to a person (bidi controls, zero-width characters,
 *   fillers, tag characters, stacked variation selectors), is shown as `<U+202E>`. Joiners stay where a script or an emoji needs them.
 * - Newlines stay, `\r\n` becomes one. Text that is clean already is returned as it is.
 */
import { expandTabs } from "./text.ts"

/** Says in one look whether there is anything to do. Tag characters are pairs that begin with \udb40. */
const suspicious =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\udb40/

/** `text` with its sequences dropped and its hidden characters shown; `\n` and `\t` stay. */
export function cleanControls(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  if (!suspicious.test(whole)) return whole
  return showHidden(showControls(dropSequences(whole).replaceAll("\r\n", "\n")))
}

/** As {@link cleanControls}, with tabs as spaces up to the next tab stop: ready to be drawn. */
export function clean(text: string): string {
  return expandTabs(cleanControls(text), "unicode")
}

/** A clean text on one line, for titles, names and labels: runs of white space are one space. */
export function cleanLine(text: string): string {
  return cleanControls(text).replace(/\s+/g, " ").trim()
}

const introducers = /[\x1b\x80-\x9f]/

function dropSequences(text: string): string {
  if (!introducers.test(text)) return text
  const strings = new Strings(text)
  let out = ""
  let kept = 0
  let at = 0
  while (at < text.length) {
    const end = sequenceEnd(text, at, strings)
    if (end > at) {
      out += text.slice(kept, at)
      kept = end
      at = end
    } else {
      at += 1
    }
  }
  return out + text.slice(kept)
}

/** Finds the ends of string sequences, in one pass over the text however many begin and do not end. */
export class Strings {
  readonly #text: string
  /** By terminator: up to here there is none. */
  #none = { bel: -1, st: -1 }

  constructor(text: string) {
    this.#text = text
  }

  /** The end of a string whose body begins at `from`, or -1. It must end on its line. `bel`: a BEL ends it too. */
  end(from: number, bel: boolean): number {
    const key = bel ? "bel" : "st"
    if (from < this.#none[key]) return -1
    for (let at = from; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === 0x0a) return this.#missing(key, at)
      if (code === 0x9c || (bel && code === 0x07)) return at + 1
      if (code === 0x1b && this.#text.charCodeAt(at + 1) === 0x5c) return at + 2
    }
    return this.#missing(key, this.#text.length)
  }

  #missing(key: "bel" | "st", upTo: number): number {
    this.#none[key] = upTo
    return -1
  }
}

const csiBody = /[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]/y
const shortBody = /[\x20-\x2f]*[\x30-\x7e]/y

function bodyEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** Where the sequence that begins at `at` ends (exclusive); not after `at` when there is none, or none that is whole. */
export function sequenceEnd(text: string, at: number, strings: Strings): number {
  const code = text.charCodeAt(at)
  if (code === 0x1b) {
    const next = text.charCodeAt(at + 1)
    if (next === 0x5b) return bodyEnd(csiBody, text, at + 2)
    if (next === 0x5d) return strings.end(at + 2, true)
    if (next === 0x50 || next === 0x58 || next === 0x5e || next === 0x5f) return strings.end(at + 2, false)
    return bodyEnd(shortBody, text, at + 1)
  }
  if (code === 0x9b) return bodyEnd(csiBody, text, at + 1)
  if (code === 0x9d) return strings.end(at + 1, true)
  if (code === 0x90 || code === 0x98 || code === 0x9e || code === 0x9f) return strings.end(at + 1, false)
  return at
}

function showControls(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (char) => {
    const code = char.charCodeAt(0)
    if (code === 0x7f) return "␡"
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : visible(code)
  })
}

function visible(code: number): string {
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

/** A flag of a region is written in tag characters and is the one place where they are meant to be seen. */
const hidden =
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,8}\u{e007f}|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu

const emojiBefore = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u
const emojiAfter = /^\p{Extended_Pictographic}/u
const joining =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Mong}]$/u
const han = /\p{Script=Han}$/u
const base = /[^\s\ufe00-\ufe0f]$/u

function showHidden(text: string): string {
  return text.replace(hidden, (match: string, at: number) => {
    const code = match.codePointAt(0) ?? 0
    if (code === 0x1f3f4 && match.length > 2) return match
    const before = text.slice(Math.max(0, at - 2), at)
    if (code === 0x200d && emojiBefore.test(before) && emojiAfter.test(text.slice(at + 1, at + 3))) return match
    if ((code === 0x200c || code === 0x200d) && joining.test(before)) return match
    if (code >= 0xfe00 && code <= 0xfe0f && base.test(before)) return match
    if (code >= 0xe0100 && code <= 0xe01ef && han.test(before)) return match
    return visible(code)
  })
}
