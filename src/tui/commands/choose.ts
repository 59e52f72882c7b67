/** Commands that choose: model, thinking, theme, keymap. Each opens a list, or takes what it was given. */
import type { CommandName } from "../../home/command-names.ts"
import { thinkingLevels, type ThinkingLevel } from "../../message/message.ts"
import type { ModelRecord } from "../../protocol/port.ts"
import { agentOf } from "../../protocol/view.ts"
import { money, shortCount } from "../status/numbers.ts"
import type { Item } from "../dialogs/dialog.ts"
import { askAgain } from "../first-start.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

function configure(stage: Stage, change: { readonly model?: string; readonly thinking?: ThinkingLevel }): void {
  const { conversation } = stage.store.state
  const work = stage.link.request({ type: "configure", conversation, ...change })
  attempt(
    stage,
    work.then(({ notice }) => {
      if (notice !== undefined) stage.say("warning", notice)
    }),
  )
}

function save(stage: Stage, path: string, value: string): void {
  const work = stage.options.outside.saveSetting?.(path, value)
  if (work === undefined) return
  attempt(
    stage,
    work.then((outcome) => stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)),
  )
}

export function modelItem(model: ModelRecord): Item {
  const window = model.contextWindow === null ? [] : [`${shortCount(model.contextWindow)} tokens`]
  const whole = model.edits === "whole" ? ["writes whole files"] : []
  const price = model.price === null ? [] : [`${money(model.price.input)} / ${money(model.price.output)}`]
  return {
    key: model.name,
    label: model.label,
    detail: model.name,
    group: model.name.slice(0, Math.max(0, model.name.indexOf("/"))) || "others",
    right: [...window, ...price, ...whole].join(" · "),
    ...(model.ready ? {} : { off: "no key: /login" }),
  }
}

async function models(stage: Stage): Promise<readonly ModelRecord[]> {
  const found = await stage.link.request({ type: "models" })
  stage.store.dispatch({ type: "models", models: found })
  return found
}

/** Those that can be asked stand first. */
function ready(found: readonly ModelRecord[]): readonly ModelRecord[] {
  return [...found.filter((model) => model.ready), ...found.filter((model) => !model.ready)]
}

function openModels(stage: Stage, filter: string): void {
  const at = agentOf(stage.store.state.view, stage.store.state.conversation)?.model
  const known = stage.store.state.models
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "models",
      title: "Model",
      items: known.length === 0 ? null : ready(known).map(modelItem),
      filter,
      ...(at === undefined ? {} : { at }),
      empty: "no model is known: /login stores a key, config.json names a local server",
      actions: [
        {
          command: "dialog.save",
          label: "make it the default",
          run(item) {
            configure(stage, { model: item.key })
            save(stage, "model", item.key)
            stage.store.dispatch({ type: "dialog.close", id: "models" })
          },
        },
      ],
      chosen: (item) => configure(stage, { model: item.key }),
    },
  })
  attempt(
    stage,
    models(stage).then((found) =>
      stage.store.dispatch({ type: "dialog.items", id: "models", items: ready(found).map(modelItem) }),
    ),
  )
}

const selectModel: Command = {
  run(stage, args) {
    if (askAgain(stage)) return true
    const asked = typeof args.name === "string" ? args.name : ""
    const exact = stage.store.state.models.find((model) => model.name === asked)
    if (exact !== undefined) configure(stage, { model: exact.name })
    else openModels(stage, asked)
    return true
  },
}

/** True when `pattern`, with `*` for anything, is the model's name or the part after its provider. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.split("*").map(RegExp.escape).join(".*")
  const whole = new RegExp(`^${source}$`, "i")
  return whole.test(name) || whole.test(name.slice(name.indexOf("/") + 1))
}

/** The models that a key goes through: those of the setting, in its order, else all that can be asked. */
export function cycleOf(found: readonly ModelRecord[], enabled: readonly string[]): readonly ModelRecord[] {
  const able = found.filter((model) => model.ready)
  if (enabled.length === 0) return able
  return [...new Set(enabled.flatMap((pattern) => able.filter(({ name }) => matches(pattern, name))))]
}

async function cycleModel(stage: Stage, by: 1 | -1): Promise<void> {
  const known = stage.store.state.models
  const cycle = cycleOf(known.length === 0 ? await models(stage) : known, stage.options.settings.enabledModels)
  const now = agentOf(stage.store.state.view, stage.store.state.conversation)?.model
  const at = cycle.findIndex((model) => model.name === now)
  const next = cycle[(at + by + cycle.length) % Math.max(1, cycle.length)]
  if (next === undefined || next.name === now) return stage.say("info", "There is no other model to go to")
  configure(stage, { model: next.name })
}

/** The levels that the present model takes; all of them where it is not known. */
function levels(stage: Stage): readonly ThinkingLevel[] {
  const { state } = stage.store
  const name = agentOf(state.view, state.conversation)?.model
  const model = state.models.find((other) => other.name === name)
  return model === undefined ? thinkingLevels : model.thinking
}

const noThinking = "this model does not reason"

const cycleThinking: Command = {
  off: (stage) => (levels(stage).length === 0 ? noThinking : null),
  run(stage) {
    const all = levels(stage)
    if (all.length === 0) {
      stage.say("info", `Nothing to choose: ${noThinking}`)
      return true
    }
    const now = agentOf(stage.store.state.view, stage.store.state.conversation)?.thinking
    const at = all.findIndex((level) => level === now)
    const next = all[(at + 1) % all.length]
    if (next !== undefined) configure(stage, { thinking: next })
    return true
  },
}

const selectThinking: Command = {
  off: (stage) => (levels(stage).length === 0 ? noThinking : null),
  run(stage, args) {
    const all = levels(stage)
    const asked = all.find((level) => level === args.name)
    if (asked !== undefined) {
      configure(stage, { thinking: asked })
      return true
    }
    const at = agentOf(stage.store.state.view, stage.store.state.conversation)?.thinking
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id: "thinking",
        title: "Thinking",
        items: all.map((level) => ({ key: level, label: level })),
        empty: noThinking,
        ...(at === undefined ? {} : { at }),
        chosen: ({ key }) => {
          const level = all.find((other) => other === key)
          if (level !== undefined) configure(stage, { thinking: level })
        },
      },
    })
    return true
  },
}

const selectTheme: Command = {
  run(stage, args) {
    const { looks } = stage
    if (typeof args.name === "string" && looks.choose(args.name)) {
      save(stage, "theme", args.name)
      return true
    }
    const before = looks.themeName
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id: "themes",
        title: "Theme",
        items: looks.themeNames().map((name) => ({ key: name, label: name })),
        at: before,
        moved: ({ key }) => void looks.choose(key),
        cancelled: () => void looks.choose(before),
        chosen({ key }) {
          looks.choose(key)
          save(stage, "theme", key)
        },
      },
    })
    return true
  },
}

const selectKeymap: Command = {
  run(stage, args) {
    const take = (name: string): boolean => {
      if (!stage.looks.chooseKeymap(name)) return false
      save(stage, "keymap", name)
      return true
    }
    if (typeof args.name === "string" && take(args.name)) return true
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id: "keymaps",
        title: "Keymap",
        items: stage.looks.keymapNames().map((name) => ({ key: name, label: name })),
        at: stage.store.state.keymap,
        chosen: ({ key }) => void take(key),
      },
    })
    return true
  },
}

export const chooseCommands = {
  "model.select": selectModel,
  "model.cycle": {
    run(stage, args) {
      attempt(stage, cycleModel(stage, args.back === true ? -1 : 1))
      return true
    },
  },
  "thinking.cycle": cycleThinking,
  "thinking.select": selectThinking,
  "theme.select": selectTheme,
  "keymap.select": selectKeymap,
} as const satisfies Partial<Record<CommandName, Command>>
