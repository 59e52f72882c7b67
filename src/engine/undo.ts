/**
 * Changes and undo: what a person asks of them. `changes` only looks. `undo` plans what can be taken back, keeps the contents, and leaves the
 * rest to a durable task (`undo-task.ts`), so that a crash in the middle does not leave half of it unnoticed.
 *
 * - A hunk that cannot be taken back is refused by its name, with the reason; the others are not held up by it.
 * - What commands changed is not covered, and the answer says how many ran.
 */
import { errorCode, fileMeta } from "../std/files.ts"
import { Refusal, type Answers, type Command } from "../protocol/port.ts"
import type { ChangeHunk, FileChanges, Refused } from "../protocol/changes.ts"
import { shownPath } from "../tools/paths.ts"
import { missingFolder } from "../tools/replace-file.ts"
import { readBefore } from "../tools/text-file.ts"
import type { Core } from "./core.ts"
import { readDocument } from "./documents.ts"
import { collect, planFile, type Collected, type Content, type FilePlan, type Step } from "./undo-changes.ts"
import { taskEnded } from "./task-ended.ts"
import { stored, taskVersions, undoKind } from "./task.ts"
import type { UndoFile, UndoState } from "./undo-task.ts"

type Of<T extends Command["type"]> = Extract<Command, { type: T }>

/** What hunks of one answer show together, in characters of lines. */
const shownCharsMax = 2 * 1024 * 1024

export async function changes(core: Core, command: Of<"changes">): Promise<Answers["changes"]> {
  const { steps, commands } = await collected(core, command.conversation, command.run)
  const plans = await plansOf(core, steps, () => true)
  let room = shownCharsMax
  const files = plans.map(({ name, plan }) => {
    const size = plan.hunks.reduce((sum, { lines }) => sum + lines.join("\n").length, 0)
    room -= size
    return room < 0 ? fileChanges(name, plan, "too large to show") : fileChanges(name, plan, "")
  })
  return { files, commands }
}

/** The changes of a conversation or of one run. Throws {@link Refusal} where there is no such run. */
async function collected(core: Core, conversation: number, run: number | undefined): Promise<Collected> {
  const after = run === undefined ? undefined : run - 1
  const entries = await core.ledger.entries({ conversation, after })
  const first = entries[0]
  if (run !== undefined && (first?.id !== run || (first.kind !== "user" && first.kind !== "undo")))
    throw new Refusal("no_run", `No run of this conversation began with e${run}.`)
  return collect(entries, run)
}

type Plan = { readonly name: string; readonly plan: FilePlan }

async function plansOf(core: Core, steps: readonly Step[], chosen: (id: string) => boolean): Promise<readonly Plan[]> {
  const plans: Plan[] = []
  for (const path of new Set(steps.map((step) => step.path))) {
    const name = shownPath(path, core.options.machine.folder)
    const loaded = await Promise.all(
      steps
        .filter((step) => step.path === path)
        .map(async (step) => ({
          step,
          before: await contentAt(core, step.before),
          after: await contentAt(core, step.after),
        })),
    )
    plans.push({ name, plan: planFile(name, loaded, await contentNow(path), chosen) })
  }
  return plans
}

async function contentAt(core: Core, hash: string | null): Promise<Content> {
  return hash === null ? null : { hash, bytes: await core.ledger.blobs.read(hash) }
}

async function contentNow(path: string): Promise<Content> {
  try {
    const now = await readBefore(path)
    return now.kind === "missing" ? null : { hash: now.hash, bytes: now.bytes }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    // What cannot be read is nothing that this session has written.
    return { hash: code, bytes: null }
  }
}

function fileChanges(path: string, plan: FilePlan, note: string): FileChanges {
  const { steps } = plan
  const kind = steps[0]?.before === null ? "made" : steps.at(-1)?.after === null ? "removed" : "edited"
  const hunks: readonly ChangeHunk[] = note === "" ? plan.hunks : plan.hunks.map((hunk) => ({ ...hunk, lines: [] }))
  const lineless = hunks.every(({ lines }) => lines.length === 0)
  return {
    path,
    kind,
    runs: [...new Set(steps.flatMap(({ runs }) => runs))],
    added: plan.hunks.reduce((sum, { newLines }) => sum + newLines, 0),
    removed: plan.hunks.reduce((sum, { oldLines }) => sum + oldLines, 0),
    hunks,
    note: note === "" && lineless ? "no lines to show" : note,
  }
}

/** Throws {@link Refusal} while a run of this conversation, or another undo, changes files. */
function refuseBusy({ ledger: { live } }: Core, conversation: number): void {
  const busy = readDocument(live, conversation, "run") !== undefined
  const undoing = [...live.tasks.values()].some((task) => task.kind === undoKind)
  if (busy || undoing)
    throw new Refusal("busy", "The agent is changing files now: undo when it is done, or stop it first.")
}

export async function undo(core: Core, command: Of<"undo">): Promise<Answers["undo"]> {
  const { conversation, run, hunks } = command
  refuseBusy(core, conversation)
  const { steps, commands } = await collected(core, conversation, run)
  const plans = await plansOf(core, steps, (id) => hunks === undefined || hunks.includes(id))
  const known = plans.flatMap(({ plan }) => plan.hunks)
  const unknown = hunks?.filter((id) => !known.some((hunk) => hunk.id === id)) ?? []
  if (unknown.length > 0) throw new Refusal("no_hunk", `Run e${run} has no change named ${unknown.join(", ")}.`)
  const wanted = known.filter(({ id }) => hunks === undefined || hunks.includes(id))
  const refused = wanted.filter(({ state }) => state !== "made").map(refusalOf)
  const made = steps.flatMap(({ folders }) => folders)
  const files = await filesOf(
    core,
    plans,
    made,
    new Set(wanted.filter(({ state }) => state === "made").map(({ id }) => id)),
  )
  if (files.length === 0) return { entry: null, undone: [], refused, commands }
  const state: UndoState = { run, files, refused, commands }
  // Files were read meanwhile: another undo, or a run, may have come before this one.
  refuseBusy(core, conversation)
  const receipt = core.ledger.commit("flushed", (tx) => {
    const version = taskVersions[undoKind] ?? 1
    const task = { conversation, kind: undoKind, version, input: {}, ...stored({ phase: "write", ...state }) }
    return tx.addTask(task).id
  })
  const ended = await taskEnded(core, receipt.value)
  return ended.outcome as Answers["undo"]
}

function refusalOf({ id, state, reason }: ChangeHunk): Refused {
  return { hunk: id, reason: state === "undone" ? "it is undone already" : reason }
}

/** What is to be written, its contents kept and flushed. */
async function filesOf(
  core: Core,
  plans: readonly Plan[],
  made: readonly string[],
  wanted: ReadonlySet<string>,
): Promise<readonly UndoFile[]> {
  const files: UndoFile[] = []
  for (const { name, plan } of plans) {
    const { path, now, after, hunks } = plan
    if (now?.hash === after?.hash) continue
    const contents = [now?.bytes, after?.bytes].filter((bytes) => bytes != null)
    await core.ledger.blobs.keep(contents, "flushed")
    const mode = now === null ? plan.mode : ((await fileMeta(path))?.mode ?? null)
    const folder = after === null ? topmost(path, made) : now === null ? await missingFolder(path) : null
    const hashes = { before: now?.hash ?? null, after: after?.hash ?? null }
    const change = { path, ...hashes, mode, kept: true, ...(folder === null ? {} : { folder }) }
    files.push({ name, change, hunks: hunks.map(({ id }) => id).filter((id) => wanted.has(id)) })
  }
  return files
}

/** Of the folders that were made, the one highest above `path`, for whichever file it was made. */
function topmost(path: string, made: readonly string[]): string | null {
  const above = made.filter((folder) => path.startsWith(`${folder}/`))
  return above.sort((a, b) => a.length - b.length)[0] ?? null
}
