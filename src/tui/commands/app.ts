/** Commands of the whole screen: leaving it, stopping work, the palette, help. */
import { commandInfo, commandList, contextNames, type CommandName } from "../../home/command-names.ts"
import { printKeys } from "../../home/chord.ts"
import { keysOf } from "../../home/key-match.ts"
import type { Item, TextDialog } from "../dialogs/dialog.ts"
import type { WorkChoice } from "../options.ts"
import { isBusy } from "../status/activity.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

/** While this stands over the editor, the same key leaves. */
const againText = "Press it again to quit"

function hasWork(stage: Stage): boolean {
  const { state } = stage.store
  return isBusy(state) || state.view.tasks.size > 0
}

/** Stops what runs, then leaves: the host makes the stop durable before it answers. */
async function stopAndEnd(stage: Stage): Promise<void> {
  const { link, store } = stage
  await link.request({ type: "abort", conversation: store.state.conversation })
  stage.end("quit", "stop")
}

function askToQuit(stage: Stage): void {
  const end = (work: WorkChoice) => () => stage.end("quit", work)
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "confirm",
      id: "quit",
      title: "Quit",
      text: "Work is still running.",
      choices: [
        { letter: "l", label: "Leave it working in the background", run: end("leave") },
        { letter: "s", label: "Stop it", run: () => attempt(stage, stopAndEnd(stage)) },
        { letter: "k", label: "Keep it for the next time", run: end("keep") },
      ],
    },
  })
}

const quit: Command = {
  run(stage) {
    if (hasWork(stage)) askToQuit(stage)
    else stage.end("quit", "leave")
    return true
  },
}

const clear: Command = {
  run(stage, args) {
    if (stage.editor.clear()) return true
    if (stage.store.state.toast?.text === againText) return quit.run(stage, args)
    stage.say("info", againText)
    return true
  },
}

const interrupt: Command = {
  off: (stage) => (hasWork(stage) ? null : "nothing is running"),
  run(stage) {
    // With nothing to stop, the key puts away what a search left marked.
    if (!hasWork(stage)) return stage.slots.reader()?.closeSearch(false) ?? false
    attempt(stage, stage.link.request({ type: "abort", conversation: stage.store.state.conversation }))
    return true
  },
}

const suspend: Command = {
  off: (stage) => (stage.options.process === undefined ? "there is no shell to go to" : null),
  run(stage) {
    if (stage.options.process === undefined) return false
    attempt(stage, stage.terminal.suspend())
    return true
  },
}

/** Every command with its keys; what cannot be used now says why. */
export function paletteItems(stage: Stage, table: Readonly<Record<CommandName, Command>>): readonly Item[] {
  return commandList
    .filter((name) => commandInfo(name).hidden !== true && name !== "app.palette")
    .map((name) => {
      const keys = keysOf(stage.keymap(), name)
      const off = table[name].off?.(stage) ?? null
      return {
        key: name,
        label: commandInfo(name).title,
        detail: name,
        ...(keys === undefined ? {} : { right: printKeys(keys) }),
        ...(off === null ? {} : { off }),
      }
    })
}

/** The keys that work now, innermost context first. */
export function helpDialog(stage: Stage): TextDialog {
  const contexts = [...new Set([...stage.contexts(), "editor", "scrollback", "search", "copy", "dialog", "global"])]
  const rows = contexts.flatMap((context) => {
    const bindings = stage.keymap().bindings.filter((binding) => binding.context === context && binding.run.length > 0)
    if (bindings.length === 0) return []
    const title = (contextNames as Readonly<Record<string, string>>)[context] ?? context
    return [
      { left: title, heading: true },
      ...bindings.map(({ keys, run }) => ({
        left: printKeys(keys),
        right: run.map(({ command }) => titleOf(command)).join("; else: "),
      })),
      { left: "" },
    ]
  })
  return { kind: "text", id: "help", title: "Keys", rows }
}

function titleOf(name: string): string {
  return (commandList as readonly string[]).includes(name) ? commandInfo(name as CommandName).title : name
}

const openHelp: Command = {
  run(stage) {
    stage.store.dispatch({ type: "dialog.open", dialog: helpDialog(stage) })
    return true
  },
}

export const appCommands = {
  "app.quit": quit,
  "app.interrupt": interrupt,
  "app.clear": clear,
  "app.quitEmpty": {
    run: (stage, args) => stage.editor.edit.text === "" && quit.run(stage, args),
  },
  "app.suspend": suspend,
  "app.redraw": {
    run(stage) {
      stage.terminal.redraw()
      return true
    },
  },
  "app.detach": {
    run(stage) {
      stage.end("quit", "leave")
      return true
    },
  },
  "app.help": openHelp,
  "mouse.toggle": {
    run(stage) {
      const on = !stage.store.state.mouse
      stage.renderer.useMouse = on
      stage.store.dispatch({ type: "mouse", on })
      stage.say("info", on ? "The mouse is used" : "The mouse is left to the terminal")
      return true
    },
  },
} as const satisfies Partial<Record<CommandName, Command>>
