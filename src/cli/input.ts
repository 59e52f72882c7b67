/**
 * The prompt of a headless run: words, files and piped input, each a block of its own.
 *
 * - Order: piped input, then files, then the words, joined by spaces. Nothing is glued to anything.
 * - A text file stands in `<file name="…">`; an image is an image, scaled down where it is too large. What is missing, no plain file, binary or too large is a usage problem, in
 *   one sentence; nothing is read that could go on for ever.
 */
import { constants } from "node:fs"
import { open, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { errorCode } from "../std/files.ts"
import type { UserPart } from "../message/message.ts"
import { fitImage } from "../std/fit-image.ts"
import { decodeText } from "../tools/encoding.ts"
import { reasonOf } from "../tools/paths.ts"

/** More than this is no prompt: it belongs into a file that the agent reads. */
const inputBytesMax = 10 * 1024 * 1024

export type PromptParts =
  { readonly ok: true; readonly parts: readonly UserPart[] } | { readonly ok: false; readonly problem: string }

type Problem = { readonly problem: string }

export type PromptInput = {
  readonly words: readonly string[]
  /** What came on stdin, or null where stdin is a terminal. */
  readonly piped: Uint8Array | null
  /** What words like `@a` and `@~/a` are resolved against. */
  readonly folder: string
  readonly home: string
}

/** All of a pipe, or as much as shows that it is too much. */
export async function readPiped(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream) {
    pieces.push(piece)
    size += piece.length
    if (size > inputBytesMax) break
  }
  return Buffer.concat(pieces)
}

/** What bytes are to a model, or why they are nothing to it. `name` stands at the beginning of that sentence. */
async function partOf(bytes: Uint8Array, name: string): Promise<UserPart | Problem> {
  if (bytes.length > inputBytesMax) return { problem: tooLarge(name) }
  const content = decodeText(bytes)
  if ("text" in content) return { type: "text", text: content.text.toWellFormed() }
  if (content.kind !== "image") {
    const what = content.kind === "binary" ? content.name : "binary data"
    return { problem: `${name} is ${what}, not text: it cannot join a prompt` }
  }
  const fitted = await fitImage(bytes, content.mimeType)
  if (!fitted.ok) return { problem: `${name} is an image that no model takes: ${fitted.reason}` }
  return { type: "image", data: Buffer.from(fitted.bytes).toString("base64"), mimeType: fitted.mimeType }
}

function tooLarge(name: string): string {
  return `${name} has more than ${inputBytesMax / 1024 / 1024} MiB: name the file without @, and the agent reads what it needs`
}

async function filePart(word: string, { folder, home }: PromptInput): Promise<UserPart | Problem> {
  const path = word.startsWith("~/") ? join(home, word.slice(2)) : resolve(folder, word)
  try {
    // Looked at before it is opened, since opening a pipe waits and opening a device may do something.
    const info = await stat(path)
    if (info.isDirectory()) return { problem: `${path} (from @${word}) is a folder: name a file` }
    if (!info.isFile()) return { problem: `${path} (from @${word}) is no file: reading it could wait for ever` }
    if (info.size > inputBytesMax) return { problem: tooLarge(path) }
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const part = await partOf(await file.readFile(), path)
      if ("problem" in part || part.type === "image") return part
      return { type: "text", text: `<file name="${path}">\n${part.text}\n</file>` }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    if (errorCode(error) === "ENOENT") return { problem: `there is no file ${path} (from @${word})` }
    return { problem: `${path} (from @${word}) cannot be read: ${reasonOf(error)}` }
  }
}

export async function promptParts(input: PromptInput): Promise<PromptParts> {
  const { words, piped } = input
  const parts: UserPart[] = []
  if (piped !== null) {
    const part = await partOf(piped, "the piped input")
    if ("problem" in part) return { ok: false, problem: part.problem }
    if (part.type === "image" || part.text.trim() !== "") parts.push(part)
  }
  for (const word of words.filter((candidate) => candidate.startsWith("@") && candidate.length > 1)) {
    const part = await filePart(word.slice(1), input)
    if ("problem" in part) return { ok: false, problem: part.problem }
    parts.push(part)
  }
  const text = words.filter((word) => !word.startsWith("@") || word.length === 1).join(" ")
  if (text.trim() !== "") parts.push({ type: "text", text: text.toWellFormed() })
  return { ok: true, parts }
}
