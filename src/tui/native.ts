/**
 * The native half of the screen: a library that the system has to be able to map.
 *
 * - In the executable it is embedded, and the runtime unpacks it into the folder for temporary files when it is first opened. Where that
 *   folder is missing, read-only, full or mounted noexec, this file unpacks it elsewhere, under a name that holds its hash, so that it is
 *   written once and found again; nothing grows.
 * - A folder that others may write to is not used: what is loaded from it would be theirs.
 */
import { resolveRenderLib, setRenderLibPath } from "@opentui/core"
import { createHash, randomUUID } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Where the library of this platform is, as the bundler embeds it. */
async function libraryPath(): Promise<string | null> {
  if (process.platform === "linux" && process.arch === "x64") return (await import("@opentui/core-linux-x64")).default
  return null
}

function tryLibrary(): string | null {
  try {
    resolveRenderLib()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Throws where the folder cannot be used. */
function unpack(bytes: Uint8Array, folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = statSync(folder)
  const mine = process.getuid?.() ?? uid
  if (uid !== mine || (mode & 0o022) !== 0) throw new Error(`${folder} can be written to by others`)
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16)
  const path = join(folder, `screen-${hash}.so`)
  if (existsSync(path) && createHash("sha256").update(readFileSync(path)).digest("hex").startsWith(hash)) return path
  const temporary = `${path}.${randomUUID()}`
  try {
    writeFileSync(temporary, bytes, { mode: 0o600 })
    chmodSync(temporary, 0o700)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
  return path
}

export type Native = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/**
 * Makes sure that the library can be loaded. `folders` are tried in order where the folder for temporary files does not serve: private ones
 * of the person's, on a disk that allows programs.
 */
export async function prepareNative(folders: readonly string[]): Promise<Native> {
  const first = tryLibrary()
  if (first === null) return { ok: true }
  const path = await libraryPath()
  if (path === null)
    return { ok: false, reason: `the screen has no native library for ${process.platform} ${process.arch}` }
  const bytes = readFileSync(path)
  const reasons: string[] = []
  for (const folder of folders) {
    try {
      setRenderLibPath(unpack(bytes, folder))
    } catch (error) {
      reasons.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`)
      continue
    }
    const failure = tryLibrary()
    if (failure === null) return { ok: true }
    reasons.push(`${folder}: ${failure}`)
  }
  return {
    ok: false,
    reason: `the screen needs a folder where a library can be unpacked and run: set TMPDIR to one that is not mounted noexec (${[first, ...reasons].join("; ")})`,
  }
}
