/** The tools that a conversation's model is offered: a list that is ticked, or names as they are typed. */
import type { CommandName } from "../../home/command-names.ts"
import type { ToolRecord } from "../../protocol/port.ts"
import { agentOf } from "../../protocol/view.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

const id = "tools"

function onNow({ store }: Stage): readonly string[] {
  return agentOf(store.state.view, store.state.conversation)?.tools ?? []
}

async function configure(stage: Stage, tools: readonly string[]): Promise<void> {
  const { conversation } = stage.store.state
  await stage.link.request({ type: "configure", conversation, tools })
  const now = tools.length === 0 ? "No tool is on now" : `On are now: ${tools.join(", ")}`
  stage.say("info", now)
}

/** Opens the list at a row; Enter turns that tool on or off, and the list stays. */
function openList(stage: Stage, all: readonly ToolRecord[], on: readonly string[], at: string): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id,
      title: "Tools",
      items: all.map(({ name, description }) => ({
        key: name,
        label: `${on.includes(name) ? "☑" : "☐"} ${name}`,
        detail: description.split("\n")[0] ?? "",
      })),
      at,
      chosen({ key }) {
        const next = all.map(({ name }) => name).filter((name) => on.includes(name) !== (name === key))
        attempt(
          stage,
          configure(stage, next).then(() => openList(stage, all, next, key)),
        )
      },
    },
  })
}

const select: Command = {
  off: (stage) => (stage.store.state.view.session === "" ? "the host is not there yet" : null),
  run(stage, args) {
    const named = typeof args.name === "string" ? args.name.split(/[\s,]+/).filter(Boolean) : []
    if (named.length > 0) attempt(stage, configure(stage, named))
    else
      attempt(
        stage,
        stage.link.request({ type: "tools" }).then((all) => openList(stage, all, onNow(stage), "")),
      )
    return true
  },
}

export const toolCommands = { "tools.select": select } as const satisfies Partial<Record<CommandName, Command>>
