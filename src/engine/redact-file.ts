/**
 * Takes secrets out of a file of any size, a piece at a time.
 *
 * - A file with nothing to take out is only read. Else a clean one takes its place as a whole; every other byte stays, whatever it is.
 * - Where that cannot be done, the file goes: what nobody could clean is not kept.
 * - A piece is looked through as the UTF-8 that it is; of one that is none, each line that is, and the whole byte by byte.
 * - A piece ends with a line, or where a line is longer than a piece, between two words: no secret has a blank in it.
 */
import { isUtf8 } from "node:buffer"
import { open, rm, type FileHandle } from "node:fs/promises"
import { renameDurably } from "../std/files.ts"
import type { Redact } from "../std/redact.ts"

/** Small enough that looking through one holds up nobody. */
const pieceBytes = 1024 * 1024

/** The bytes of `file` as Latin-1, which has a character for each. */
async function* piecesOf(file: FileHandle): AsyncGenerator<string> {
  const chunk = Buffer.alloc(pieceBytes)
  let text = ""
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) break
    at += bytesRead
    text += chunk.toString("latin1", 0, bytesRead)
    if (text.length < pieceBytes) continue
    const line = text.lastIndexOf("\n") + 1
    const end = line > 0 ? line : text.lastIndexOf(" ") + 1 || text.length
    yield text.slice(0, end)
    text = text.slice(end)
  }
  if (text !== "") yield text
}

/** UTF-8 as Latin-1, without its secrets; null where it is no UTF-8. */
function cleanedUtf8(piece: string, redact: Redact): string | null {
  const bytes = Buffer.from(piece, "latin1")
  if (!isUtf8(bytes)) return null
  const text = bytes.toString("utf8")
  const clean = redact(text)
  return clean === text ? piece : Buffer.from(clean, "utf8").toString("latin1")
}

function cleaned(piece: string, redact: Redact): string {
  const whole = cleanedUtf8(piece, redact)
  if (whole !== null) return whole
  const lines = piece.split(/(?<=\n)/).map((line) => cleanedUtf8(line, redact) ?? line)
  return redact(lines.join(""))
}

/** Throws an Error with a `code` where the disk refuses; then the file is gone. */
export async function redactFile(path: string, redact: Redact): Promise<void> {
  try {
    await cleanFile(path, redact)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function cleanFile(path: string, redact: Redact): Promise<void> {
  const file = await open(path, "r")
  try {
    let clean = true
    for await (const piece of piecesOf(file)) if (cleaned(piece, redact) !== piece) clean = false
    if (!clean) await rewritten(file, path, redact)
  } finally {
    await file.close()
  }
}

async function rewritten(file: FileHandle, path: string, redact: Redact): Promise<void> {
  const draft = `${path}.clean`
  try {
    const target = await open(draft, "w", 0o600)
    try {
      for await (const piece of piecesOf(file)) await target.appendFile(Buffer.from(cleaned(piece, redact), "latin1"))
      await target.sync()
    } finally {
      await target.close()
    }
    await renameDurably(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
