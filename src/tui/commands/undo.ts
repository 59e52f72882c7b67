/** Taking back what a run did: its changes to files, what was said, or both; and making it again. */
import type { CommandName } from "../../home/command-names.ts"
import { textOf } from "../../message/message.ts"
import type { UndoRecord } from "../../protocol/changes.ts"
import type { EntryRecord } from "../../protocol/records.ts"
import { scopeOf } from "../blocks/blocks-of.ts"
import { runsOf } from "../panels/changes.ts"
import { isBusy } from "../status/activity.ts"
import { attempt, type Command, type Stage } from "./stage.ts"
import { fork, forkAt } from "./tree.ts"

function entryOf(stage: Stage, id: number) {
  return stage.store.state.view.entries.find((entry) => entry.id === id)
}

/** The newest run that began with an input. */
function lastRun(stage: Stage): number | undefined {
  const { view, conversation } = stage.store.state
  return runsOf(view, conversation).findLast((id) => entryOf(stage, id)?.data.kind === "user")
}

function told(
  { undone, refused, commands }: UndoRecord,
  word: string,
): { readonly text: string; readonly whole: boolean } {
  const changes = undone.length === 1 ? "1 change" : `${undone.length} changes`
  const done =
    undone.length === 0
      ? `No change of a file was ${word}.`
      : `${changes} ${undone.length === 1 ? "was" : "were"} ${word}.`
  const no = refused.map(({ hunk, reason }) => `${hunk} was not: ${reason}.`)
  const ran =
    commands === 0 ? [] : [`What ${commands === 1 ? "a command" : `${commands} commands`} changed stays as it is.`]
  return { text: [done, ...no, ...ran].join("\n"), whole: refused.length === 0 }
}

async function undoFiles(stage: Stage, conversation: number, run: number, word: string): Promise<void> {
  const record = await stage.link.request({ type: "undo", conversation, run, what: "files" })
  const { text, whole } = told(record, word)
  stage.say(whole ? "info" : "warning", text)
}

/** The conversation as it was before the run, its input in the editor. */
async function undoTalk(stage: Stage, conversation: number, run: number): Promise<void> {
  await fork(stage, await forkAt(stage, conversation, run))
}

const undo: Command = {
  off: (stage) =>
    isBusy(stage.store.state) ? "a run is going" : lastRun(stage) === undefined ? "there is no run" : null,
  run(stage) {
    const run = lastRun(stage)
    const { store } = stage
    if (run === undefined) return false
    const { conversation } = store.state
    const data = entryOf(stage, run)?.data
    const input = data?.kind === "user" && "content" in data ? textOf(data).trim() : ""
    const both = async (): Promise<void> => {
      await undoFiles(stage, conversation, run, "taken back")
      await undoTalk(stage, conversation, run)
    }
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "confirm",
        id: "undo",
        title: "Take back the last run",
        text: input,
        choices: [
          { letter: "b", label: "What it changed in files, and what was said", run: () => attempt(stage, both()) },
          {
            letter: "f",
            label: "What it changed in files",
            run: () => attempt(stage, undoFiles(stage, conversation, run, "taken back")),
          },
          { letter: "c", label: "What was said", run: () => attempt(stage, undoTalk(stage, conversation, run)) },
          { letter: "l", label: "Look at its changes first", run: () => void stage.run("panel.toggleChanges") },
        ],
      },
    })
    return true
  },
}

type Redo = { readonly conversation: number; readonly files: number | null }

/**
 * What can be made again: the newest taking-back that was not made again itself, here or, where nothing was said here yet, in the conversation that
 * was gone back from; and that conversation.
 */
function redoable(stage: Stage): Redo | null {
  const { view, conversation } = stage.store.state
  const scope = scopeOf(view.conversations, conversation)
  const own = view.entries.filter(({ id, conversation: of }) => id <= (scope.get(of) ?? -1))
  const here = takenBack(stage, own)
  if (here !== undefined) return { conversation, files: here }
  const parent = view.conversations.get(conversation)?.parent ?? null
  if (parent === null || own.some(({ conversation: of, data }) => of === conversation && data.kind === "user"))
    return null
  const left = view.entries.filter(({ id, conversation: of }) => of === parent.conversation && id > parent.entry)
  return { conversation: parent.conversation, files: takenBack(stage, left) ?? null }
}

/** The newest taking-back in `entries` that was not made again, and is itself no making again. */
function takenBack(stage: Stage, entries: readonly EntryRecord[]): number | undefined {
  const again = new Set(entries.flatMap(({ data }) => (data.kind === "undo" && "run" in data ? [data.run] : [])))
  return entries.findLast(
    ({ id, data }) => data.kind === "undo" && !again.has(id) && !("run" in data && isUndo(stage, data.run)),
  )?.id
}

function isUndo(stage: Stage, run: unknown): boolean {
  return typeof run === "number" && entryOf(stage, run)?.data.kind === "undo"
}

const redo: Command = {
  off: (stage) =>
    isBusy(stage.store.state) ? "a run is going" : redoable(stage) === null ? "nothing was taken back" : null,
  run(stage) {
    const again = redoable(stage)
    if (again === null) {
      stage.say("info", "Nothing was taken back")
      return true
    }
    const { conversation, files } = again
    const work = files === null ? Promise.resolve() : undoFiles(stage, conversation, files, "made again")
    attempt(
      stage,
      work.then(() => stage.store.dispatch({ type: "conversation", id: conversation })),
    )
    return true
  },
}

export const undoCommands = { "run.undo": undo, "run.redo": redo } as const satisfies Partial<
  Record<CommandName, Command>
>
