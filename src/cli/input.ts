/**
 * The prompt of a headless run: words, files and piped input, each a block of its own.
 *
 * - Order: piped input, then files, then the words, joined by spaces. Nothing is glued to anything.
 * - A text file stands in `<file name="…">`; an image is an image. A file that is missing or binary is a usage problem, in one sentence.
 */
import { basename, resolve } from "node:path"
import type { UserPart } from "../message/message.ts"

/** More piped text than this is no prompt: it belongs into a file that the agent reads. */
const pipedBytesMax = 10 * 1024 * 1024

const imageTypes: Readonly<Record<string, string>> = {
  "89504e47": "image/png",
  ffd8ff: "image/jpeg",
  "47494638": "image/gif",
  "52494646": "image/webp",
}

function imageType(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 4).toHex()
  return Object.entries(imageTypes).find(([magic]) => head.startsWith(magic))?.[1]
}

export type PromptParts =
  { readonly ok: true; readonly parts: readonly UserPart[] } | { readonly ok: false; readonly problem: string }

async function filePart(word: string, folder: string): Promise<UserPart | { readonly problem: string }> {
  const path = resolve(folder, word)
  const file = Bun.file(path)
  if (!(await file.exists())) return { problem: `there is no file ${path} (from @${word})` }
  const bytes = await file.bytes()
  const mimeType = imageType(bytes)
  if (mimeType !== undefined) return { type: "image", data: bytes.toBase64(), mimeType }
  if (bytes.subarray(0, 8_192).includes(0))
    return { problem: `${basename(path)} is a binary file: it cannot join a prompt` }
  return { type: "text", text: `<file name="${path}">\n${new TextDecoder().decode(bytes)}\n</file>` }
}

/** `piped` is what came on stdin, or null where stdin is a terminal. */
export async function promptParts(
  words: readonly string[],
  piped: string | null,
  folder: string,
): Promise<PromptParts> {
  const parts: UserPart[] = []
  if (piped !== null && Buffer.byteLength(piped) > pipedBytesMax) {
    return {
      ok: false,
      problem: `the piped input has more than ${pipedBytesMax / 1024 / 1024} MiB: put it into a file and name the file`,
    }
  }
  if (piped !== null && piped.trim() !== "") parts.push({ type: "text", text: piped })
  for (const word of words.filter((candidate) => candidate.startsWith("@") && candidate.length > 1)) {
    const part = await filePart(word.slice(1), folder)
    if ("problem" in part) return { ok: false, problem: part.problem }
    parts.push(part)
  }
  const text = words.filter((word) => !word.startsWith("@") || word.length === 1).join(" ")
  if (text.trim() !== "") parts.push({ type: "text", text })
  return { ok: true, parts }
}
