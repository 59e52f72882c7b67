/** Commands of the editor: sending what was typed, and what a key does to it before. */
import type { CommandName } from "../../home/command-names.ts"
import { requestId } from "../../std/id.ts"
import type { JsonObject } from "../../std/json.ts"
import { Refusal } from "../../protocol/port.ts"
import type { SubmitMode } from "../../protocol/records.ts"
import { editOutside } from "../editor/external.ts"
import { readClipboard } from "../editor/clipboard-in.ts"
import { mentions, textOnly, withImages } from "../editor/images.ts"
import { until } from "../jump.ts"
import { sentence } from "../link.ts"
import { folderOf } from "../state.ts"
import { runSlash } from "./slash.ts"
import { askAgain } from "../first-start.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

/** Sends `text` as an input of the conversation. It stays in the outbox until the host has it. */
export async function send(stage: Stage, text: string, mode: SubmitMode): Promise<void> {
  const plain = { content: textOnly(text), problems: [] }
  const { content, problems } =
    mentions(text).length === 0 ? plain : await withImages(text, folderOf(stage.store.state, stage.options.folder))
  if (problems.length > 0) stage.say("warning", problems.join("; "))
  stage.store.dispatch({ type: "sending", item: { requestId: requestId(), content, mode, text } })
  stage.slots.run("scroll.bottom", {})
  await stage.link.flush()
}

/** Gives a refused input back, before what was typed meanwhile. */
export function giveBack(stage: Stage, text: string): void {
  const typed = stage.editor.content
  stage.editor.put("")
  stage.editor.paste(typed === "" ? text : `${text}\n\n${typed}`)
}

async function shell(stage: Stage, text: string): Promise<void> {
  const excluded = text.startsWith("!!")
  const command = text.slice(excluded ? 2 : 1).trim()
  if (command === "") return
  if (stage.store.state.shell !== null) {
    stage.editor.put(text)
    return stage.say("warning", "Another command is still running; wait for it")
  }
  stage.store.dispatch({ type: "shell", command })
  let asked = false
  try {
    if (stage.store.state.link.status === "stopped") stage.link.retry()
    await until(stage, ({ link }) => link.status === "open")
    asked = true
    const { conversation } = stage.store.state
    await stage.link.request({ type: "shell", conversation, command, excluded })
  } catch (error) {
    // Where the host went away the command may run on: only what was refused is given back, since sent again it would run again.
    if (asked && !(error instanceof Refusal))
      return stage.say("info", "The host is away; the command goes on, or is shown as it ended")
    if (stage.editor.edit.text === "") stage.editor.put(text)
    throw error
  } finally {
    stage.store.dispatch({ type: "shell", command: null })
  }
}

/** An input goes its way whether or not it can be remembered. */
function remember({ options, say }: Stage, text: string): void {
  try {
    options.history.append(text)
  } catch (error) {
    say("warning", `This is not kept in the history: ${sentence(error)}`)
  }
}

function submit(stage: Stage, mode: SubmitMode): boolean {
  const { editor } = stage
  if (editor.content.trim() === "") return false
  stage.completer.close()
  const text = editor.take()
  remember(stage, text)
  if (text.startsWith("!")) attempt(stage, shell(stage, text))
  else if (!text.startsWith("/") || !runSlash(stage, text)) {
    attempt(stage, send(stage, text.trim(), mode))
    // It waits until there is a model to be sent to.
    askAgain(stage)
  }
  return true
}

const external: Command = {
  off: (stage) => (stage.options.settings.editor === undefined ? "no editor is known; set $EDITOR" : null),
  run(stage) {
    const { editor } = stage.options.settings
    if (editor === undefined) return false
    const { scratch } = stage.options
    const work = stage.terminal.lend(() => editOutside(editor, scratch, stage.editor.content))
    attempt(
      stage,
      work.then((text) => {
        if (text !== stage.editor.content) {
          stage.editor.put("")
          stage.editor.put(text)
        }
      }),
    )
    return true
  },
}

const paste: Command = {
  run(stage) {
    const { renderer, options, editor, terminal } = stage
    const { scratch, clock } = options
    const write = (question: string): void => attempt(stage, terminal.send(question))
    const work = readClipboard({ scratch, clock, renderer, write, remote: options.terminal.remote })
    attempt(
      stage,
      work.then((found) => {
        if (found.kind === "nothing") stage.say("warning", found.reason)
        else if (found.kind === "image") editor.image(found.image)
        else if (!editor.paste(found.text)) stage.say("error", "That is too large for an input; name a file with @")
      }),
    )
    return true
  },
}

const searchHistory: Command = {
  run(stage) {
    const items = stage.options.history
      .load()
      .map((text, place) => ({ key: String(place), label: text.replace(/\s+/g, " "), text }))
      .reverse()
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id: "history",
        title: "Earlier prompts",
        items,
        filter: stage.editor.edit.text.includes("\n") ? "" : stage.editor.edit.text,
        empty: "nothing was sent from this folder yet",
        chosen: ({ key }) => stage.editor.put(items.find((item) => item.key === key)?.text ?? ""),
      },
    })
    return true
  },
}

/** A command that hands on to the editor. */
const editor = (work: (stage: Stage, args: JsonObject) => boolean): Command => ({ run: work })

/** One that is for what stands in the editor. */
const ofText = (work: (stage: Stage, args: JsonObject) => boolean): Command => ({
  off: (stage) => (stage.editor.edit.text === "" ? "the editor is empty" : null),
  run: work,
})

export const promptCommands = {
  "prompt.submit": ofText((stage) => submit(stage, "steer")),
  "prompt.followUp": ofText((stage) => submit(stage, "followUp")),
  "prompt.newline": editor(({ editor }) => editor.newline()),
  "prompt.clear": ofText(({ editor }) => editor.clear()),
  // These apply also at an end of the history: the key of a motion does not begin to mean something else there.
  "prompt.history.previous": editor(({ editor }) => {
    editor.historyPrevious()
    return true
  }),
  "prompt.history.next": editor(({ editor }) => {
    editor.historyNext()
    return true
  }),
  "prompt.history.search": searchHistory,
  "prompt.undo": {
    off: ({ editor }) => (editor.undoable ? null : "nothing was changed in the editor"),
    run: ({ editor }) => editor.undo(),
  },
  "prompt.redo": {
    off: ({ editor }) => (editor.redoable ? null : "nothing was undone in the editor"),
    run: ({ editor }) => editor.redo(),
  },
  "prompt.external": external,
  "prompt.complete": editor(({ completer }) => completer.ask()),
  "prompt.paste": paste,
  "prompt.focus": {
    off: ({ store }) => (store.state.focus.area === "editor" ? "the editor has the focus" : null),
    run({ store }) {
      if (store.state.focus.area === "editor") return false
      store.dispatch({ type: "focus", focus: { area: "editor" } })
      return true
    },
  },
} as const satisfies Partial<Record<CommandName, Command>>
