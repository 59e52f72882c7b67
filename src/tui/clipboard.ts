/**
 * Copying: to the terminal, which passes it on to the machine where the person sits, and to the clipboard of this machine.
 *
 * - Inside tmux OSC 52 goes out as it is, for `set-clipboard on`, and wrapped, for `allow-passthrough on`; and tmux itself is handed the text,
 *   which it passes on where it is set to neither. What it does not take, it drops in silence. GNU screen takes it wrapped, in pieces.
 * - Whether it arrived cannot be known, so the message says where it was sent, never that it was copied.
 * - A program of this machine is used only where the screen is not remote: over ssh it would fill the wrong clipboard.
 */
import type { CliRenderer } from "@opentui/core"
import type { TerminalFacts } from "./options.ts"

/** Terminals drop longer ones, and some everything that came with them. */
const osc52BytesMax = 100_000
/** GNU screen cuts control strings of more than 768 bytes: pieces stay well below. */
const screenPiece = 512

const programs: readonly (readonly string[])[] = [
  ["pbcopy"],
  ["wl-copy"],
  ["xclip", "-selection", "clipboard"],
  ["xsel", "--clipboard", "--input"],
  ["clip.exe"],
]

export type Copied = { readonly sent: readonly string[]; readonly bytes: number }

/** tmux keeps the text as a buffer of its own, and passes it on to its terminal's clipboard. */
const tmuxBuffer = ["tmux", "load-buffer", "-w", "-"] as const

/** Puts `text` on standard input of a program; false where it is not there or fails. */
async function hand(text: string, [name = "", ...args]: readonly string[]): Promise<boolean> {
  const path = Bun.which(name)
  if (path === null) return false
  const child = Bun.spawn([path, ...args], { stdin: new Blob([text]), stdout: "ignore", stderr: "ignore" })
  return (await child.exited) === 0
}

/** The name of the first program that took the text, or null. */
async function copyHere(text: string): Promise<string | null> {
  for (const program of programs) {
    if (await hand(text, program)) return program[0] ?? null
  }
  return null
}

/** A sequence for the terminal around a multiplexer, as that passes it on. Pure. */
export function passedThrough(sequence: string, multiplexer: "tmux" | "screen"): string {
  if (multiplexer === "tmux") return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`
  const pieces = Math.ceil(sequence.length / screenPiece)
  return Array.from({ length: pieces }, (_, at) => {
    return `\x1bP${sequence.slice(at * screenPiece, (at + 1) * screenPiece)}\x1b\\`
  }).join("")
}

/** True where something was sent that the terminal may take. */
async function copyOut(text: string, { renderer, multiplexer, write }: CopyPlace): Promise<boolean> {
  const encoded = Buffer.from(text).toString("base64")
  if (encoded.length > osc52BytesMax) return false
  const sequence = `\x1b]52;c;${encoded}\x07`
  if (multiplexer === "screen") {
    await write(passedThrough(sequence, "screen"))
    return true
  }
  if (multiplexer === "tmux") await write(passedThrough(sequence, "tmux"))
  return renderer.copyToClipboardOSC52(text)
}

export type CopyPlace = Pick<TerminalFacts, "remote" | "multiplexer"> & {
  readonly renderer: CliRenderer
  /** To the terminal, between frames. */
  write(bytes: string): Promise<void>
}

export async function copyText(text: string, place: CopyPlace): Promise<Copied> {
  const sent: string[] = []
  if (await copyOut(text, place)) sent.push("the terminal")
  if (place.multiplexer === "tmux" && (await hand(text, tmuxBuffer))) sent.push("tmux")
  const here = place.remote ? null : await copyHere(text)
  if (here !== null) sent.push(here)
  return { sent, bytes: Buffer.byteLength(text) }
}

/** What came of it, in one sentence. */
export function copiedSentence({ sent, bytes }: Copied): { readonly ok: boolean; readonly text: string } {
  const size = bytes === 1 ? "1 byte" : `${bytes.toLocaleString("en")} bytes`
  if (sent.length > 0) return { ok: true, text: `${size} sent to ${sent.join(" and ")}` }
  return { ok: false, text: `${size} are too much for this terminal's clipboard; write the session to a file instead` }
}
