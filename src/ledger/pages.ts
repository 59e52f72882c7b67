/**
 * Rows of an SQLite file without SQLite: every page is read for itself, so that a damaged one costs what it holds and
 * nothing else. For salvage alone; pure, on bytes.
 *
 * - A page says what it is by its first byte. Cells that make no sense are passed over: whether a row is whole is for
 *   its digest to tell.
 * - Tables with a rowid keep rows in leaf pages (13); tables without one in all pages of their tree (10 and 2).
 * - A log is played over the file transaction by transaction, and each one's pages are read as they were at its commit.
 *   That goes on behind a frame that is damaged, where SQLite would stop.
 */
import type { Cell } from "./digest.ts"

/** A row as it was stored; a rowid stands in place of the column that it aliases, which is stored as NULL. */
export type RawRow = readonly (Cell | Uint8Array)[]

const fileHeaderBytes = 100
const logHeaderBytes = 32
const frameHeaderBytes = 24
const tableLeaf = 13
const indexLeaf = 10
const indexInterior = 2

type Pages = Map<number, Buffer>

/** All rows of all versions of all pages, damaged or not. `pageBytes` is taken where neither file says it. */
export function* rowsOf(file: Uint8Array, log: Uint8Array, pageBytes: number): Iterable<RawRow> {
  const size = sizeIn(file, 16, 2) ?? sizeIn(log, 8, 4) ?? pageBytes
  const pages: Pages = new Map()
  for (let at = 0, page = 1; at < file.length; at += size, page++) pages.set(page, slice(file, at, size))
  for (const page of pages.keys()) yield* rowsOfPage(pages, page)
  let changed: number[] = []
  for (const { page, commits, bytes } of framesOf(log, size)) {
    pages.set(page, bytes)
    changed.push(page)
    if (!commits) continue
    for (const each of changed) yield* rowsOfPage(pages, each)
    changed = []
  }
}

/** The page size that a header says, where it is one that SQLite allows; 1 stands for 65,536 in the file's. */
function sizeIn(bytes: Uint8Array, at: number, width: number): number | null {
  if (bytes.length < at + width) return null
  const size = slice(bytes, at, width).readUIntBE(0, width)
  if (width === 2 && size === 1) return 65_536
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : null
}

type Frame = { readonly page: number; readonly commits: boolean; readonly bytes: Buffer }

/** Frames of the log's newest round: those of an older one, behind it, have the salt of their own time. */
function* framesOf(log: Uint8Array, size: number): Iterable<Frame> {
  let salt: string | null = null
  for (let at = logHeaderBytes; at + frameHeaderBytes + size <= log.length; at += frameHeaderBytes + size) {
    const head = slice(log, at, frameHeaderBytes)
    const own = head.toString("latin1", 8, 16)
    salt ??= own
    if (own !== salt) continue
    yield {
      page: head.readUInt32BE(0),
      commits: head.readUInt32BE(4) !== 0,
      bytes: slice(log, at + frameHeaderBytes, size),
    }
  }
}

function* rowsOfPage(pages: Pages, number: number): Iterable<RawRow> {
  const page = pages.get(number)
  if (page === undefined) return
  const head = number === 1 ? fileHeaderBytes : 0
  if (page.length < head + 12) return
  const type = page.readUInt8(head)
  if (type !== tableLeaf && type !== indexLeaf && type !== indexInterior) return
  const cells = page.readUInt16BE(head + 3)
  const pointers = head + (type === indexInterior ? 12 : 8)
  for (let cell = 0; cell < cells && pointers + 2 * cell + 2 <= page.length; cell++) {
    const row = rowAt(pages, page, page.readUInt16BE(pointers + 2 * cell), type)
    if (row !== null) yield row
  }
}

/** The row whose cell begins at `at`; null where there is none that could be one. */
function rowAt(pages: Pages, page: Buffer, at: number, type: number): RawRow | null {
  const reader = new Reader(page, type === indexInterior ? at + 4 : at)
  const size = reader.varint()
  const rowid = type === tableLeaf ? reader.varint() : null
  const payload = payloadAt(pages, page, reader.at, size, type === tableLeaf)
  if (payload === null) return null
  const row = recordOf(payload)
  return row === null || rowid === null ? row : row.map((cell, place) => (place === 0 && cell === null ? rowid : cell))
}

/** What a cell holds, with what overflowed to other pages. */
function payloadAt(pages: Pages, page: Buffer, at: number, size: number, isTable: boolean): Buffer | null {
  const usable = page.length
  const largest = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (usable - 4))
  const local = size <= largest ? size : fitting <= largest ? fitting : least
  if (size < 0 || local < 0 || at + local > page.length) return null
  if (local === size) return page.subarray(at, at + size)
  if (at + local + 4 > page.length) return null
  const parts = [page.subarray(at, at + local)]
  let left = size - local
  let next = page.readUInt32BE(at + local)
  while (left > 0) {
    const more = pages.get(next)
    if (more === undefined || more.length < usable || left > pages.size * usable) return null
    parts.push(more.subarray(4, 4 + Math.min(left, usable - 4)))
    left -= usable - 4
    next = more.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

function recordOf(payload: Buffer): RawRow | null {
  const head = new Reader(payload, 0)
  const headBytes = head.varint()
  if (headBytes < 1 || headBytes > payload.length) return null
  const body = new Reader(payload, headBytes)
  const row: (Cell | Uint8Array)[] = []
  while (head.at < headBytes) {
    const cell = body.cell(head.varint())
    if (cell === undefined) return null
    row.push(cell)
  }
  return row
}

/** Reads on from a place; what lies beyond the end is -1 or undefined. */
class Reader {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  varint(): number {
    let value = 0
    for (let n = 0; n < 8; n++) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) return -1
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    // The ninth byte counts whole; a number that long is none of ours.
    this.at++
    return -1
  }

  /** The next value, by its serial type. */
  cell(type: number): Cell | Uint8Array | undefined {
    if (type === 0) return null
    if (type === 8 || type === 9) return type - 8
    const bytes = this.#take(widthOf(type))
    if (bytes === undefined) return undefined
    if (type === 7) return bytes.readDoubleBE(0)
    if (type === 6) return Number(bytes.readBigInt64BE(0))
    if (type <= 5) return bytes.readIntBE(0, bytes.length)
    return type % 2 === 1 ? bytes.toString("utf8") : Uint8Array.from(bytes)
  }

  #take(width: number): Buffer | undefined {
    if (width < 0 || this.at + width > this.#bytes.length) return undefined
    this.at += width
    return this.#bytes.subarray(this.at - width, this.at)
  }
}

/** Bytes of a value of a serial type; -1 where there is no such type. */
function widthOf(type: number): number {
  if (type < 1 || type === 10 || type === 11) return -1
  if (type <= 4) return type
  if (type === 5) return 6
  return type <= 7 ? 8 : Math.floor((type - 12) / 2)
}

function slice(bytes: Uint8Array, at: number, length: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, bytes.length - at))
}
