/** The very first start, when no model can be asked yet: a key, a local server that was found, or the tour that needs neither. */
import type { Item } from "./dialogs/dialog.ts"
import type { Store } from "./dispatch.ts"
import type { FirstStartAnswer, ScreenOptions } from "./options.ts"
import type { Level } from "./state.ts"

export type FirstStartStage = {
  readonly options: ScreenOptions
  readonly store: Store
  say(level: Level, text: string): void
}

function items(given: NonNullable<ScreenOptions["firstStart"]>): readonly Item[] {
  return [
    { key: "tour", label: "Take the tour", detail: "a scripted model: no key, no network" },
    ...given.offer.local.map(({ model, label }) => ({ key: `local ${model}`, label: `Use ${label}`, detail: model })),
    ...given.offer.providers.map(({ id, label, ready }) => ({
      key: `key ${id}`,
      label: `Use ${label}`,
      detail: ready ? "a key is there" : "with an API key",
    })),
  ]
}

/** Puts an answer into effect, and asks again where it could not be. */
export function takeFirst(stage: FirstStartStage, answer: FirstStartAnswer): void {
  const { options, store, say } = stage
  const told = options.firstStart?.answer(answer).then((outcome) => {
    say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)
    if (outcome.ok) store.dispatch({ type: "noModel", standing: null })
    else askFirstStart(stage)
  })
  told?.catch((error: unknown) => say("error", error instanceof Error ? error.message : String(error)))
}

/** Asks. Put away, nothing is changed, and how to go on stays on the screen. */
export function askFirstStart(stage: FirstStartStage): void {
  const given = stage.options.firstStart
  if (given === undefined) return
  stage.store.dispatch({ type: "noModel", standing: "asked" })
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "first",
      title: "Which model shall work for you?",
      items: items(given),
      cancelled: () => stage.store.dispatch({ type: "noModel", standing: "put away" }),
      chosen({ key, label }) {
        const [kind = "", ...rest] = key.split(" ")
        const name = rest.join(" ")
        if (kind === "tour") takeFirst(stage, { kind: "tour" })
        else if (kind === "local") takeFirst(stage, { kind: "local", model: name })
        else askKey(stage, label, (typed) => takeFirst(stage, { kind: "key", provider: name, key: typed }))
      },
    },
  })
}

/** Asks again what was put away, unless a model can be asked by now. False where nothing was put away. */
export function askAgain(stage: FirstStartStage): boolean {
  const { options, store } = stage
  if (store.state.noModel !== "put away") return false
  if (options.firstStart?.settled() === true) store.dispatch({ type: "noModel", standing: null })
  else askFirstStart(stage)
  return true
}

function askKey(stage: FirstStartStage, label: string, typed: (key: string) => void): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "input",
      id: "first.key",
      title: label,
      text: "The API key; it is not shown and goes into auth.json:",
      masked: true,
      submitted(key) {
        if (key.trim() === "") askFirstStart(stage)
        else typed(key.trim())
      },
      cancelled: () => askFirstStart(stage),
    },
  })
}
