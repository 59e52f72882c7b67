/**
 * A framed spool's bytes: records `length:u32le crc32:u32le payload`, read up to the first that is not whole.
 *
 * - Pure: what is torn, and where the whole part ends, is decided here; files are cut elsewhere.
 */
const headBytes = 8

/** One record, ready to be written in one piece. */
export function frame(payload: string): Buffer {
  const length = Buffer.byteLength(payload)
  const record = Buffer.allocUnsafe(headBytes + length)
  record.writeUInt32LE(length, 0)
  record.write(payload, headBytes)
  record.writeUInt32LE(Bun.hash.crc32(record.subarray(headBytes)), 4)
  return record
}

export type Frames = {
  readonly payloads: readonly string[]
  /** Bytes of payload in whole records. */
  readonly size: number
  /** Where the whole part of the file ends. */
  readonly end: number
}

export function readFrames(bytes: Uint8Array): Frames {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const payloads: string[] = []
  let end = 0
  let size = 0
  while (end + headBytes <= file.length) {
    const length = file.readUInt32LE(end)
    const begin = end + headBytes
    // An empty record's sum is 0: a file that grew by zeros before the power went would be full of them.
    if (length === 0 || begin + length > file.length) break
    const payload = file.subarray(begin, begin + length)
    if (Bun.hash.crc32(payload) !== file.readUInt32LE(end + 4)) break
    payloads.push(payload.toString("utf8"))
    size += length
    end = begin + length
  }
  return { payloads, size, end }
}
