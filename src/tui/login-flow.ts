/**
 * Getting into a provider from the screen: a key that is typed unseen, or a login with a browser or with a code, where the provider takes one.
 *
 * - A login goes on while its dialog stands: putting that away stops it. What came of it is one sentence.
 */
import type { LoginWay, Outcome, ProviderChoice, ScreenOptions } from "./options.ts"
import type { Store } from "./dispatch.ts"
import { sentence } from "./link.ts"
import type { Level } from "./state.ts"

export type LoginStage = {
  readonly options: Pick<ScreenOptions, "outside">
  readonly store: Pick<Store, "dispatch">
  say(level: Level, text: string): void
}

/** `key`: what was typed. `done`: the login has ended, and is stored where that went well. `away`: nothing was given. */
export type LoginEnd = {
  key(key: string): void
  done(outcome: Outcome): void
  away(): void
}

const dialogId = "login.going"

function askKey({ store }: LoginStage, { label }: ProviderChoice, end: LoginEnd): void {
  store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "input",
      id: "key",
      title: label,
      text: "The API key; it is not shown and goes into auth.json:",
      masked: true,
      submitted: (key) => (key.trim() === "" ? end.away() : end.key(key.trim())),
      cancelled: () => end.away(),
    },
  })
}

type Step = { readonly url: string; readonly code?: string }

/** The dialog of a login that goes on. A pasted address may stand for the browser, where that is on another machine. */
function showStep(
  { store }: LoginStage,
  { label }: ProviderChoice,
  { notice }: LoginWay,
  { url, code }: Step,
  on: { pasted(text: string): void; stop(): void },
): void {
  const before = notice === undefined ? "" : `${notice}\n\n`
  const where = `${before}Open ${url}`
  if (code === undefined) {
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: dialogId,
        title: label,
        text: `${where}\n\nIf the browser is on another machine, paste the address that it ends at:`,
        masked: false,
        submitted: (text) => on.pasted(text),
        cancelled: () => on.stop(),
      },
    })
    return
  }
  store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "confirm",
      id: dialogId,
      title: label,
      text: `${where}\nand type ${code} there.`,
      choices: [{ letter: "s", label: "stop", run: () => on.stop() }],
      cancelled: () => on.stop(),
    },
  })
}

function logIn(stage: LoginStage, provider: ProviderChoice, way: LoginWay, end: LoginEnd): void {
  const controller = new AbortController()
  const pasted = Promise.withResolvers<string>()
  const going = stage.options.outside.logIn?.(provider.id, {
    signal: controller.signal,
    pasted: pasted.promise,
    show: (step) =>
      showStep(stage, provider, way, step, {
        pasted: (text) => pasted.resolve(text),
        stop: () => controller.abort(),
      }),
  })
  if (going === undefined) return end.done({ ok: false, reason: `Leave, and run: cairn login ${provider.id}` })
  stage.say("info", `Logging in at ${provider.label} …`)
  going
    .catch((error: unknown): Outcome => ({ ok: false, reason: sentence(error) }))
    .then((outcome) => {
      stage.store.dispatch({ type: "dialog.close", id: dialogId })
      end.done(outcome)
    })
    .catch((error: unknown) => stage.say("error", sentence(error)))
}

/** Asks for whatever `provider` takes. */
export function getInto(stage: LoginStage, provider: ProviderChoice, end: LoginEnd): void {
  const { login: way } = provider
  if (way === undefined) return askKey(stage, provider, end)
  if (!way.key) return logIn(stage, provider, way, end)
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "list",
      id: "login.how",
      title: provider.label,
      items: [
        { key: "login", label: way.kind === "code" ? "Log in with a code" : "Log in with a browser" },
        { key: "key", label: "Type an API key" },
      ],
      chosen: ({ key }) => (key === "key" ? askKey(stage, provider, end) : logIn(stage, provider, way, end)),
      cancelled: () => end.away(),
    },
  })
}
