/**
 * Files that change whole or not at all.
 *
 * - New content goes to a temporary file in the same folder, is flushed, and is renamed over the old one; then the folder is flushed. Whatever
 *   dies in between, the file has its old content or its new one.
 * - A file that is replaced keeps its mode and, where this process may set it, its owner and group. A new file follows the umask.
 * - A failure throws an Error with a `code`, and leaves no temporary file.
 */
import { createHash } from "node:crypto"
import { open, rename, rm, stat, type FileHandle } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { copyAttributes } from "./attributes.ts"

/** Bytes per read of a stream: large enough to be quick, small enough to be nothing. */
const chunkBytes = 256 * 1024

/** What a replaced file keeps. */
export type FileMeta = { readonly mode: number; readonly uid: number; readonly gid: number }

/** The `code` of a system error (`ENOENT`), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

/** SHA-256, in hex. */
export function hashBytes(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex")
}

/** SHA-256 of a file's content, in hex, read in pieces; null where there is no such file. */
export async function hashFile(path: string): Promise<string | null> {
  let file: FileHandle
  try {
    file = await open(path, "r")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null
    throw error
  }
  try {
    const hash = createHash("sha256")
    const chunk = new Uint8Array(chunkBytes)
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null)
      if (bytesRead === 0) return hash.digest("hex")
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** Mode, owner and group of what `path` leads to; null where there is nothing. */
export async function fileMeta(path: string): Promise<FileMeta | null> {
  try {
    const { mode, uid, gid } = await stat(path)
    return { mode: mode & 0o7777, uid, gid }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null
    throw error
  }
}

/** Flush a folder, so that what was renamed or made in it survives a pulled plug. File systems that refuse to flush a folder are left at that. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } catch (error) {
    const code = errorCode(error)
    if (code !== "EINVAL" && code !== "ENOTSUP" && code !== "EPERM") throw error
  } finally {
    await folder.close()
  }
}

/**
 * Write `bytes` to `temp`, with the mode and owner of `meta` (null: a new file, by the umask) and the attributes of the file `like`, and flush it.
 * False where this process may not give it those: then nothing is left.
 */
export async function writeTemp(
  temp: string,
  bytes: Uint8Array | string,
  meta: FileMeta | null,
  like?: string,
): Promise<boolean> {
  await rm(temp, { force: true })
  // Closed to others until its mode is set, since the file that it replaces may be closed to them.
  const file = await open(temp, "wx", meta === null ? 0o666 : 0o600)
  let done = false
  try {
    if (meta !== null && !(await takeMeta(file, meta))) return false
    if (like !== undefined && !copyAttributes(like, temp)) return false
    await file.writeFile(bytes)
    await file.sync()
    done = true
    return true
  } finally {
    await file.close()
    if (!done) await rm(temp, { force: true })
  }
}

async function takeMeta(file: FileHandle, meta: FileMeta): Promise<boolean> {
  const now = await file.stat()
  try {
    if (now.uid !== meta.uid || now.gid !== meta.gid) await file.chown(meta.uid, meta.gid)
  } catch (error) {
    if (errorCode(error) === "EPERM") return false
    throw error
  }
  // After the owner, since a change of owner clears the set-id bits.
  await file.chmod(meta.mode)
  return true
}

/** Put the flushed `temp` in the place of `path`, durably. */
export async function renameDurably(temp: string, path: string): Promise<void> {
  await rename(temp, path)
  await syncFolder(dirname(path))
}

/** Replace or make `path` as a whole. `mode` is that of a new file; an old one keeps its own. */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array | string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const old = await fileMeta(path)
  const temp = join(dirname(path), `.${basename(path).slice(0, 100)}.${crypto.randomUUID().slice(0, 8)}.tmp`)
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const fresh = options.mode === undefined ? null : { mode: options.mode, ...own }
  const written = await writeTemp(temp, bytes, old ?? fresh)
  // Another's file in a folder of ours: it becomes ours, with its mode.
  if (!written) await writeTemp(temp, bytes, { mode: old?.mode ?? 0o600, ...own })
  try {
    await renameDurably(temp, path)
  } catch (error) {
    await rm(temp, { force: true })
    throw error
  }
}
