/** The very first start, when no model can be asked yet: a key, a local server that was found, or the tour that needs neither. */
import type { Item } from "./dialogs/dialog.ts"
import type { Store } from "./dispatch.ts"
import { getInto } from "./login-flow.ts"
import type { FirstStartAnswer, LoginWay, ProviderChoice, ScreenOptions } from "./options.ts"
import type { Level } from "./state.ts"

export type FirstStartStage = {
  readonly options: ScreenOptions
  readonly store: Store
  say(level: Level, text: string): void
}

function detailOf(login: LoginWay | undefined): string {
  if (login === undefined) return "with an API key"
  const how = login.kind === "code" ? "with a code" : "with a browser"
  return login.key ? `${how}, or an API key` : how
}

function items(given: NonNullable<ScreenOptions["firstStart"]>): readonly Item[] {
  return [
    { key: "tour", label: "Take the tour", detail: "a scripted model: no key, no network" },
    ...given.offer.local.map(({ model, label }) => ({ key: `local ${model}`, label: `Use ${label}`, detail: model })),
    ...given.offer.providers.map(({ id, label, ready, login }) => ({
      key: `key ${id}`,
      label: `Use ${label}`,
      detail: ready ? "a key is there" : detailOf(login),
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
        else enter(stage, given.offer.providers.find(({ id }) => id === name) ?? { id: name, label, ready: false })
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

function enter(stage: FirstStartStage, provider: ProviderChoice): void {
  getInto(stage, provider, {
    key: (key) => takeFirst(stage, { kind: "key", provider: provider.id, key }),
    done(outcome) {
      if (outcome.ok) return takeFirst(stage, { kind: "login", provider: provider.id })
      stage.say("error", outcome.reason)
      askFirstStart(stage)
    },
    away: () => askFirstStart(stage),
  })
}
