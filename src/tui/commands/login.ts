/** Keys and logins of providers: storing one, and forgetting one. */
import type { CommandName } from "../../home/command-names.ts"
import { askAgain, takeFirst } from "../first-start.ts"
import { getInto } from "../login-flow.ts"
import type { Outcome, ProviderChoice } from "../options.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

const nowhere = "keys cannot be stored from here; they stand in auth.json"

async function storeKey(stage: Stage, provider: string, key: string): Promise<void> {
  const outcome = await stage.options.outside.saveKey?.(provider, key.trim())
  if (outcome !== undefined) told(stage, outcome)
}

/** What came of it; where there is a key now, other models can be asked. */
function told(stage: Stage, outcome: Outcome): void {
  stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)
  if (outcome.ok) stage.store.dispatch({ type: "models", models: [] })
}

/** Asks for a provider's key, typed unseen, or logs in there. */
function ask(stage: Stage, provider: ProviderChoice): void {
  getInto(stage, provider, {
    key: (key) => attempt(stage, storeKey(stage, provider.id, key)),
    done: (outcome) => told(stage, outcome),
    away: () => {},
  })
}

function choose(
  stage: Stage,
  title: string,
  providers: readonly ProviderChoice[],
  filter: string,
  take: (provider: ProviderChoice) => void,
): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "login",
      title,
      items: providers.map(({ id, label, ready }) => ({
        key: id,
        label,
        detail: id,
        ...(ready ? { right: "has a key" } : {}),
      })),
      filter,
      empty: "no provider has a key",
      chosen({ key }) {
        const provider = providers.find(({ id }) => id === key)
        if (provider !== undefined) take(provider)
      },
    },
  })
}

const nameOf = (args: { readonly name?: unknown }): string => (typeof args.name === "string" ? args.name : "")

const login: Command = {
  off: ({ options }) => (options.outside.providers === undefined ? nowhere : null),
  run(stage, args) {
    if (askAgain(stage)) return true
    const providers = stage.options.outside.providers?.()
    if (providers === undefined) return false
    const exact = providers.find(({ id }) => id === nameOf(args))
    if (exact !== undefined) ask(stage, exact)
    else choose(stage, "Provider", providers, nameOf(args), (provider) => ask(stage, provider))
    return true
  },
}

async function forget(stage: Stage, provider: string): Promise<void> {
  const outcome = await stage.options.outside.removeKey?.(provider)
  if (outcome !== undefined) stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason)
}

const logout: Command = {
  off: ({ options }) => (options.outside.removeKey === undefined ? nowhere : null),
  run(stage, args) {
    const { providers, removeKey } = stage.options.outside
    if (removeKey === undefined) return false
    const forgets = (id: string): void => attempt(stage, forget(stage, id))
    const ready = (providers?.() ?? []).filter((provider) => provider.ready)
    if (nameOf(args) !== "") forgets(nameOf(args))
    else choose(stage, "Forget the key of", ready, "", ({ id }) => forgets(id))
    return true
  },
}

/** Only before a model was chosen: the tour is a session of its own, in a folder of its own. */
const tour: Command = {
  off: ({ store }) => (store.state.noModel === null ? "it begins in a session of its own: cairn tour" : null),
  run(stage) {
    if (stage.store.state.noModel === null) return false
    takeFirst(stage, { kind: "tour" })
    return true
  },
}

export const loginCommands = {
  "app.tour": tour,
  "app.login": login,
  "app.logout": logout,
} as const satisfies Partial<Record<CommandName, Command>>
