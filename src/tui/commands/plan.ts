/** Commands of plan files that ask something: which file, what it is called, what the new item says. */
import { writeFile } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import type { CommandName } from "../../home/command-names.ts"
import { listPaths } from "../editor/files.ts"
import { folderOf } from "../state.ts"
import { showPanel } from "./panels.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

/** What a plan is written in. */
const planTypes = /\.(?:md|markdown|txt|org)$/i
const newPlan = "# Plan\n\n"
const fallbackName = "PLAN.md"

function folder(stage: Stage): string {
  return folderOf(stage.store.state, stage.options.folder)
}

/** Shows a file in the plan panel and gives the panel the keys. */
function openFile(stage: Stage, path: string): void {
  if (!showPanel(stage, "plan", true)) return
  stage.store.dispatch({ type: "focus", focus: { area: "panel", id: "plan" } })
  stage.slots.panel("plan")?.commands["plan.open"]?.({ path })
}

const choose: Command = {
  run(stage, args) {
    if (typeof args.path === "string") {
      openFile(stage, args.path)
      return true
    }
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id: "plans",
        title: "Open as a plan",
        items: null,
        empty: "there is no text file in this folder",
        chosen: ({ key }) => openFile(stage, key),
      },
    })
    const found = listPaths(folder(stage)).then((paths) => {
      const items = paths.filter((path) => planTypes.test(path)).map((path) => ({ key: path, label: path }))
      stage.store.dispatch({ type: "dialog.items", id: "plans", items })
    })
    attempt(stage, found)
    return true
  },
}

async function make(stage: Stage, name: string): Promise<void> {
  const path = isAbsolute(name) ? name : join(folder(stage), name)
  try {
    await writeFile(path, newPlan, { flag: "wx" })
  } catch (error) {
    const exists = error instanceof Error && "code" in error && error.code === "EEXIST"
    if (!exists) throw error
    stage.say("info", `${name} was there already`)
    return openFile(stage, path)
  }
  openFile(stage, path)
  askItem(stage)
}

const create: Command = {
  run(stage, args) {
    const initial = stage.options.settings.planFiles[0] ?? fallbackName
    if (typeof args.path === "string") {
      attempt(stage, make(stage, args.path))
      return true
    }
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "plan.new",
        title: "A new plan",
        text: "The file's name, in this folder:",
        masked: false,
        initial,
        submitted: (name) => void (name.trim() === "" ? null : attempt(stage, make(stage, name.trim()))),
      },
    })
    return true
  },
}

function askItem(stage: Stage): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "input",
      id: "plan.add",
      title: "A new item",
      text: "What is to be done:",
      masked: false,
      submitted: (text) => void stage.slots.panel("plan")?.commands["plan.insert"]?.({ text }),
    },
  })
}

const add: Command = {
  off: (stage) => (stage.slots.panel("plan")?.empty === false ? null : "there is no plan: make one or open one first"),
  run(stage, args) {
    const panel = stage.slots.panel("plan")
    if (panel === null || panel.empty) return false
    if (typeof args.text === "string") return panel.commands["plan.insert"]?.({ text: args.text }) ?? false
    askItem(stage)
    return true
  },
}

export const planCommands = {
  "plan.choose": choose,
  "plan.new": create,
  "plan.add": add,
} as const satisfies Partial<Record<CommandName, Command>>
