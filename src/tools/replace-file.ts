/**
 * One file gets new content: once, and never silently over what someone else wrote meanwhile. Shared by write and edit.
 *
 * - `prepareReplace` flushes the new content to a temporary file beside the target and says in the intent what the file is and what it will be.
 * - What is there and what takes its place are kept in the session before the mark, so that it can be undone. `change` and `seen` in the details
 *   are what later calls and an undo go by (`file-facts.ts`).
 * - `executeReplace` compares the file with the intent once more, then renames. The name of the temporary file follows from the call's key, so
 *   asking again leaves no second one.
 * - `reconcileReplace` asks the file: it is what it was to be (done), what it was (not started), or something else (unknown, both hashes told).
 * - Where a rename would lose something (another hard link, an owner or an attribute that this process may not give, a folder that it may not
 *   write to), the file is written in place: no more atomic, but still reconciled.
 */
import { constants } from "node:fs"
import { access, link, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { assert } from "../std/assert.ts"
import { errorCode, fileMeta, hashBytes, hashFile, syncFolder, writeTemp } from "../std/files.ts"
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import { reasonOf } from "./paths.ts"
import type { Before } from "./text-file.ts"
import { errorResult, textResult, type Prepared, type Reconciled, type ToolContext, type ToolResult } from "./tool.ts"

export type Replacement = {
  /** As the model named it. */
  readonly path: string
  /** Absolute, links followed. */
  readonly real: string
  readonly before: Before
  readonly after: Uint8Array
  /** True where the model knows what is there before. */
  readonly seen: boolean
  /** What the model is told when it is done. */
  readonly text: string
  readonly details: JsonObject
}

/** `temp` is null where the file is written in place, or where nothing changes. */
type Intent = {
  readonly path: string
  readonly realPath: string
  readonly before: string | null
  readonly after: string
  readonly mode: number | null
  readonly temp: string | null
  readonly text: string
  readonly details: Json
}

/** The new content, made again from what is there now; null where that cannot be done. */
export type Remake = (before: Uint8Array | null) => Uint8Array | null

/** Why `real` cannot be replaced, or null. */
export async function refusalToReplace(real: string, path: string): Promise<string | null> {
  try {
    const info = await stat(real)
    if (info.isDirectory()) return `${path} is a folder.`
    if (!info.isFile()) return `${path} is a device, pipe or socket, not a file.`
    await access(real, constants.W_OK)
    return null
  } catch (error) {
    return errorCode(error) === "ENOENT" ? null : `${path} cannot be written: ${reasonOf(error)}.`
  }
}

function tempPath(real: string, folder: string, key: string): string {
  return join(folder, `.cairn-${hashBytes(`${key}\n${real}`).slice(0, 16)}.tmp`)
}

/** The topmost folder that has to be made for `real`, or null. Throws an Error with a `code` where a file stands in the way. */
export async function missingFolder(real: string): Promise<string | null> {
  const standing = await standingFolder(real)
  if (standing === dirname(real)) return null
  const [first = ""] = relative(standing, real).split("/")
  return join(standing, first)
}

/** The nearest folder above `real` that exists. */
async function standingFolder(real: string): Promise<string> {
  const folder = dirname(real)
  try {
    if ((await stat(folder)).isDirectory()) return folder
    throw Object.assign(new Error(`${folder} is a file`), { code: "ENOTDIR" })
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || folder === dirname(folder)) throw error
    return standingFolder(folder)
  }
}

/** The temporary file, flushed; null where the file is to be written in place. */
async function writeBeside(real: string, isNew: boolean, after: Uint8Array, key: string): Promise<string | null> {
  if (!isNew && (await stat(real)).nlink > 1) return null
  try {
    const temp = tempPath(real, await standingFolder(real), key)
    return (await writeTemp(temp, after, await fileMeta(real), isNew ? undefined : real)) ? temp : null
  } catch (error) {
    const closed = ["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")
    if (closed && !isNew) return null
    throw error
  }
}

function hashOf(before: Before): string | null {
  return before.kind === "missing" ? null : before.hash
}

/** What is there and what takes its place, kept and flushed before anything happens; false where there is too much of it. */
async function keepContents({ before, after }: Replacement, { history }: Keeper): Promise<boolean> {
  const replaced = before.kind === "missing" ? [] : [before.bytes]
  const contents = [...replaced, after].filter((bytes) => bytes !== null)
  if (contents.length <= replaced.length) return false
  await history.keep(contents, "flushed")
  return true
}

/** What a replacement needs of its call. */
type Keeper = Pick<ToolContext, "key" | "history">

export async function prepareReplace(replacement: Replacement, context: Keeper): Promise<Prepared> {
  const { path, real } = replacement
  const before = hashOf(replacement.before)
  const after = hashBytes(replacement.after)
  try {
    const mode = (await fileMeta(real))?.mode ?? null
    const kept = before === after || (await keepContents(replacement, context))
    const temp = before === after ? null : await writeBeside(real, before === null, replacement.after, context.key)
    const folder = before === null ? await missingFolder(real) : null
    const made = folder === null ? {} : { folder }
    const change = before === after ? {} : { change: { path: real, before, after, mode, kept, ...made } }
    const seen = replacement.seen ? { seen: { path: real, hash: after } } : {}
    const text = kept
      ? replacement.text
      : `${replacement.text} What it was is too large to be kept: this cannot be undone.`
    const details = { ...replacement.details, ...change, ...seen }
    return { ok: true, intent: { path, realPath: real, before, after, mode, temp, text, details } satisfies Intent }
  } catch (error) {
    return { ok: false, result: errorResult(`${path} cannot be written: ${reasonOf(error)}. Nothing was changed.`) }
  }
}

/** The intent as it was stored: ours, so anything else is a bug. */
function intentOf(value: JsonObject): Intent {
  const { path, realPath, before, after, mode, temp, text, details } = value
  assert(
    typeof path === "string" && typeof realPath === "string" && typeof text === "string",
    "an intent names its file",
  )
  assert(typeof after === "string" && (before === null || typeof before === "string"), "an intent has both hashes")
  assert(
    (mode === null || typeof mode === "number") && (temp === null || typeof temp === "string"),
    "an intent is whole",
  )
  return { path, realPath, before, after, mode, temp, text, details: details ?? null }
}

function doneResult(intent: Intent): ToolResult {
  return textResult(intent.text, { details: intent.details })
}

async function removeTemp(intent: Intent): Promise<void> {
  if (intent.temp !== null) await rm(intent.temp, { force: true })
}

export async function executeReplace(value: JsonObject, remake: Remake): Promise<ToolResult> {
  const intent = intentOf(value)
  const { path, realPath, before, after, temp } = intent
  if (before === after) return doneResult(intent)
  try {
    const ready = temp !== null && (await hashFile(temp)) === after
    const now = await hashFile(realPath)
    if (now !== before) {
      await removeTemp(intent)
      return errorResult(`${path} changed meanwhile, by someone else: nothing was written. Read it again.`)
    }
    if (temp !== null && ready) await place(temp, realPath, before === null)
    else return await writeInPlace(intent, remake)
    return doneResult(intent)
  } catch (error) {
    await removeTemp(intent)
    return errorResult(`${path} cannot be written: ${reasonOf(error)}.`)
  }
}

async function place(temp: string, realPath: string, isNew: boolean): Promise<void> {
  const made = await mkdir(dirname(realPath), { recursive: true })
  // A link fails where a rename would silently take the place of a file that someone made meanwhile.
  if (isNew && (await linked(temp, realPath))) await rm(temp)
  else await rename(temp, realPath)
  await syncFolder(dirname(realPath))
  // Each new folder is an entry in the one above it.
  for (let folder = dirname(realPath); made !== undefined && folder.length >= made.length; folder = dirname(folder)) {
    await syncFolder(dirname(folder))
  }
  if (dirname(temp) !== dirname(realPath)) await syncFolder(dirname(temp))
}

/** False where the file system has no hard links. */
async function linked(temp: string, realPath: string): Promise<boolean> {
  try {
    await link(temp, realPath)
    return true
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw error
    return false
  }
}

async function writeInPlace(intent: Intent, remake: Remake): Promise<ToolResult> {
  const { path, realPath, before, after } = intent
  await mkdir(dirname(realPath), { recursive: true })
  const file = await open(realPath, before === null ? "wx+" : "r+")
  try {
    const bytes = remake(before === null ? null : await file.readFile())
    if (bytes === null || hashBytes(bytes) !== after)
      return errorResult(`${path} changed meanwhile, by someone else: nothing was written. Read it again.`)
    // Longer first, then shortened: the old content goes only as far as the new has come.
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
    await file.truncate(bytes.length)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dirname(realPath))
  return doneResult(intent)
}

export async function discardReplace(value: JsonObject): Promise<void> {
  await removeTemp(intentOf(value))
}

export async function reconcileReplace(value: JsonObject): Promise<Reconciled> {
  const intent = intentOf(value)
  const { path, realPath, before, after } = intent
  let now: string | null
  try {
    now = await hashFile(realPath)
    await removeTemp(intent)
  } catch (error) {
    return { status: "unknown", result: unknownResult(intent, `it cannot be read now: ${reasonOf(error)}`) }
  }
  if (now === after) {
    // The rename may have been seen and not yet flushed when the program ended.
    await syncFolder(dirname(realPath))
    return { status: "done", result: doneResult(intent) }
  }
  if (now === before) return { status: "not started" }
  const found = now === null ? `${basename(path)} does not exist now` : `it is ${now} now`
  return { status: "unknown", result: unknownResult(intent, found) }
}

function unknownResult({ path, before, after, details }: Intent, found: string): ToolResult {
  const was = before === null ? "did not exist" : `was ${before}`
  const text =
    `Whether ${path} was changed is unknown: Cairn ended while at it, and someone else changed the file since. ` +
    `By SHA-256 it ${was}, was to become ${after}, and ${found}. Nothing was written now: read the file before you go on.`
  return errorResult(text, isObject(details) ? { ...details, unknown: true } : details)
}
