/**
 * What this machine's clipboard holds, text or an image. Over a network it is the wrong machine's: the terminal's own paste key is right there.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"

export type Clipboard = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }

const imageReaders: readonly (readonly string[])[] = [
  ["wl-paste", "--no-newline", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
  ["pngpaste", "-"],
]
const textReaders: readonly (readonly string[])[] = [
  ["wl-paste", "--no-newline"],
  ["xclip", "-selection", "clipboard", "-out"],
  ["xsel", "--clipboard", "--output"],
  ["pbpaste"],
]

const pngStart = [0x89, 0x50, 0x4e, 0x47]

/** The output of the first reader that gives any. */
async function read(readers: readonly (readonly string[])[]): Promise<Uint8Array | null> {
  for (const [name = "", ...args] of readers) {
    const path = Bun.which(name)
    if (path === null) continue
    const child = Bun.spawn([path, ...args], { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
    const bytes = new Uint8Array(await new Response(child.stdout).arrayBuffer())
    if ((await child.exited) === 0 && bytes.length > 0) return bytes
  }
  return null
}

/** An image becomes a file in `scratch`, named as a mention. */
export async function readClipboard(scratch: string, remote: boolean): Promise<Clipboard> {
  if (remote) return { ok: false, reason: "The clipboard is on the other machine: paste with the terminal's own key" }
  const image = await read(imageReaders)
  if (image !== null && pngStart.every((byte, at) => image[at] === byte)) {
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    const path = join(scratch, `paste-${randomUUID()}.png`)
    await Bun.write(path, image, { mode: 0o600 })
    return { ok: true, text: `@${path} ` }
  }
  const text = await read(textReaders)
  if (text === null) return { ok: false, reason: "Nothing was found in the clipboard, or no program that reads it" }
  return { ok: true, text: new TextDecoder().decode(text) }
}
