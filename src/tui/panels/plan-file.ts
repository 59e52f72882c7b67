/**
 * A plan file on disk: read when it is another one than before, changed a line at a time.
 *
 * - A change is made of what the file holds at that moment, written beside it and moved into its place. Who wrote meanwhile is seen right before
 *   that, and the change is made again of what they wrote: nothing of theirs is lost.
 */
import { chmod, readFile, realpath, rename, stat, unlink, writeFile } from "node:fs/promises"
import { basename } from "node:path"
import { planBlocks, type PlanBlock } from "./plan-text.ts"

/** A plan is for people: beyond this it is something else. */
const planBytesMax = 512 * 1024
/** Whoever writes this often between two looks is a program: the person tries again when it is done. */
const changeTriesMax = 5

export type PlanFile = { readonly path: string; readonly stamp: string; readonly blocks: readonly PlanBlock[] }

/** What tells one content of a file from another without reading it. */
async function stampOf(path: string): Promise<{ readonly stamp: string; readonly size: number } | null> {
  const info = await stat(path, { bigint: true }).catch(() => null)
  if (info?.isFile() !== true) return null
  return { stamp: `${info.ino} ${info.size} ${info.mtimeNs}`, size: Number(info.size) }
}

/** The file as it is now: `before` itself where nothing changed, null where there is none. */
export async function lookAt(path: string, before: PlanFile | undefined): Promise<PlanFile | null> {
  const found = await stampOf(path)
  if (found === null) return null
  if (before !== undefined && before.stamp === found.stamp) return before
  const text = found.size > planBytesMax ? tooLarge(path, found.size) : await readFile(path, "utf8").catch(unreadable)
  const known = new Map(before?.blocks.map((block) => [block.key, block]))
  const blocks = planBlocks(text).map((block) => {
    const old = known.get(block.key)
    return old !== undefined && JSON.stringify(old) === JSON.stringify(block) ? old : block
  })
  return { path, stamp: found.stamp, blocks }
}

/** Puts `change` of the file's text in its place. `stale`: the change means nothing there any more. `busy`: others write all the time. */
export async function changeFile(
  path: string,
  change: (text: string) => string | undefined,
): Promise<"done" | "stale" | "busy"> {
  const real = await realpath(path)
  for (let tries = 0; tries < changeTriesMax; tries++) {
    const before = await stampOf(real)
    const changed = change(await readFile(real, "utf8"))
    if (changed === undefined) return "stale"
    if (await replaceFile(real, changed, before?.stamp)) return "done"
  }
  return "busy"
}

/** Written beside it and moved into its place, with its mode; false where the file is not any more what `stamp` says. */
async function replaceFile(path: string, text: string, stamp: string | undefined): Promise<boolean> {
  const { mode } = await stat(path)
  const temp = `${path}.${process.pid}.tmp`
  try {
    await writeFile(temp, text, { flag: "wx" })
    await chmod(temp, mode & 0o7777)
    if ((await stampOf(path))?.stamp !== stamp) {
      await unlink(temp)
      return false
    }
    await rename(temp, path)
    return true
  } catch (error) {
    await unlink(temp).catch(() => {})
    throw error
  }
}

function tooLarge(path: string, size: number): string {
  return `${basename(path)} is too large for a plan: ${Math.round(size / 1024)} KB.`
}

function unreadable(error: unknown): string {
  return `The plan cannot be read: ${error instanceof Error ? error.message : String(error)}`
}
