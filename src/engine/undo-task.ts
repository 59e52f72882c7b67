/**
 * The task of an undo: writes files back, one after the other, and records what it did.
 *
 * - Its checkpoint is the whole plan, by hashes, and the contents are kept: after a crash each file itself tells whether it was written. One that
 *   is neither what it was nor what it was to be is left alone, and its hunks are refused.
 * - Folders that were made for files that go again go with them, where nothing else is in them.
 * - The record is an entry that tells the person and the model, and is a run of its own: undoing it is the redo.
 */
import { chmod, rm, rmdir } from "node:fs/promises"
import { dirname } from "node:path"
import { errorCode, syncFolder } from "../std/files.ts"
import type { Task, TaskId } from "../ledger/records.ts"
import type { Refused } from "../protocol/changes.ts"
import type { UndoneFile } from "../protocol/records.ts"
import { diffOf } from "../tools/diff.ts"
import type { FileChange } from "../tools/file-facts.ts"
import { reasonOf } from "../tools/paths.ts"
import { executeReplace, prepareReplace, refusalToReplace } from "../tools/replace-file.ts"
import { beforeOf, readBefore } from "../tools/text-file.ts"
import { liveTask, type Core } from "./core.ts"
import { append, dataOf } from "./entries.ts"
import type { Turns } from "./turns.ts"

export type UndoFile = { readonly name: string; readonly change: FileChange; readonly hunks: readonly string[] }

/** The checkpoint. */
export type UndoState = {
  readonly run: number
  readonly files: readonly UndoFile[]
  readonly refused: readonly Refused[]
  readonly commands: number
}

export async function runUndo(core: Core, id: TaskId, signal: AbortSignal, paths: Turns): Promise<void> {
  const task = liveTask(core, id)
  if (task === undefined) return
  const { run, files, refused, commands } = task.checkpoint as unknown as UndoState
  // Nothing is written before the plan is on the platter: storage may be behind what is in memory.
  await core.mark(id)
  const done: UndoneFile[] = []
  const failed: Refused[] = []
  for (const file of files) {
    const work = async (): Promise<string | null> => (signal.aborted ? "it was stopped" : writeBack(core, task, file))
    const reason = await paths.take(file.change.path, work)
    if (reason === null) done.push(await recordOf(core, file))
    else failed.push(...file.hunks.map((hunk) => ({ hunk, reason })))
  }
  for (const { change } of done) await removeFolders(change)
  if (core.closing()) return
  const all = [...refused, ...failed]
  const of = await core.ledger.entry(run)
  const undone = of === undefined ? undefined : dataOf(of)
  const again = undone?.kind === "undo" && undone.again !== true ? ({ again: true } as const) : {}
  const receipt = core.ledger.commit("flushed", (tx) => {
    const { conversation } = task
    const record = { kind: "undo", run, ...again, files: done, refused: all, commands } as const
    const entry = done.length === 0 ? null : append(tx, { conversation, byTask: id }, record).id
    const outcome = { entry, undone: done.flatMap(({ hunks }) => hunks), refused: all, commands }
    tx.setTask(id, { status: "completed", outcome })
  })
  await receipt.stored
}

/** Null when the file is as it is to be, or why it was left alone. */
async function writeBack(core: Core, task: Task, { name, change }: UndoFile): Promise<string | null> {
  const { path, before, after } = change
  try {
    const now = await readBefore(path)
    const hash = now.kind === "missing" ? null : now.hash
    if (hash === after) return null
    if (hash !== before) return "others changed the file meanwhile"
    const refusal = await refusalToReplace(path, name)
    if (refusal !== null) return refusal
    if (after === null) return await remove(path)
    const bytes = await core.ledger.blobs.read(after)
    if (bytes === null) return "what it was is not kept any more"
    const replacement = { path: name, real: path, before: now, after: bytes, text: "", details: {}, seen: false }
    const keeper = { key: `${core.ledger.session}:${task.id}`, history: core.files.of(task.conversation) }
    const prepared = await prepareReplace(replacement, keeper)
    if (!prepared.ok) return "it cannot be written"
    core.ledger.assertOwner()
    const result = await executeReplace(prepared.intent, () => bytes)
    if (!result.isError && before === null && change.mode !== null) await chmod(path, change.mode)
    return result.isError ? "it could not be written" : null
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return `it cannot be written: ${reasonOf(error)}`
  }
}

async function remove(path: string): Promise<null> {
  await rm(path)
  await syncFolder(dirname(path))
  return null
}

/** Once all files are written: of the folders that were made for a file that went, those that nothing is in. */
async function removeFolders({ path, after, folder }: FileChange): Promise<void> {
  if (after !== null || folder === undefined) return
  for (let at = dirname(path); at.length >= folder.length; at = dirname(at)) {
    try {
      await rmdir(at)
    } catch (error) {
      // Somebody else's things are in it, or it has gone already with another file: neither is of this undo.
      if (errorCode(error) === undefined) throw error
      if (errorCode(error) !== "ENOENT") return
    }
  }
}

async function recordOf(core: Core, { name, change, hunks }: UndoFile): Promise<UndoneFile> {
  const [before, after] = await Promise.all([change.before, change.after].map((hash) => textAt(core, hash)))
  const { diff, added, removed } = diffOf(name, before ?? null, after ?? "")
  return { path: name, hunks, added, removed, diff, change }
}

async function textAt(core: Core, hash: string | null): Promise<string | null> {
  const bytes = hash === null ? null : await core.ledger.blobs.read(hash)
  const content = bytes === null ? null : beforeOf(bytes)
  return content?.kind === "text" ? content.text : null
}
