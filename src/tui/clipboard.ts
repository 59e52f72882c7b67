/**
 * Copying: to the terminal, which passes it on to the machine where the person sits, and to the clipboard of this machine.
 *
 * - OSC 52 goes out as it is, also inside tmux, which hands it on where `set-clipboard` allows. Whether it arrived cannot be known, so the
 *   message says where it was sent, never that it was copied.
 * - A program of this machine is used only where the screen is not remote: over ssh it would fill the wrong clipboard.
 */
import type { CliRenderer } from "@opentui/core"

/** Terminals drop longer ones, and some everything that came with them. */
const osc52BytesMax = 100_000
/** Under GNU screen a control string ends after this many bytes. */
const screenBytesMax = 768

const programs: readonly (readonly string[])[] = [
  ["pbcopy"],
  ["wl-copy"],
  ["xclip", "-selection", "clipboard"],
  ["xsel", "--clipboard", "--input"],
  ["clip.exe"],
]

export type Copied = { readonly sent: readonly string[]; readonly bytes: number }

/** Puts `text` on standard input of the first program that is there; its name, or null. */
async function copyHere(text: string): Promise<string | null> {
  for (const [name = "", ...args] of programs) {
    const path = Bun.which(name)
    if (path === null) continue
    const child = Bun.spawn([path, ...args], { stdin: new Blob([text]), stdout: "ignore", stderr: "ignore" })
    if ((await child.exited) === 0) return name
  }
  return null
}

export async function copyText(
  renderer: CliRenderer,
  text: string,
  terminal: { readonly remote: boolean; readonly multiplexer: string },
): Promise<Copied> {
  const bytes = Buffer.byteLength(text)
  const encoded = Math.ceil(bytes / 3) * 4
  const limit = terminal.multiplexer === "screen" ? screenBytesMax : osc52BytesMax
  const sent: string[] = []
  if (encoded <= limit && renderer.copyToClipboardOSC52(text)) sent.push("the terminal")
  const here = terminal.remote ? null : await copyHere(text)
  if (here !== null) sent.push(here)
  return { sent, bytes }
}

/** What came of it, in one sentence. */
export function copiedSentence({ sent, bytes }: Copied): { readonly ok: boolean; readonly text: string } {
  const size = bytes === 1 ? "1 byte" : `${bytes.toLocaleString("en")} bytes`
  if (sent.length > 0) return { ok: true, text: `${size} sent to ${sent.join(" and ")}` }
  return { ok: false, text: `${size} are too much for this terminal's clipboard; write the session to a file instead` }
}
