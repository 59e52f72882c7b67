/** A file that is about to be changed: what is there, as bytes and, where it is text, as text. */
import { open } from "node:fs/promises"
import { errorCode, hashBytes, hashFile } from "../std/files.ts"
import { decodeText, type TextForm } from "./encoding.ts"

/** Files beyond this are hashed, and not looked into. */
export const textFileBytesMax = 16 * 1024 * 1024

export type Before =
  | { readonly kind: "missing" }
  | {
      readonly kind: "text"
      readonly hash: string
      readonly bytes: Uint8Array
      readonly text: string
      readonly form: TextForm
    }
  /** `bytes` is null where they are too many. */
  | {
      readonly kind: "other"
      readonly hash: string
      readonly bytes: Uint8Array | null
      readonly name: string
      readonly size: number
    }

/** What `bytes` are. */
export function beforeOf(bytes: Uint8Array): Before & { readonly hash: string } {
  const hash = hashBytes(bytes)
  const decoded = decodeText(bytes)
  if ("text" in decoded) return { kind: "text", hash, bytes, ...decoded }
  const name = decoded.kind === "binary" ? decoded.name : decoded.kind === "image" ? decoded.mimeType : "text"
  return { kind: "other", hash, bytes, name, size: bytes.length }
}

/** What is at the real path `real`, a regular file or nothing. Throws an Error with a `code` where it cannot be read. */
export async function readBefore(real: string): Promise<Before> {
  try {
    const file = await open(real, "r")
    try {
      const { size } = await file.stat()
      if (size <= textFileBytesMax) return beforeOf(await file.readFile())
      const hash = await hashFile(real)
      return hash === null ? { kind: "missing" } : { kind: "other", hash, bytes: null, name: "a large file", size }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "missing" }
    throw error
  }
}
