/**
 * read: part of a text file, or an image.
 *
 * - A file is never loaded: it streams past a window of lines, so reading five lines of a gigabyte costs a few chunks.
 * - Nothing hangs: what is no regular file is named and refused, and files that wait for data (as some under /proc do) are opened so that they
 *   answer at once.
 * - Nothing raw: binary data is refused by kind and size; images go as images.
 */
import { Type } from "@sinclair/typebox"
import { constants, type Stats } from "node:fs"
import { open, stat, type FileHandle } from "node:fs/promises"
import { errorCode } from "../std/files.ts"
import { pathAliases } from "./coerce.ts"
import type { SeenFile } from "./file-facts.ts"
import { bomLength, showingDecoder, sniff, sniffBytes, type TextForm } from "./encoding.ts"
import { LineWindow } from "./line-window.ts"
import { Passing } from "./passing.ts"
import { lookAlike, missingMessage, realPathOf, reasonOf, resolvePath } from "./paths.ts"
import { readImage } from "./read-image.ts"
import { sizeText } from "./show.ts"
import { textFileBytesMax } from "./text-file.ts"
import { defineTool, errorResult, textResult, type ToolContext, type ToolResult } from "./tool.ts"

/** What the model gets of a file at once. */
const linesMax = 2_000
const bytesMax = 50 * 1024
/** Longer lines are generated, and tell a model nothing. */
const lineBytesMax = 2_000
/** How far to read on behind the window, only to tell how many lines there are. */
const countBytesMax = 1024 * 1024
/** How far to look for the end of a line that is shown cut. */
const lineCharsMax = 64 * 1024 * 1024
const chunkBytes = 256 * 1024

const parameters = Type.Object({
  path: Type.String(),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line, from 1" })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
})

export const readTool = defineTool({
  name: "read",
  description: `Read a text file or an image. Gives up to ${linesMax} lines or ${bytesMax / 1024} KiB; go on with offset.`,
  parameters,
  version: 1,
  effect: "pure",
  title: (args) => {
    const { path, offset, limit } = pathAliases(args)
    const range =
      typeof offset !== "number" ? "" : `:${offset}${typeof limit === "number" ? `-${offset + limit - 1}` : ""}`
    return typeof path === "string" ? path + range : ""
  },
  coerce: pathAliases,
  // What is written to it in the same round is written before or after, as the calls stand.
  async target(args, context) {
    const place = await resolvePath(args.path, context)
    return place.ok ? place.real : args.path
  },
  async execute(args, _intent, context) {
    const place = await resolvePath(args.path, context)
    if (!place.ok) return errorResult(place.message)
    try {
      return await readPath(place.path, args, context)
    } catch (error) {
      if (errorCode(error) !== "ENOENT") return errorResult(`${args.path}: ${reasonOf(error)}.`)
    }
    const other = await lookAlike(place.path)
    if (other === null) return errorResult(await missingMessage(args.path, place.path))
    try {
      return await readPath(other, args, context)
    } catch (error) {
      return errorResult(`${args.path}: ${reasonOf(error)}.`)
    }
  },
})

type Args = { readonly path: string; readonly offset?: number; readonly limit?: number }

async function readPath(path: string, args: Args, context: ToolContext): Promise<ToolResult> {
  // Looked at before it is opened, since opening a device may do something.
  const refused = refusalOf(await stat(path), args.path)
  if (refused !== null) return errorResult(refused)
  // Not to wait for a writer of a FIFO, nor for data that a kernel file does not have, nor to take a terminal as our own.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    const info = await file.stat()
    const refusal = refusalOf(info, args.path)
    if (refusal !== null) return errorResult(refusal)
    const start = new Uint8Array(sniffBytes)
    const head = start.subarray(0, await fill(file, start))
    if (head.length === 0) return textResult("[The file is empty.]", { details: { path, lines: 0 } })
    const content = sniff(head, head.length < sniffBytes)
    if (content.kind === "image") {
      const { mimeType } = content
      const read = (): Promise<Uint8Array> => restOf(file, head, info.size)
      return await readImage({ path: args.path, mimeType, bytes: info.size, head, read }, context)
    }
    if (content.kind === "binary") return errorResult(binaryMessage(args.path, content.name, info.size))
    return await readText(file, head, content.form, { path, real: await realPathOf(path), info }, args, context)
  } finally {
    await file.close()
  }
}

/** Read until `into` is full or the file is over; the bytes read. */
async function fill(file: FileHandle, into: Uint8Array): Promise<number> {
  let have = 0
  while (have < into.length) {
    const { bytesRead } = await file.read(into, have, into.length - have, null)
    if (bytesRead === 0) break
    have += bytesRead
  }
  return have
}

function refusalOf(info: Stats, path: string): string | null {
  if (info.isFile()) return null
  if (info.isDirectory()) return `${path} is a folder: list it with ls.`
  const kind = info.isFIFO() ? "a named pipe" : info.isSocket() ? "a socket" : "a device"
  return `${path} is ${kind}, not a file: reading it could wait for ever.`
}

function binaryMessage(path: string, name: string, size: number): string {
  return `${path} is ${name}, ${sizeText(size)}, not text: look at it with a command that knows its format.`
}

/** All of an image, whose beginning has been read. */
async function restOf(file: FileHandle, head: Uint8Array, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(size, head.length))
  bytes.set(head)
  return bytes.subarray(0, head.length + (await fill(file, bytes.subarray(head.length))))
}

type Place = { readonly path: string; readonly real: string; readonly info: Stats }

async function readText(
  file: FileHandle,
  head: Uint8Array,
  form: TextForm,
  place: Place,
  args: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const offset = args.offset ?? 1
  const lines = Math.min(args.limit ?? linesMax, linesMax)
  const window = new LineWindow({ skip: offset - 1, lines, bytes: bytesMax, lineBytes: lineBytesMax })
  const passing = place.info.size > textFileBytesMax ? null : new Passing()
  const passed = await pass(file, head, form, window, passing, context.signal)
  if (passed === "binary")
    return errorResult(binaryMessage(args.path, "text that goes over into binary data", place.info.size))
  if (passed === "aborted") return errorResult("Reading was interrupted.")
  if (window.total === 0) return textResult("[The file is empty.]", { details: { path: place.path, lines: 0 } })
  if (window.lines.length === 0)
    return errorResult(`${args.path} has ${counted(window.total)}: offset ${offset} is past its end.`)
  const last = offset + window.lines.length - 1
  const notes: string[] = []
  if (form.encoding !== "UTF-8") notes.push(`Encoding: ${form.encoding}.`)
  if (window.full || passed === "cut") {
    const of = passed === "whole" ? ` of ${window.total}` : ` of more (${sizeText(place.info.size)})`
    notes.push(`Lines ${offset}-${last}${of}. Go on with offset=${last + 1}.`)
  }
  if (window.longLines > 0)
    notes.push(
      `Lines are cut at ${lineBytesMax} bytes; a command shows more: sed -n 1p FILE | cut -b${lineBytesMax + 1}-.`,
    )
  const text = window.lines.join("\n") + (notes.length === 0 ? "" : `\n\n[${notes.join(" ")}]`)
  const details = {
    path: place.path,
    from: offset,
    to: last,
    more: window.full || passed === "cut",
    encoding: form.encoding,
    bom: form.bom,
  }
  const seen = passed === "whole" && passing !== null ? await seenFile(place.real, passing, context) : {}
  return textResult(text, { details: { ...details, ...seen } })
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`
}

/** What is noted of a file that was read, and kept of a small one, so that a change by others can be told. */
async function seenFile(
  path: string,
  passing: Passing,
  { history }: ToolContext,
): Promise<{ readonly seen: SeenFile }> {
  const { hash, bytes } = passing.end()
  try {
    if (bytes !== null) await history.keep([bytes], "relaxed")
  } catch (error) {
    // A full disk costs the difference that could be told later, not the reading.
    if (errorCode(error) === undefined) throw error
  }
  return { seen: { path, hash } }
}

/** Stream the file past the window: whole, or cut where the window is full and counting on would take long. */
async function pass(
  file: FileHandle,
  head: Uint8Array,
  form: TextForm,
  window: LineWindow,
  passing: Passing | null,
  signal: AbortSignal,
): Promise<"whole" | "cut" | "binary" | "aborted"> {
  const decoder = showingDecoder(form.encoding)
  const wide = form.encoding === "UTF-16 LE" || form.encoding === "UTF-16 BE"
  const chunk = new Uint8Array(chunkBytes)
  let piece = head.subarray(bomLength(form))
  passing?.push(head)
  for (let behind = 0; piece.length > 0; behind += window.full ? piece.length : 0) {
    if (signal.aborted) return "aborted"
    if (behind > countBytesMax) return "cut"
    if (window.openLine > lineCharsMax) {
      window.finish()
      return "cut"
    }
    if (!wide && !window.full && piece.includes(0)) return "binary"
    window.push(decoder.decode(piece, { stream: true }))
    piece = chunk.subarray(0, await fill(file, chunk))
    passing?.push(piece)
  }
  window.push(decoder.decode())
  window.finish()
  return "whole"
}
