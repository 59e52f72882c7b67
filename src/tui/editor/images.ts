/**
 * Images that an input mentions go along with it: the mention stays in the text, the picture stands beside it.
 *
 * - Only files that are images by their first bytes; anything else is just a path that the model may read. One that is too large is scaled.
 * - What goes along has to fit one message of the protocol, text included: several images share what there is.
 * - An image that was meant and does not go along is told of, never left out without a word.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { open, stat } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { basename, isAbsolute, join } from "node:path"
import type { ImagePart, UserPart } from "../../message/message.ts"
import { errorCode } from "../../std/files.ts"
import { fitImage, imageBytesMax, imageFileBytesMax } from "../../std/fit-image.ts"
import { imageHeadBytes, imageKindBytes, imageSize, imageType } from "../../std/image.ts"

const imagesMax = 20
/** Bytes of all images of one input: with the base64 around them, the longest text and the envelope they fit a line of 8 MiB. */
const allBytesMax = 5_000_000
/** Under this an image shows nothing any more. */
const eachBytesMin = 20_000

const mention = /(?:^|\s)@(?:"([^"\n]+)"|(\S+))/g
const imageName = /\.(?:png|jpe?g|gif|webp)$/i

/** The paths that `text` mentions, once each. Punctuation after a path without quotes is the sentence's. */
export function mentions(text: string): readonly string[] {
  const paths = [...text.matchAll(mention)].map((found) => found[1] ?? found[2]?.replace(/[.,;:!?)]+$/, "") ?? "")
  return [...new Set(paths)].filter(Boolean)
}

type Found = { readonly path: string; readonly mimeType: string }
type Problem = { readonly problem: string }

/** What a mentioned path is: an image, a problem that is worth telling, or nothing to us. */
async function look(path: string): Promise<Found | Problem | null> {
  const told = (why: string): Problem | null =>
    imageName.test(path) ? { problem: `${basename(path)} does not go along: ${why}` } : null
  try {
    const info = await stat(path)
    if (!info.isFile()) return null
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(imageKindBytes), 0, imageKindBytes, 0)
      const mimeType = imageType(buffer.subarray(0, bytesRead))
      if (mimeType === null) return told("it is no image that models take")
      return info.size > imageFileBytesMax ? told("it is too large to be scaled") : { path, mimeType }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return told(errorCode(error) === "ENOENT" ? "there is no such file" : "it cannot be read")
  }
}

async function imageAt({ path, mimeType }: Found, bytesMax: number): Promise<ImagePart | Problem> {
  const fitted = await fitImage(await Bun.file(path).bytes(), mimeType, bytesMax)
  if (!fitted.ok) return { problem: `${basename(path)} does not go along: ${fitted.reason}` }
  return { type: "image", data: fitted.bytes.toBase64(), mimeType: fitted.mimeType }
}

export function textOnly(text: string): readonly UserPart[] {
  return [{ type: "text", text }]
}

export type WithImages = { readonly content: readonly UserPart[]; readonly problems: readonly string[] }

export async function withImages(text: string, folder: string): Promise<WithImages> {
  const paths = mentions(text).map((path) => (isAbsolute(path) ? path : join(folder, path)))
  const found = await Promise.all(paths.map(look))
  const wanted = found.filter((one): one is Found => one !== null && "path" in one)
  const taken = wanted.slice(0, imagesMax)
  const left = Math.max(0, allBytesMax - Buffer.byteLength(text))
  const each = Math.min(imageBytesMax, Math.floor(left / Math.max(1, taken.length)))
  const images = each < eachBytesMin ? [] : await Promise.all(taken.map((one) => imageAt(one, each)))
  const problems = [...found, ...images].flatMap((one) => (one !== null && "problem" in one ? [one.problem] : []))
  const over = wanted.length - (each < eachBytesMin ? 0 : taken.length)
  if (over > 0) problems.push(`${over} of ${wanted.length} images do not go along: that is more than one input takes`)
  return { content: [...textOnly(text), ...images.filter((one): one is ImagePart => "data" in one)], problems }
}

/** An image that was pasted or dropped, and what stands for it in the editor. */
export type DroppedImage = { readonly path: string; readonly about: string }

/**
 * The images whose paths were dropped on the terminal, which pastes them: as they are, quoted, with backslashes, or as `file:` addresses.
 * Null where it is anything else: then it is text. Looked at at once, so that what is typed next stands behind it.
 */
export function droppedImages(pasted: string): readonly DroppedImage[] | null {
  if (pasted.length > 10_000 || !/^\s*(?:["']?\/|file:)/.test(pasted)) return null
  const whole = imageFile(pasted.trim())
  if (whole !== null) return [whole]
  const images = shellWords(pasted).map((word) => imageFile(word))
  return images.length > 0 && images.every((image) => image !== null) ? images : null
}

/** The words of a line as a shell reads them. */
function shellWords(text: string): readonly string[] {
  const word = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\[^]|[^\s'"\\])+/g
  return [...text.matchAll(word)].map(([found]) =>
    found.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\([^])/g, (_, single, double, escaped) =>
      String(single ?? double?.replace(/\\(.)/g, "$1") ?? escaped),
    ),
  )
}

function imageFile(word: string): DroppedImage | null {
  const path = word.startsWith("file:") ? pathOfUrl(word) : word
  if (path === null || !isAbsolute(path) || !imageName.test(path) || path.includes("\n")) return null
  const head = headOf(path)
  const mimeType = head === null ? null : imageType(head)
  if (head === null || mimeType === null) return null
  return { path, about: aboutImage(basename(path), head, mimeType) }
}

/** What is said of an image in its mark. */
export function aboutImage(name: string, head: Uint8Array, mimeType: string): string {
  const size = imageSize(head, mimeType)
  return [name.replace(/[[\]]/g, " ").trim(), size === null ? "" : `${size.width}×${size.height}`]
    .filter(Boolean)
    .join(" ")
}

function pathOfUrl(url: string): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    // No address after all.
    return null
  }
}

/** The beginning of a file; null for what is no file or cannot be read: a pipe would wait for ever. */
function headOf(path: string): Uint8Array | null {
  try {
    if (!statSync(path).isFile()) return null
    const fd = openSync(path, "r")
    try {
      const head = new Uint8Array(imageHeadBytes)
      return head.subarray(0, readSync(fd, head, 0, head.length, 0))
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}
