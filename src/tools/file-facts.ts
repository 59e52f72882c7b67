/**
 * What a result says of a file for those who come after, in its `details`: as durable as the result, and of the same moment.
 *
 * - `seen`: the model knows the content with this hash. It is there only where the model was shown all that others changed.
 * - `change`: what a call replaced and what by; both contents are kept under their hashes where `kept` says so.
 * - Paths are real paths, hashes are SHA-256 in hex; null stands for no file.
 */
import { isObject, type Json } from "../std/json.ts"

export type SeenFile = { readonly path: string; readonly hash: string }

export type FileChange = {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  /** Mode of the file before, so that it can be made again as it was; null where there was none. */
  readonly mode: number | null
  readonly kept: boolean
  /** The topmost folder that was made for a file that was not there. */
  readonly folder?: string
}

function isHash(value: Json | undefined): value is string | null {
  return value === null || typeof value === "string"
}

export function seenIn(details: Json | undefined): SeenFile | null {
  const seen = isObject(details) ? details["seen"] : undefined
  if (!isObject(seen)) return null
  const { path, hash } = seen
  return typeof path === "string" && typeof hash === "string" ? { path, hash } : null
}

export function changeIn(details: Json | undefined): FileChange | null {
  const change = isObject(details) ? details["change"] : undefined
  if (!isObject(change)) return null
  const { path, before, after, mode, kept, folder } = change
  if (typeof path !== "string" || !isHash(before) || !isHash(after)) return null
  const made = typeof folder === "string" ? { folder } : {}
  return { path, before, after, mode: typeof mode === "number" ? mode : null, kept: kept === true, ...made }
}
