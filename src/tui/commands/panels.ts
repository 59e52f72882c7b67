/** Commands of panels and slots: where the focus is, what is shown, and what only a panel can do. */
import type { CommandName } from "../../home/command-names.ts"
import type { Json } from "../../std/json.ts"
import { slotOf, type SlotName } from "../layout.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

/** Per cent of the columns or rows that one press moves. */
const sizeStep = 5

/** What the focused panel does, or where the editor has the focus, the one in front. */
function ofPanel(name: CommandName): Command {
  const [panel = ""] = name.split(".")
  return {
    off(stage) {
      if (!stage.slots.offers(name)) return `${ownPanels[panel] ?? "a panel that can"} has to have the focus`
      return stage.slots.nothingSaid ? "nothing was said yet" : null
    },
    run: (stage, args) => stage.slots.run(name, args),
  }
}

/** Whose commands they are, by the first word of their names. */
const ownPanels: Readonly<Record<string, string>> = {
  plan: "the plan panel",
  output: "the tool output panel",
  changes: "the changes panel",
  tasks: "the tasks panel",
  tree: "the tree panel",
  block: "the conversation",
  thinking: "the conversation",
}

function focusedPanel(stage: Stage): string | null {
  const { focus } = stage.store.state
  return focus.area === "panel" ? focus.id : null
}

/** The editor and the panels that can be seen, round and round. */
function step(by: 1 | -1): Command {
  return {
    run(stage) {
      const stops: (string | null)[] = [null, ...stage.slots.visible()]
      if (stops.length === 1) return false
      const at = stops.indexOf(focusedPanel(stage))
      const next = stops[(at + by + stops.length) % stops.length] ?? null
      const focus = next === null ? ({ area: "editor" } as const) : ({ area: "panel", id: next } as const)
      stage.store.dispatch({ type: "focus", focus })
      return true
    },
  }
}

/** Shows or hides a panel; one that stands nowhere comes to the side. False where there is none of that name. */
export function showPanel(stage: Stage, id: string, shown: boolean): boolean {
  if (!stage.slots.known(id)) return false
  const { main, side, bottom } = stage.store.state.place.slots
  if (![...main, ...side.stack, ...bottom].includes(id)) stage.store.dispatch({ type: "panel.move", id, to: "side" })
  stage.store.dispatch({ type: "panel.show", id, shown })
  return true
}

function toggle(id: string): Command {
  return {
    off: (stage) => (stage.slots.known(id) ? null : "there is no such panel"),
    run: (stage) => showPanel(stage, id, !stage.slots.inView(id)),
  }
}

const slotNames: readonly SlotName[] = ["main", "side", "bottom"]

const move: Command = {
  off: (stage) => (focusedPanel(stage) === null ? "no panel has the focus" : null),
  run(stage, args) {
    const id = focusedPanel(stage)
    if (id === null) return false
    const { slots } = stage.store.state.place
    const now = slotOf(slots, id)
    const asked = slotNames.find((name) => name === args.to)
    const to = asked ?? slotNames[(slotNames.indexOf(now) + 1) % slotNames.length] ?? "side"
    stage.store.dispatch({ type: "panel.move", id, to })
    return true
  },
}

const zoom: Command = {
  run(stage) {
    const { zoomed, front } = stage.store.state.place
    stage.store.dispatch({ type: "panel.zoom", id: zoomed === null ? (focusedPanel(stage) ?? front) : null })
    return true
  },
}

const hide: Command = {
  off: (stage) => (focusedPanel(stage) === null ? "no panel has the focus" : null),
  run(stage) {
    const id = focusedPanel(stage)
    if (id === null || stage.slots.visible().length < 2) return false
    stage.store.dispatch({ type: "panel.show", id, shown: false })
    return true
  },
}

function resize(by: number): Command {
  return {
    run(stage) {
      const { slots } = stage.store.state.place
      const id = focusedPanel(stage)
      const low = id !== null && slotOf(slots, id) === "bottom"
      const size = low ? slots.bottomSize : slots.side.size
      stage.store.dispatch({ type: "panel.size", slot: low ? "bottom" : "side", size: size + by })
      return true
    },
  }
}

const save: Command = {
  off: (stage) => (stage.options.outside.saveSetting === undefined ? "the config cannot be written here" : null),
  run(stage) {
    const { slots } = stage.store.state.place
    const value: Json = { ...slots, side: { ...slots.side } }
    const work = stage.options.outside.saveSetting?.("panels", value)
    if (work === undefined) return false
    attempt(
      stage,
      work.then((outcome) => stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)),
    )
    return true
  },
}

/** Selecting with the keyboard takes the focus along. */
const openCopy: Command = {
  off: ({ slots }) => (slots.nothingSaid ? "nothing was said yet" : null),
  run(stage, args) {
    const id = stage.slots.target()
    if (!stage.slots.run("copy.open", args)) return false
    stage.store.dispatch({ type: "focus", focus: { area: "panel", id } })
    if (args.by !== undefined) stage.slots.run("copy.mark", args)
    return true
  },
}

const panelNames = [
  "scroll.pageUp",
  "scroll.pageDown",
  "scroll.halfUp",
  "scroll.halfDown",
  "scroll.lineUp",
  "scroll.lineDown",
  "scroll.top",
  "scroll.bottom",
  "scroll.previousPrompt",
  "scroll.nextPrompt",
  "scroll.previousTurn",
  "scroll.nextTurn",
  "copy.close",
  "copy.move",
  "copy.mark",
  "copy.accept",
  "copy.swapEnds",
  "block.fold",
  "block.foldAll",
  "block.next",
  "block.previous",
  "block.open",
  "block.copy",
  "block.copyCode",
  "block.copyCommand",
  "block.copyOutput",
  "block.edit",
  "thinking.toggle",
  "plan.toggle",
  "plan.next",
  "plan.previous",
  "plan.edit",
  "plan.nextFile",
  "plan.previousFile",
  "plan.close",
  "tasks.stop",
  "tree.fork",
  "tree.filter",
  "output.raw",
  "output.pager",
  "output.older",
  "output.newer",
  "changes.revert",
  "changes.revertAll",
  "changes.edit",
  "changes.older",
  "changes.newer",
  "changes.all",
] as const satisfies readonly CommandName[]

const panelOwn = Object.fromEntries(panelNames.map((name) => [name, ofPanel(name)])) as Record<
  (typeof panelNames)[number],
  Command
>

export const panelCommands = {
  ...panelOwn,
  "panel.next": step(1),
  "panel.previous": step(-1),
  "panel.zoom": zoom,
  "panel.hide": hide,
  "panel.grow": resize(sizeStep),
  "panel.shrink": resize(-sizeStep),
  "panel.move": move,
  "panel.focusChat": {
    run(stage) {
      const id = stage.store.state.place.slots.main[0]
      if (id === undefined) return false
      stage.store.dispatch({ type: "focus", focus: { area: "panel", id } })
      return true
    },
  },
  "panel.toggleTool": toggle("tool"),
  "panel.togglePlan": toggle("plan"),
  "panel.toggleChanges": toggle("changes"),
  "panel.toggleTree": toggle("tree"),
  "panel.toggleTasks": toggle("tasks"),
  "layout.save": save,
  "copy.open": openCopy,
} as const satisfies Partial<Record<CommandName, Command>>
