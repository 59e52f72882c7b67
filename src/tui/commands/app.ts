/** Commands of the whole screen: leaving it, stopping work, the palette, help. */
import { commandInfo, commandList, contextNames, type CommandName } from "../../home/command-names.ts"
import { printKeys } from "../../home/chord.ts"
import { keysOf } from "../../home/key-match.ts"
import type { Keymap, Run } from "../../home/keymap.ts"
import { isObject } from "../../std/json.ts"
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

/** What the commands of a group are about, by the first word of their names. */
const groupTitles: Readonly<Record<string, string>> = {
  app: "Cairn",
  prompt: "Prompt",
  scroll: "Reading",
  search: "Search",
  copy: "Selecting",
  transcript: "The conversation as text",
  panel: "Panels",
  layout: "Panels",
  block: "Blocks",
  thinking: "Model and thinking",
  model: "Model and thinking",
  theme: "Looks and keys",
  keymap: "Looks and keys",
  mouse: "Looks and keys",
  session: "Session",
  message: "Session",
  queue: "Queue and runs",
  run: "Queue and runs",
  compact: "Queue and runs",
  retry: "Queue and runs",
  work: "Queue and runs",
  output: "Output panel",
  plan: "Plan panel",
  changes: "Changes panel",
  tasks: "Tasks panel",
  tree: "Tree panel",
}

function groupOf(name: CommandName): string {
  return groupTitles[name.split(".")[0] ?? ""] ?? "Other"
}

/** The keys of a command where the person is, else where they mean it. */
function keyHint(keymap: Keymap, here: readonly string[], name: CommandName): string {
  const keys = keysOf(keymap, name, here)
  if (keys !== undefined) return printKeys(keys)
  const elsewhere = keymap.bindings.find(({ run }) => run.some(({ command }) => command === name))
  return elsewhere === undefined ? "" : `${elsewhere.context}: ${printKeys(elsewhere.keys)}`
}

/** Every command with its keys; what cannot be used now says why. */
export function paletteItems(stage: Stage, table: Readonly<Record<CommandName, Command>>): readonly Item[] {
  const named = commandList.filter((name) => commandInfo(name).hidden !== true && name !== "app.palette")
  const groups = Map.groupBy(named, groupOf)
  const here = [...stage.contexts(), "editor", "global"]
  return [...groups].flatMap(([group, names]) =>
    names.map((name) => {
      const keys = keyHint(stage.keymap(), here, name)
      const off = table[name].off?.(stage) ?? null
      return {
        key: name,
        label: commandInfo(name).title,
        detail: name,
        group,
        ...(keys === "" ? {} : { right: keys, keepsRight: true as const }),
        ...(off === null ? {} : { off }),
      }
    }),
  )
}

/** Keys of one context by what they do, those of one meaning in one row. */
function keyRows({ bindings }: Keymap, context: string): TextDialog["rows"] {
  const own = bindings.filter((binding) => binding.context === context && binding.run.length > 0)
  if (own.length === 0) return []
  const title = (contextNames as Readonly<Record<string, string>>)[context] ?? context
  const meant = Map.groupBy(own, ({ run }) => JSON.stringify(run))
  const rows = [...meant.values()].map((same) => ({
    left: same.map(({ keys }) => printKeys(keys)).join(", "),
    right: (same[0]?.run ?? []).map(meaningOf).join("; else: "),
  }))
  return [{ left: title, heading: true }, ...rows, { left: "" }]
}

/** What each key does here, innermost context first; then what keys do elsewhere. */
function helpDialog(stage: Stage): TextDialog {
  const keymap = stage.keymap()
  const here = stage.contexts()
  const all = [...new Set(keymap.bindings.map(({ context }) => context))]
  const elsewhere = all.filter((context) => !here.includes(context))
  const rows = [
    ...here.flatMap((context) => keyRows(keymap, context)),
    ...elsewhere.flatMap((context) => keyRows(keymap, context)),
  ]
  return { kind: "text", id: "help", title: "Keys", rows }
}

function meaningOf({ command, args }: Run): string {
  const said = isObject(args) ? Object.values(args).filter((value) => typeof value === "string") : []
  return said.length === 0 ? titleOf(command) : `${titleOf(command)}: ${said.join(", ")}`
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
