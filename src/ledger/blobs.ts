/**
 * Blobs: contents kept by their hash, compressed; `blobs/<SHA-256>`.
 *
 * - The same content is kept once, whoever keeps it, and goes with its session.
 * - `flushed`: file and folder are on the platter when `keep` returns, as a commit that names the content needs.
 *   `relaxed`: it survives this process, and is flushed when somebody keeps it so.
 * - A content is compared with its name when it is read: one that was damaged is as one that was not kept.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { open, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileMode, makeFolder, syncFolder } from "./folder.ts"
import type { FlushClass } from "./records.ts"

export type Blobs = {
  /** Keeps each of `contents`; their hashes, in order. Throws an Error with a `code` where the disk refuses. */
  keep(contents: readonly Uint8Array[], flush: FlushClass): Promise<readonly string[]>
  /** The content with this hash; null where it is not kept any more. */
  read(hash: string): Promise<Uint8Array | null>
}

/** What a session without a disk keeps, compressed; the oldest go first. */
const memoryBytesMax = 64 * 1024 * 1024

const hashName = /^[0-9a-f]{64}$/

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex")
}

async function unpacked(packed: Uint8Array<ArrayBuffer>, hash: string): Promise<Uint8Array | null> {
  try {
    const content = await Bun.zstdDecompress(packed)
    return hashOf(content) === hash ? content : null
  } catch {
    // What cannot be unpacked was damaged.
    return null
  }
}

export class BlobFiles implements Blobs {
  readonly #folder: string
  /** Contents that are on the platter, as far as this process knows. */
  readonly #flushed = new Set<string>()
  /** Contents that were written or compared by this process. */
  readonly #sound = new Set<string>()
  #drafts = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  async keep(contents: readonly Uint8Array[], flush: FlushClass): Promise<readonly string[]> {
    const byHash = new Map(contents.map((content) => [hashOf(content), content]))
    const missing = [...byHash].filter(([hash]) => !this.#flushed.has(hash))
    const written = await Promise.all(missing.map(([hash, content]) => this.#write(hash, content, flush)))
    if (flush === "flushed" && written.length > 0) {
      syncFolder(this.#folder)
      for (const [hash] of missing) this.#flushed.add(hash)
    }
    return contents.map(hashOf)
  }

  async read(hash: string): Promise<Uint8Array | null> {
    const path = this.#path(hash)
    if (path === null || !existsSync(path)) return null
    return unpacked(new Uint8Array(await readFile(path)), hash)
  }

  #path(hash: string): string | null {
    return hashName.test(hash) ? join(this.#folder, hash) : null
  }

  async #write(hash: string, content: Uint8Array, flush: FlushClass): Promise<void> {
    const path = join(this.#folder, hash)
    // What a power cut left half written has the name of a content that it is not.
    if (this.#sound.has(hash) || (await this.read(hash)) !== null) {
      this.#sound.add(hash)
      if (flush === "flushed") await syncWhole(path)
      return
    }
    makeFolder(this.#folder)
    const draft = `${path}.${++this.#drafts}.new`
    const file = await open(draft, "w", fileMode)
    try {
      await file.writeFile(await Bun.zstdCompress(new Uint8Array(content)))
      if (flush === "flushed") await file.sync()
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
    await rename(draft, path)
    this.#sound.add(hash)
  }
}

async function syncWhole(path: string): Promise<void> {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

export class MemoryBlobs implements Blobs {
  readonly #packed = new Map<string, Uint8Array<ArrayBuffer>>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = memoryBytesMax) {
    this.#bytesMax = bytesMax
  }

  async keep(contents: readonly Uint8Array[]): Promise<readonly string[]> {
    const hashes = contents.map(hashOf)
    for (const [at, hash] of hashes.entries()) {
      if (this.#packed.has(hash)) continue
      const packed = new Uint8Array(Bun.zstdCompressSync(new Uint8Array(contents[at] ?? [])))
      this.#packed.set(hash, packed)
      this.#bytes += packed.length
    }
    for (const [hash, packed] of this.#packed) {
      if (this.#bytes <= this.#bytesMax || hashes.includes(hash)) break
      this.#packed.delete(hash)
      this.#bytes -= packed.length
    }
    return hashes
  }

  async read(hash: string): Promise<Uint8Array | null> {
    const packed = this.#packed.get(hash)
    return packed === undefined ? null : unpacked(packed, hash)
  }
}
