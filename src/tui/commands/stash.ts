/** Putting drafts aside, and taking them back: the one that there is, or one of a list. */
import type { CommandName } from "../../home/command-names.ts"
import type { Item } from "../dialogs/dialog.ts"
import { ago } from "../status/numbers.ts"
import type { Command, Stage } from "./stage.ts"

/** Puts what is in the editor aside. False where it is empty. */
export function putAside({ editor, stash, options }: Pick<Stage, "editor" | "stash" | "options">): boolean {
  const draft = editor.draft(null, options.clock.now())
  if (draft === null) return false
  stash.put(draft)
  editor.put("")
  return true
}

function takeBack({ editor, stash }: Stage, place: number): boolean {
  const draft = stash.take(place)
  if (draft === null) return false
  editor.restore(draft)
  return true
}

function items({ stash, options }: Stage): readonly Item[] {
  const now = options.clock.now()
  return stash.drafts.map(({ text, savedAt }, place) => ({
    key: String(place),
    label: text.replace(/\s+/g, " ").trim(),
    right: ago(now - savedAt),
  }))
}

function choose(stage: Stage): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "stash",
      title: "Drafts that were put aside",
      items: items(stage),
      actions: [
        {
          command: "dialog.delete",
          label: "delete",
          run({ key }) {
            stage.stash.take(Number(key))
            stage.store.dispatch({ type: "dialog.items", id: "stash", items: items(stage) })
          },
        },
      ],
      preview: "",
      moved: ({ key }) =>
        stage.store.dispatch({
          type: "dialog.preview",
          id: "stash",
          text: stage.stash.drafts[Number(key)]?.text ?? "",
        }),
      chosen: ({ key }) => void takeBack(stage, Number(key)),
    },
  })
}

const stash: Command = {
  off: ({ editor, stash: { drafts } }) =>
    editor.edit.text === "" && drafts.length === 0 ? "the editor is empty and nothing was put aside" : null,
  run(stage) {
    if (putAside(stage)) return true
    const { drafts } = stage.stash
    if (drafts.length > 1) choose(stage)
    return drafts.length > 1 || takeBack(stage, 0)
  },
}

export const stashCommands = { "prompt.stash": stash } as const satisfies Partial<Record<CommandName, Command>>
