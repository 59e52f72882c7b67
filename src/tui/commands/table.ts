/**
 * All commands by name: keys, palette and help read this one table. A name of `command-names.ts` that has no command does not compile.
 */
import { commandInfo, commandNames, type CommandName } from "../../home/command-names.ts"
import { isObject, type Json } from "../../std/json.ts"
import type { Dialog } from "../dialogs/dialog.ts"
import { aboutCommands } from "./about.ts"
import { appCommands, paletteItems } from "./app.ts"
import { chooseCommands } from "./choose.ts"
import { imageCommands } from "./images.ts"
import { loginCommands } from "./login.ts"
import { planCommands } from "./plan.ts"
import { panelCommands } from "./panels.ts"
import { promptCommands } from "./prompt.ts"
import { searchCommands } from "./search.ts"
import { sessionCommands } from "./session.ts"
import { pickerCommands } from "./sessions.ts"
import { settingsCommands } from "./settings.ts"
import type { Command, Stage } from "./stage.ts"
import { transcriptCommands } from "./transcript.ts"
import { toolCommands } from "./tools.ts"
import { stashCommands } from "./stash.ts"
import { treeCommands } from "./tree.ts"
import { undoCommands } from "./undo.ts"

type Group<Prefix extends string> = Extract<CommandName, `${Prefix}.${string}`>

const editorNames = [
  "left",
  "right",
  "wordLeft",
  "wordRight",
  "wordStartRight",
  "lineStart",
  "lineTextStart",
  "lineEnd",
  "up",
  "down",
  "start",
  "end",
  "jumpForward",
  "jumpBackward",
  "deleteBack",
  "deleteForward",
  "deleteWordBack",
  "deleteWordForward",
  "deleteToLineStart",
  "deleteToLineEnd",
  "transpose",
  "yank",
  "yankPop",
  "putAfter",
  "putBefore",
  "setMark",
  "clearMark",
  "select",
  "selectAll",
  "copy",
  "cut",
  "mode",
  "open",
  "operate",
  "replaceChar",
  "toggleCase",
  "joinLines",
] as const

const dialogNames = [
  "up",
  "down",
  "pageUp",
  "pageDown",
  "top",
  "bottom",
  "accept",
  "cancel",
  "complete",
  "save",
  "delete",
  "rename",
  "archive",
  "tag",
  "undo",
  "scope",
  "sort",
  "hidden",
] as const

const editorCommands = Object.fromEntries(
  editorNames.map((name): [string, Command] => [
    `editor.${name}`,
    { run: (stage, args) => stage.editor.run(name, args) },
  ]),
) as Record<Group<"editor">, Command>

/** The topmost dialog, else the completion, else a panel that is a list. */
const dialogCommands = Object.fromEntries(
  dialogNames.map((name): [string, Command] => [
    `dialog.${name}`,
    {
      run(stage, args) {
        if (stage.store.state.dialogs.length > 0) return stage.dialogs.run(name)
        if (stage.completer.open) return stage.completer.run(name)
        return stage.slots.run(`dialog.${name}`, args)
      },
    },
  ]),
) as Record<Group<"dialog">, Command>

const palette: Command = {
  run(stage) {
    const dialog: Dialog = {
      kind: "list",
      id: "palette",
      title: "Commands",
      items: paletteItems(stage, commands),
      chosen: ({ key }) => stage.call(key),
    }
    stage.store.dispatch({ type: "dialog.open", dialog })
    return true
  },
}

export const commands: Readonly<Record<CommandName, Command>> = {
  ...appCommands,
  ...promptCommands,
  ...stashCommands,
  ...panelCommands,
  ...planCommands,
  ...chooseCommands,
  ...searchCommands,
  ...aboutCommands,
  ...pickerCommands,
  ...settingsCommands,
  ...transcriptCommands,
  ...treeCommands,
  ...imageCommands,
  ...loginCommands,
  ...toolCommands,
  ...undoCommands,
  ...sessionCommands,
  ...editorCommands,
  ...dialogCommands,
  "app.palette": palette,
}

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commandNames, name)
}

/** While a dialog is open, what is under it does not hear keys, but for what concerns the terminal itself. */
const throughDialogs: ReadonlySet<string> = new Set(["app.redraw", "app.suspend"])

/** Runs a command by name: one of the table, or one that a panel brings. False where it did not apply. */
export function runCommand(stage: Stage, name: string, args: Json | undefined): boolean {
  const values = isObject(args) ? args : {}
  const under = stage.store.state.dialogs.length > 0
  if (under && !name.startsWith("dialog.") && !throughDialogs.has(name)) return false
  if (!isCommand(name)) return stage.slots.run(name, values)
  return commands[name].run(stage, values)
}

/** As {@link runCommand}, and says why where the command did not apply. */
export function callCommand(stage: Stage, name: string, args: Json | undefined): void {
  if (runCommand(stage, name, args)) return
  const off = isCommand(name) ? commands[name].off?.(stage) : undefined
  const title = isCommand(name) ? commandInfo(name).title : name
  stage.say(
    "info",
    off === null || off === undefined
      ? `There is nothing to do now for: ${title}`
      : `${off.slice(0, 1).toUpperCase()}${off.slice(1)}`,
  )
}
