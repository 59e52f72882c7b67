/** Commands for the conversation as a whole: in a pager, in an editor, in a file; and to what was said at a time. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { CommandName } from "../../home/command-names.ts"
import { shortId } from "../../std/id.ts"
import { textFile, viewFile } from "../editor/external.ts"
import { jumpHere } from "../jump.ts"
import { firstHeld, loadOlder } from "../older.ts"
import { folderOf } from "../state.ts"
import { scopeOf } from "../blocks/blocks-of.ts"
import { allEntries, transcriptText } from "../transcript.ts"
import { parseWhen } from "../when.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

const nothingSaid = ({ store }: Stage): string | null =>
  store.state.view.entries.length === 0 ? "nothing was said yet" : null

async function wholeText({ store, link, options }: Stage): Promise<string> {
  const { view, conversation } = store.state
  const entries = await allEntries(link, view, conversation, firstHeld(view, conversation))
  return transcriptText(view, entries, conversation, options.clock.now())
}

async function show(stage: Stage, command: string): Promise<void> {
  const text = await wholeText(stage)
  await stage.terminal.lend(() => textFile(stage.options.scratch, text, (path) => viewFile(command, path)))
}

const pager: Command = {
  off: nothingSaid,
  run(stage) {
    if (nothingSaid(stage) !== null) return false
    attempt(stage, show(stage, stage.options.settings.pager))
    return true
  },
}

const editor: Command = {
  off: (stage) =>
    stage.options.settings.editor === undefined ? "no editor is known; set $EDITOR" : nothingSaid(stage),
  run(stage) {
    const { editor: command } = stage.options.settings
    if (command === undefined || nothingSaid(stage) !== null) return false
    attempt(stage, show(stage, command))
    return true
  },
}

/** Writes the conversation; a file that is there stays. */
async function write(stage: Stage, name: string): Promise<void> {
  const home = name.replace(/^~(?=\/)/, stage.options.home)
  const path = resolve(folderOf(stage.store.state, stage.options.folder), home)
  if (existsSync(path)) throw new Error(`${path} is there already: name another file`)
  await Bun.write(path, await wholeText(stage), { mode: 0o600 })
  stage.say("info", `The conversation was written to ${path}`)
}

const file: Command = {
  off: nothingSaid,
  run(stage, args) {
    if (nothingSaid(stage) !== null) return false
    const submitted = (name: string): void => {
      if (name.trim() !== "") attempt(stage, write(stage, name.trim()))
    }
    if (typeof args.name === "string" && args.name !== "") submitted(args.name)
    else {
      const initial = `cairn-${shortId(stage.store.state.view.session)}.txt`
      const text = "The file to write the conversation to, as text:"
      const dialog = {
        kind: "input",
        id: "transcript",
        title: "Write",
        text,
        masked: false,
        initial,
        submitted,
      } as const
      stage.store.dispatch({ type: "dialog.open", dialog })
    }
    return true
  },
}

/** Goes to the first entry at or after a time, or else the last; what is older than the view is fetched on the way. */
async function toTime(stage: Stage, at: number): Promise<void> {
  const { store } = stage
  const { conversation } = store.state
  const seen = () => {
    const { view } = store.state
    const scope = scopeOf(view.conversations, conversation)
    return view.entries.filter((entry) => entry.id <= (scope.get(entry.conversation) ?? -1))
  }
  for (let first = firstHeld(store.state.view, conversation); first > 0;) {
    if ((seen()[0]?.at ?? 0) <= at) break
    await loadOlder(stage, conversation)
    const now = firstHeld(store.state.view, conversation)
    if (now === first) break
    first = now
  }
  const entries = seen()
  const found = entries.find((entry) => entry.at >= at) ?? entries.at(-1)
  if (found !== undefined) await jumpHere(stage, { conversation, entry: found.id }, "")
}

function goToTime(stage: Stage, typed: string): void {
  const at = parseWhen(typed, stage.options.clock.now())
  if (at === null) stage.say("warning", `"${typed}" is no time: say 14:30, yesterday 9:00, 2026-11-29 or 20m`)
  else attempt(stage, toTime(stage, at))
}

const jumpToTime: Command = {
  off: nothingSaid,
  run(stage, args) {
    if (nothingSaid(stage) !== null) return false
    if (typeof args.name === "string" && args.name !== "") goToTime(stage, args.name)
    else {
      const text = "A time, such as 14:30, yesterday 9:00, mon 14:30, 2026-11-29, or how long ago: 20m, 3h, 2d"
      const submitted = (typed: string): void => {
        if (typed.trim() !== "") goToTime(stage, typed.trim())
      }
      const dialog = { kind: "input", id: "time", title: "Go to", text, masked: false, submitted } as const
      stage.store.dispatch({ type: "dialog.open", dialog })
    }
    return true
  },
}

export const transcriptCommands = {
  "transcript.pager": pager,
  "transcript.editor": editor,
  "transcript.file": file,
  "scroll.toTime": jumpToTime,
} as const satisfies Partial<Record<CommandName, Command>>
