/**
 * What the clipboard holds, text or an image: this machine's, by the programs that read it; over a network that is the wrong machine's, so there
 * the terminal is asked, which answers where it is allowed to.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { CliRenderer } from "@opentui/core"
import type { Clock } from "../../std/clock.ts"
import { imageType } from "../../std/image.ts"
import { aboutImage, type DroppedImage } from "./images.ts"

export type Clipboard =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly image: DroppedImage }
  | { readonly kind: "nothing"; readonly reason: string }

/** A program and its words, and how what it prints becomes bytes. */
type Reader = { readonly command: readonly string[]; bytes(printed: Uint8Array): Uint8Array }

const plain = (...command: readonly string[]): Reader => ({ command, bytes: (printed) => printed })
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim()

/** AppleScript prints data as `«data PNGf89504E47…»`. */
function fromAppleScript(printed: Uint8Array): Uint8Array {
  const hex = /PNGf((?:[0-9A-F]{2})+)/i.exec(textOf(printed))?.[1] ?? ""
  return Uint8Array.fromHex(hex)
}

const windowsImage = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$image = [Windows.Forms.Clipboard]::GetImage()
if ($image) { $stream = New-Object IO.MemoryStream; $image.Save($stream, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($stream.ToArray()) }`

const windowsShell = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Sta", "-Command"] as const

const imageReaders: readonly Reader[] = [
  plain("wl-paste", "--no-newline", "--type", "image/png"),
  plain("wl-paste", "--no-newline", "--type", "image/jpeg"),
  plain("xclip", "-selection", "clipboard", "-target", "image/png", "-out"),
  plain("xclip", "-selection", "clipboard", "-target", "image/jpeg", "-out"),
  plain("pngpaste", "-"),
  { command: ["osascript", "-e", "get the clipboard as «class PNGf»"], bytes: fromAppleScript },
  { command: [...windowsShell, windowsImage], bytes: (printed) => bytesOfBase64(textOf(printed)) ?? new Uint8Array() },
]
const textReaders: readonly Reader[] = [
  plain("wl-paste", "--no-newline"),
  plain("xclip", "-selection", "clipboard", "-out"),
  plain("xsel", "--clipboard", "--output"),
  plain("pbpaste"),
  plain(...windowsShell, "Get-Clipboard -Raw"),
]

function bytesOfBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(text.replace(/\s+/g, ""))
  } catch {
    // A terminal answers what it wants.
    return null
  }
}

/** What the first reader gives that gives something of use. */
async function read(readers: readonly Reader[], fits: (bytes: Uint8Array) => boolean): Promise<Uint8Array | null> {
  for (const { command, bytes } of readers) {
    const [name = "", ...args] = command
    const path = Bun.which(name)
    if (path === null) continue
    const child = Bun.spawn([path, ...args], { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
    const printed = new Uint8Array(await new Response(child.stdout).arrayBuffer())
    const found = (await child.exited) === 0 ? bytes(printed) : null
    if (found !== null && found.length > 0 && fits(found)) return found
  }
  return null
}

/** An image becomes a file in `scratch`. */
async function kept(bytes: Uint8Array, mimeType: string, scratch: string): Promise<Clipboard> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const path = join(scratch, `paste-${randomUUID()}.${mimeType.slice("image/".length)}`)
  await Bun.write(path, bytes, { mode: 0o600 })
  return { kind: "image", image: { path, about: aboutImage("", bytes, mimeType) } }
}

async function holding(bytes: Uint8Array, scratch: string): Promise<Clipboard> {
  const mimeType = imageType(bytes)
  return mimeType === null ? { kind: "text", text: new TextDecoder().decode(bytes) } : kept(bytes, mimeType, scratch)
}

/** How long a terminal may take: some ask the person first. */
const terminalMs = 3_000
const answer = /^(?:\x1b\]|\x9d)52;[^;]*;([^\x07\x1b]*)/

/** Asks the terminal for its clipboard; null where no answer comes. */
function askTerminal(renderer: CliRenderer, write: (bytes: string) => void, clock: Clock): Promise<Uint8Array | null> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | null>()
  const stop = renderer.subscribeOsc((sequence) => {
    const encoded = answer.exec(sequence)?.[1]
    if (encoded !== undefined) resolve(bytesOfBase64(encoded))
  })
  const cancel = clock.after(terminalMs, () => resolve(null))
  write("\x1b]52;c;?\x07")
  return promise.finally(() => {
    stop()
    cancel()
  })
}

export type ClipboardPlace = {
  readonly scratch: string
  readonly remote: boolean
  readonly renderer: CliRenderer
  readonly clock: Clock
  /** To the terminal, between frames. */
  write(bytes: string): void
}

export async function readClipboard({ scratch, remote, renderer, clock, write }: ClipboardPlace): Promise<Clipboard> {
  if (remote) {
    const bytes = await askTerminal(renderer, write, clock)
    if (bytes !== null && bytes.length > 0) return holding(bytes, scratch)
    return { kind: "nothing", reason: "This terminal does not tell what its clipboard holds: paste with its own key" }
  }
  const image = await read(imageReaders, (bytes) => imageType(bytes) !== null)
  if (image !== null) return holding(image, scratch)
  const text = await read(textReaders, () => true)
  if (text !== null) return { kind: "text", text: new TextDecoder().decode(text) }
  return { kind: "nothing", reason: "Nothing was found in the clipboard, or no program that reads it" }
}
