/**
 * What the model sees of a command's output: both ends of it, as it looked on a screen.
 *
 * - Sequences go, a carriage return paints over what was there before (a progress bar is its last state), broken bytes are U+FFFD.
 * - Binary output is named and not shown: it tells a model nothing and takes all of its room.
 * - Within the limits it is all there. Beyond, a short head says how it began, and the rest of the room is the tail, which says how it ended.
 */
import { parseAnsi } from "../std/ansi.ts"
import { sniff } from "./encoding.ts"
import { byteLength, head, lineCount, tail, type Limits } from "../std/lines.ts"

/** The bytes that were kept of an output of `size` bytes: its beginning and its end, which may be all of it, once. */
export type Capture = { readonly head: Uint8Array; readonly tail: Uint8Array; readonly size: number }

/** Bytes of a capture: enough for the limits below after what is painted over has gone. */
export const captureHeadBytes = 16 * 1024
export const captureTailBytes = 256 * 1024

export const outputLimits: Limits = { lines: 2_000, bytes: 50 * 1024 }
const headLimits: Limits = { lines: 100, bytes: 5 * 1024 }
const tailLimits: Limits = {
  lines: outputLimits.lines - headLimits.lines,
  bytes: outputLimits.bytes - headLimits.bytes,
}
/** Of a line that was painted over again and again, only the last of it can still be seen. */
const paintedCharsMax = 8 * 1024

export type Shown =
  | { readonly cut: false; readonly text: string }
  | { readonly cut: true; readonly head: string; readonly tail: string; readonly bytesLeft: number }

/** Text as a reader of the screen would see it. */
export function plainText(text: string): string {
  const last = text
    .split("\n")
    .map((line) => (line.length > paintedCharsMax && line.includes("\r") ? lastPainted(line) : line))
    .join("\n")
  return parseAnsi(last)
    .lines.map((spans) => spans.map((span) => span.text).join(""))
    .join("\n")
}

function lastPainted(line: string): string {
  const start = line.indexOf("\r", line.length - paintedCharsMax)
  return start < 0 ? line : line.slice(start)
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes)
}

/** The text of a capture with nothing left out, or null. */
function wholeOf({ head, tail, size }: Capture): Uint8Array | null {
  return head.length + tail.length === size ? Buffer.concat([head, tail]) : null
}

/** `bytes` from the first whole line on; all of them where the last newline is far. */
function fromLineStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(10)
  return newline >= 0 && newline < bytes.length / 2 ? bytes.subarray(newline + 1) : bytes
}

/** `bytes` without a last line that is being painted over: what it says in the end is in the tail. */
function beforePainted(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(10)
  return bytes.indexOf(13, newline + 1) < 0 ? bytes : bytes.subarray(0, newline + 1)
}

export function showOutput(capture: Capture): Shown {
  const whole = wholeOf(capture)
  if (whole !== null) {
    const text = plainText(decode(whole))
    if (lineCount(text) <= outputLimits.lines && byteLength(text) <= outputLimits.bytes) return { cut: false, text }
    const first = head(text, headLimits).text
    const last = tail(text.slice(first.length), tailLimits).text
    return { cut: true, head: first, tail: last, bytesLeft: byteLength(text) - byteLength(first) - byteLength(last) }
  }
  const first = head(plainText(decode(beforePainted(capture.head))), headLimits).text
  const last = tail(plainText(decode(fromLineStart(capture.tail))), tailLimits).text
  return { cut: true, head: first, tail: last, bytesLeft: capture.size - byteLength(first) - byteLength(last) }
}

/** Shorter output is shown whatever it is. */
const binaryBytesMin = 64

/** What binary output is, by its first bytes; null for text, of which a separator here and there may be a NUL. */
export function binaryName({ head }: Capture): string | null {
  if (head.length < binaryBytesMin) return null
  const text = decode(head)
  let controls = 0
  let broken = 0
  for (const char of text) {
    if (char === "\ufffd") broken++
    else if (char < " " && !"\t\n\r\b\f\x1b".includes(char)) controls++
  }
  if (controls < text.length / 10 && broken < text.length / 3) return null
  const content = sniff(head, false)
  return content.kind === "binary" ? content.name : content.kind === "image" ? content.mimeType : "binary data"
}

/** Keeps both ends of an output that comes in pieces and goes nowhere else. */
export class EndsKeeper {
  readonly #head = new Uint8Array(captureHeadBytes)
  #tail = new Uint8Array(2 * captureTailBytes)
  #tailLength = 0
  #size = 0

  push(bytes: Uint8Array): void {
    const room = Math.max(0, captureHeadBytes - this.#size)
    this.#head.set(bytes.subarray(0, room), Math.min(this.#size, captureHeadBytes))
    this.#size += bytes.length
    const rest = bytes.subarray(room).subarray(-captureTailBytes)
    if (this.#tailLength + rest.length > this.#tail.length) {
      const kept = Math.max(0, Math.min(this.#tailLength, captureTailBytes - rest.length))
      this.#tail.copyWithin(0, this.#tailLength - kept, this.#tailLength)
      this.#tailLength = kept
    }
    this.#tail.set(rest, this.#tailLength)
    this.#tailLength += rest.length
  }

  /** A copy of what is kept. */
  capture(): Capture {
    const tailed = this.#tail.subarray(Math.max(0, this.#tailLength - captureTailBytes), this.#tailLength)
    return { head: this.#head.slice(0, Math.min(this.#size, captureHeadBytes)), tail: tailed.slice(), size: this.#size }
  }
}
