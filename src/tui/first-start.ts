/** The very first start, when no model can be asked yet: a key, a local server that was found, or the tour that needs neither. */
import type { Item } from "./dialogs/dialog.ts"
import type { Store } from "./dispatch.ts"
import type { FirstStartAnswer, Outcome, ScreenOptions } from "./options.ts"
import type { Level } from "./state.ts"

export type FirstStartStage = {
  readonly options: ScreenOptions
  readonly store: Store
  say(level: Level, text: string): void
  /** A model can be asked now: what the host knows of models is another. */
  ready(): void
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

/** Asks, and asks again where an answer could not be put into effect. Put away, nothing is changed. */
export function askFirstStart(stage: FirstStartStage): void {
  const given = stage.options.firstStart
  if (given === undefined) return
  const settle = (work: Promise<Outcome>): void => {
    const told = work.then((outcome) => {
      stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)
      if (outcome.ok) stage.ready()
      else askFirstStart(stage)
    })
    told.catch((error: unknown) => stage.say("error", error instanceof Error ? error.message : String(error)))
  }
  const take = (answer: FirstStartAnswer): void => settle(given.answer(answer))
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "first",
      title: "Which model shall work for you?",
      items: items(given),
      cancelled: () => given.dismissed?.(),
      chosen({ key, label }) {
        const [kind = "", ...rest] = key.split(" ")
        const name = rest.join(" ")
        if (kind === "tour") take({ kind: "tour" })
        else if (kind === "local") take({ kind: "local", model: name })
        else askKey(stage, label, (typed) => take({ kind: "key", provider: name, key: typed }))
      },
    },
  })
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
