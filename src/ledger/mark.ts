/**
 * The file beside the ledger that knows how far it was flushed: what the database has lost without a trace, this still
 * tells.
 *
 * - Two slots, each whole or not by its checksum, written in turn, in sectors of their own: one of them always stands.
 * - Written after each flushed commit and not waited for, but synced at most once a second and at close. So what a kill
 *   or a damaged file took is seen to the last flushed commit, what a power cut took to a second before it.
 * - A slot also bears the time of writing, and is written again when the owner leaves a sign of life.
 *
 * Slot: `CAIRNMRK`, seq (u64), at (u64, ms), chain (16 bytes), crc32 of all that (u32); little-endian.
 */
import { closeSync, constants, fdatasync, fdatasyncSync, openSync, writeSync } from "node:fs"
import type { Clock } from "../std/clock.ts"
import { digestBytes } from "./digest.ts"
import { fileMode } from "./folder.ts"
import { startOfFile } from "./start-of-file.ts"

const magic = "CAIRNMRK"
const slotBytes = 8 + 8 + 8 + digestBytes + 4
const slotOffsets = [0, 512] as const
const syncMs = 1_000

export type Marked = { readonly seq: number; readonly chain: Uint8Array; readonly at: number }

export class Mark {
  readonly #path: string
  readonly #clock: Clock
  #fd: number | null = null
  #slot: 0 | 1 = 0
  #newest: Marked | null = null
  #cancelSync: (() => void) | null = null

  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  /** The newest slot that is whole; null where there is none. */
  read(): Marked | null {
    const slots = readSlots(this.#path)
    this.#newest = newer(slots[0], slots[1])
    this.#slot = this.#newest === slots[0] ? 1 : 0
    return this.#newest
  }

  /**
   * Never throws: a commit that is stored must not fail for its mark. A mark that stays behind promises less and
   * nothing wrong, and the next one is written over it.
   */
  write(marked: Marked): void {
    this.#newest = marked
    try {
      this.#put(marked)
    } catch {
      this.#cancelSync?.()
      this.#cancelSync = null
    }
  }

  #put(marked: Marked): void {
    this.#fd ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, fileMode)
    writeSync(this.#fd, slotOf(marked), 0, slotBytes, slotOffsets[this.#slot])
    this.#slot = this.#slot === 0 ? 1 : 0
    this.#cancelSync ??= this.#clock.after(syncMs, () => this.#syncLater())
  }

  /** The same commit, seen alive at `at`. */
  sign(at: number): void {
    if (this.#newest !== null) this.write({ ...this.#newest, at })
  }

  close(): void {
    this.#cancelSync?.()
    this.#cancelSync = null
    if (this.#fd === null) return
    fdatasyncSync(this.#fd)
    closeSync(this.#fd)
    this.#fd = null
  }

  #syncLater(): void {
    this.#cancelSync = null
    // A failure costs no promise: the next write asks for the next sync, and close does it within sight.
    if (this.#fd !== null) fdatasync(this.#fd, () => {})
  }
}

/** Both slots at once, in a file that may not exist: for a new session, and where a loss was accepted. */
export function markBytes(marked: Marked): Uint8Array {
  const bytes = new Uint8Array(slotOffsets[1] + slotBytes)
  for (const offset of slotOffsets) bytes.set(slotOf(marked), offset)
  return bytes
}

export function readMark(path: string): Marked | null {
  const [first, second] = readSlots(path)
  return newer(first, second)
}

function readSlots(path: string): readonly [Marked | null, Marked | null] {
  // No mark is no proof of a loss: someone copied the session without it.
  const bytes = startOfFile(path, slotOffsets[1] + slotBytes)
  if (bytes === null) return [null, null]
  return [slotFrom(bytes.subarray(slotOffsets[0])), slotFrom(bytes.subarray(slotOffsets[1]))]
}

function newer(one: Marked | null, other: Marked | null): Marked | null {
  if (one === null || other === null) return one ?? other
  if (one.seq !== other.seq) return one.seq > other.seq ? one : other
  return one.at > other.at ? one : other
}

function slotOf({ seq, at, chain }: Marked): Uint8Array {
  const slot = Buffer.alloc(slotBytes)
  slot.write(magic, 0, "latin1")
  slot.writeBigUInt64LE(BigInt(seq), 8)
  slot.writeBigUInt64LE(BigInt(Math.max(0, Math.floor(at))), 16)
  slot.set(chain, 24)
  slot.writeUInt32LE(Bun.hash.crc32(slot.subarray(0, slotBytes - 4)), slotBytes - 4)
  return slot
}

function slotFrom(bytes: Uint8Array): Marked | null {
  if (bytes.length < slotBytes) return null
  const slot = Buffer.from(bytes.buffer, bytes.byteOffset, slotBytes)
  if (slot.toString("latin1", 0, 8) !== magic) return null
  if (slot.readUInt32LE(slotBytes - 4) !== Bun.hash.crc32(slot.subarray(0, slotBytes - 4))) return null
  return {
    seq: Number(slot.readBigUInt64LE(8)),
    at: Number(slot.readBigUInt64LE(16)),
    chain: Uint8Array.from(slot.subarray(24, 24 + digestBytes)),
  }
}
