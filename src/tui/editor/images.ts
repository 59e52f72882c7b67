/**
 * Images that an input mentions go along with it: the mention stays in the text, the picture stands beside it.
 *
 * - Only files that are images by their first bytes, and small enough for every provider; anything else is just a path that the model may read.
 */
import { isAbsolute, join } from "node:path"
import { stat } from "node:fs/promises"
import type { ImagePart, UserPart } from "../../message/message.ts"

const imageBytesMax = 5 * 1024 * 1024
const imagesMax = 10

const mention = /(?:^|\s)@(?:"([^"\n]+)"|(\S+))/g

const kinds: readonly { readonly mimeType: string; readonly start: readonly number[] }[] = [
  { mimeType: "image/png", start: [0x89, 0x50, 0x4e, 0x47] },
  { mimeType: "image/jpeg", start: [0xff, 0xd8, 0xff] },
  { mimeType: "image/gif", start: [0x47, 0x49, 0x46, 0x38] },
  { mimeType: "image/webp", start: [0x52, 0x49, 0x46, 0x46] },
]

/** The paths that `text` mentions, once each. Punctuation after a path without quotes is the sentence's. */
export function mentions(text: string): readonly string[] {
  const paths = [...text.matchAll(mention)].map((found) => found[1] ?? found[2]?.replace(/[.,;:!?)]+$/, "") ?? "")
  return [...new Set(paths)].filter(Boolean)
}

async function imageAt(path: string): Promise<ImagePart | null> {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile() || found.size > imageBytesMax) return null
  const bytes = await Bun.file(path).bytes()
  const kind = kinds.find(({ start }) => start.every((byte, at) => bytes[at] === byte))
  return kind === undefined ? null : { type: "image", data: bytes.toBase64(), mimeType: kind.mimeType }
}

export function textOnly(text: string): readonly UserPart[] {
  return [{ type: "text", text }]
}

export async function withImages(text: string, folder: string): Promise<readonly UserPart[]> {
  const paths = mentions(text).map((path) => (isAbsolute(path) ? path : join(folder, path)))
  const images = await Promise.all(paths.slice(0, imagesMax).map(imageAt))
  return [...textOnly(text), ...images.filter((image) => image !== null)]
}
