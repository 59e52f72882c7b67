/**
 * What a power cut leaves of a session's folder: what was flushed, and of the rest any part.
 *
 * - The log up to the last flushed commit stands; of each sector behind it, what was written or zeros, and the file may end anywhere.
 * - Spools lose any part of their end; the newer slot of the mark may be torn; the log's shared index may be gone.
 */
import { join } from "node:path"
import type { Chance } from "./chance.ts"
import { real } from "./disk.ts"

const sectorBytes = 512
export const logHeadBytes = 32
const frameHeadBytes = 24
/** In the log's shared index, of the machine's own byte order: how many frames are in the main file already. */
const backfillAt = 96

/** Where each transaction of a write-ahead log ends. */
function transactionEnds(log: Buffer): readonly number[] {
  if (log.length < logHeadBytes) return []
  const pageBytes = log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  const ends: number[] = []
  for (let at = logHeadBytes; at + frameHeadBytes + pageBytes <= log.length; at += frameHeadBytes + pageBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break
    if (log.readUInt32BE(at + 4) > 0) ends.push(at + frameHeadBytes + pageBytes)
  }
  return ends
}

/** Where the part of a log ends that a checkpoint has flushed: so many frames its shared index says are in the main file. */
function checkpointed(log: Buffer, index: string): number {
  if (log.length < logHeadBytes || !real.existsSync(index)) return 0
  const bytes = real.readFileSync(index)
  const frames = bytes.length >= backfillAt + 4 ? bytes.readUInt32LE(backfillAt) : 0
  return frames === 0 ? 0 : logHeadBytes + frames * (frameHeadBytes + log.readUInt32BE(8))
}

/** `relaxed`: how many of the newest commits were not flushed. */
function cutLog(path: string, index: string, relaxed: number, chance: Chance): boolean {
  if (!real.existsSync(path)) return false
  const log = real.readFileSync(path)
  const before = Buffer.from(log)
  const ends = transactionEnds(log)
  const flushed = ends.length > relaxed ? (ends[ends.length - 1 - relaxed] ?? logHeadBytes) : logHeadBytes
  const stands = Math.max(flushed, checkpointed(log, index))
  for (let at = stands; at < log.length; at = (Math.floor(at / sectorBytes) + 1) * sectorBytes) {
    if (chance.hit(0.3)) log.fill(0, at, Math.min(log.length, (Math.floor(at / sectorBytes) + 1) * sectorBytes))
  }
  const end = chance.hit(0.5) ? log.length : stands + chance.below(log.length - stands + 1)
  const left = log.subarray(0, Math.max(end, Math.min(stands, log.length)))
  real.writeFileSync(path, left)
  return !left.equals(before)
}

/** How many spools are not what they were. */
function cutSpools(folder: string, chance: Chance): number {
  if (!real.existsSync(folder)) return 0
  let cut = 0
  for (const entry of real.readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(folder, entry.name)
    const bytes = real.readFileSync(path)
    const left = chance.below(bytes.length + 1)
    const how = chance.weighted({ whole: 3, shorter: 3, zeros: 2, gone: 1 })
    if (how !== "whole") cut++
    if (how === "gone") real.rmSync(path)
    if (how === "shorter") real.writeFileSync(path, bytes.subarray(0, left))
    if (how === "zeros") real.writeFileSync(path, bytes.fill(0, left))
  }
  return cut
}

/** The newer of the mark's slots, torn: its sum does not fit any more. */
function tearMark(path: string): void {
  const bytes = real.readFileSync(path)
  const [first, second] = [0, 512].map((at) => (bytes.length >= at + 16 ? bytes.readBigUInt64LE(at + 8) : -1n))
  const newer = (second ?? -1n) > (first ?? -1n) ? 512 : 0
  bytes.fill(0xee, newer + 24, newer + 32)
  real.writeFileSync(path, bytes)
}

/** `folder` is the image of a session's folder at the moment of the cut. Names what was damaged, once for each. */
export function cutPower(folder: string, relaxed: number, chance: Chance): readonly string[] {
  const damages: string[] = []
  if (cutLog(join(folder, "ledger.db-wal"), join(folder, "ledger.db-shm"), relaxed, chance)) damages.push("torn log")
  for (let left = cutSpools(join(folder, "spool"), chance); left > 0; left--) damages.push("torn spool")
  if (chance.hit(0.3)) {
    tearMark(join(folder, "mark"))
    damages.push("torn mark")
  }
  if (chance.hit(0.5)) real.rmSync(join(folder, "ledger.db-shm"), { force: true })
  return damages
}
