/** Settings as a list: found by typing, each with its help, its value and where that comes from; changed here, written to the config file. */
import type { CommandName } from "../../home/command-names.ts"
import type { Item } from "../dialogs/dialog.ts"
import type { Outcome, SettingRow } from "../options.ts"
import { askTrust } from "../trust.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

function itemOf({ name, value, from }: SettingRow): Item {
  return { key: name, label: name, detail: value, right: from }
}

function rows(stage: Stage): readonly SettingRow[] {
  return stage.options.outside.settings?.() ?? []
}

/** What a setting changes of the screen that is open; the host takes the rest up when it is told to read again. */
function apply(stage: Stage, name: string): void {
  const { settings } = stage.options
  if (name === "theme") stage.looks.choose(settings.theme)
  if (name === "keymap") stage.looks.chooseKeymap(settings.keymap)
  if (name === "mouse" && settings.mouse !== stage.store.state.mouse) stage.run("mouse.toggle")
}

async function saved(stage: Stage, name: string, work: Promise<Outcome>): Promise<void> {
  const outcome = await work
  stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)
  if (!outcome.ok) return
  apply(stage, name)
  if (stage.store.state.link.status === "open") await stage.link.request({ type: "reload" })
}

/** Writes a value; the list is there again afterwards, at the same row. */
function save(stage: Stage, name: string, value: string): void {
  const work = stage.options.outside.setSetting?.(name, value)
  if (work === undefined) return
  attempt(
    stage,
    saved(stage, name, work).finally(() => open(stage, name)),
  )
}

function choose(stage: Stage, row: SettingRow, choices: readonly string[]): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "settings.choice",
      title: row.name,
      items: choices.map((choice) => ({ key: choice, label: choice })),
      at: row.value,
      chosen: ({ key }) => save(stage, row.name, key),
      cancelled: () => open(stage, row.name),
    },
  })
}

function write(stage: Stage, row: SettingRow, text: string): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "input",
      id: "settings.value",
      title: row.name,
      text: row.help,
      masked: false,
      initial: text,
      submitted: (typed) => save(stage, row.name, typed),
      cancelled: () => open(stage, row.name),
    },
  })
}

function change(stage: Stage, row: SettingRow): void {
  switch (row.edit.kind) {
    case "choice":
      return choose(stage, row, row.edit.choices)
    case "flag":
      return save(stage, row.name, String(!row.edit.on))
    case "text":
      return write(stage, row, row.edit.text)
    case "fixed":
      stage.say("info", `${row.name} cannot be changed here: ${row.edit.reason}`)
      return open(stage, row.name)
  }
}

function open(stage: Stage, at?: string): void {
  const all = rows(stage)
  const rowOf = (item: Item): SettingRow | undefined => all.find(({ name }) => name === item.key)
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "settings",
      title: "Settings",
      items: all.map(itemOf),
      preview: "",
      ...(at === undefined ? {} : { at }),
      actions: [
        {
          command: "dialog.delete",
          label: "as it is built in",
          run(item) {
            stage.store.dispatch({ type: "dialog.close", id: "settings" })
            save(stage, item.key, "")
          },
        },
      ],
      moved: (item) => stage.store.dispatch({ type: "dialog.preview", id: "settings", text: rowOf(item)?.help ?? "" }),
      chosen(item) {
        const row = rowOf(item)
        if (row !== undefined) change(stage, row)
      },
    },
  })
}

const settings: Command = {
  off: (stage) => (stage.options.outside.settings === undefined ? "settings are not shown here" : null),
  run(stage, args) {
    if (stage.options.outside.settings === undefined) return false
    open(stage, typeof args.name === "string" ? args.name : undefined)
    return true
  },
}

async function readAgain(stage: Stage): Promise<void> {
  const { outside } = stage.options
  stage.looks.reload()
  const outcome = (await outside.reload?.()) ?? { ok: true as const, text: "Keymaps and themes were read again" }
  const host = stage.store.state.link.status === "open" ? await stage.link.request({ type: "reload" }) : { notices: [] }
  const problems = [...(outcome.ok ? [] : [outcome.reason]), ...host.notices]
  if (problems.length === 0) stage.say("info", outcome.ok ? outcome.text : "")
  else stage.say("warning", [...new Set(problems.flatMap((text) => text.split("\n")))].join("\n"))
}

/** Follows the files of settings while the screen is open. The returned function ends it. */
export function followSettings(stage: Stage): () => void {
  const looksNow = (): readonly (readonly [string, string])[] => {
    const { theme, keymap, mouse } = stage.options.settings
    return Object.entries({ theme, keymap, mouse: String(mouse) })
  }
  let seen = new Map(looksNow())
  const changed = (): void => {
    const now = looksNow()
    for (const [name, value] of now) if (seen.get(name) !== value) apply(stage, name)
    seen = new Map(now)
    attempt(stage, readAgain(stage))
  }
  return stage.options.outside.watchSettings?.(changed) ?? (() => {})
}

const reload: Command = {
  run(stage) {
    attempt(stage, readAgain(stage))
    return true
  },
}

const trust: Command = {
  off: (stage) => (stage.options.outside.trust === undefined ? "trust is not decided from here" : null),
  run(stage) {
    const door = stage.options.outside.trust
    if (door === undefined) return false
    const { store, options, say } = stage
    attempt(
      stage,
      door.look().then((question) =>
        askTrust({ store, home: options.home, atStart: false, say }, question, async (answer) => {
          const outcome = await door.decide(answer)
          if (answer !== "later" && store.state.link.status === "open") await stage.link.request({ type: "reload" })
          return outcome
        }),
      ),
    )
    return true
  },
}

export const settingsCommands = {
  "app.settings": settings,
  "app.reload": reload,
  "app.trust": trust,
} as const satisfies Partial<Record<CommandName, Command>>
