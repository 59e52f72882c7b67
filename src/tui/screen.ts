/**
 * The full screen, from its start to its end. Read `state.ts` first; then `app.ts`, which puts it together.
 *
 * - The first frame and the first key need no host: the line to it is opened behind them.
 * - The terminal is given back before the promise of `ended` settles, whatever the reason.
 */
import { CliRenderEvents, type CliRenderer } from "@opentui/core"
import { assert } from "../std/assert.ts"
import { cleanLine } from "../std/clean.ts"
import { giveBack } from "../std/give-back.ts"
import { isModal, listenToKeys, makeApp, type App } from "./app.ts"
import { send } from "./commands/prompt.ts"
import { followSettings } from "./commands/settings.ts"
import { attempt } from "./commands/stage.ts"
import { takeConsole } from "./console.ts"
import { signColumns } from "./draw.ts"
import { askFirstStart } from "./first-start.ts"
import { Keeper } from "./keeper.ts"
import { sentence } from "./link.ts"
import type { ScreenEnd, ScreenOptions, WorkChoice } from "./options.ts"
import { Restorer } from "./restorer.ts"
import { folderOf } from "./state.ts"
import { isBusy } from "./status/activity.ts"
import { branchOf } from "./status/branch.ts"
import { askTrust } from "./trust.ts"
import { Ticker } from "./ticker.ts"
import { openRenderer, signalStatus, Terminal, type EndingSignal } from "./terminal.ts"
import { Outer } from "./outer.ts"

/** A host that does not answer does not keep a person from leaving. */
const leaveMsMax = 500

/** A start is over by then, and what only it needed goes back to the system. */
const startedMs = 1_500

/** A terminal that has said nothing by then says nothing. */
const colorsMs = 1_000

export type Screen = {
  readonly app: App
  readonly ended: Promise<ScreenEnd>
}

type Parts = { readonly app: App; readonly keeper: Keeper; readonly undo: (() => void)[] }

/** Runs the screen on the terminal of this process, or on `options.renderer`, until it ends. */
export async function startScreen(options: ScreenOptions): Promise<ScreenEnd> {
  const screen = await openScreen(options)
  return screen.ended
}

export async function openScreen(options: ScreenOptions): Promise<Screen> {
  const { renderer, typed } =
    options.renderer === undefined
      ? await openRenderer({ mouse: options.settings.mouse, terminal: options.terminal })
      : { renderer: options.renderer, typed: () => "" }
  const { promise, resolve } = Promise.withResolvers<ScreenEnd>()
  let parts: Parts | null = null
  let ending = false
  const end = (reason: ScreenEnd["reason"], work: WorkChoice, more: { code?: number; message?: string } = {}): void => {
    assert(parts !== null, "the screen ended before it began")
    if (ending) return
    ending = true
    void finish(parts, options, work).then(({ view }) => {
      const session = view.entries.length > 0 || view.submissions.size > 0 ? view.session : null
      resolve({ reason, code: more.code ?? 0, session, work, message: more.message ?? null, view })
    })
  }
  const terminal = new Terminal(renderer, options, {
    signal: (name: EndingSignal) => end("signal", "leave", { code: signalStatus(name) }),
    crashed: (error) => end("crash", "leave", { code: 1, message: sentence(error) }),
    gone: () => end("terminal lost", "leave", { code: signalStatus("SIGHUP") }),
  })
  parts = build(renderer, options, terminal, end)
  const early = typed()
  if (early !== "") renderer.stdin.emit("data", Buffer.from(early))
  return { app: parts.app, ended: promise }
}

function build(
  renderer: CliRenderer,
  options: ScreenOptions,
  terminal: Terminal,
  end: (reason: ScreenEnd["reason"], work: WorkChoice) => void,
): Parts {
  const restorer = new Restorer(options)
  let touch = (): void => {}
  const app = makeApp(renderer, options, {
    terminal,
    end,
    opened: (made) => onOpened(made, restorer),
    moved: () => touch(),
  })
  const { store, editor, looks, drawing } = app
  const keeper = new Keeper({
    store,
    link: app.link,
    drafts: options.drafts,
    clock: options.clock,
    client: options.client,
    draft: () => editor.draft(store.state.view.session || null, options.clock.now()),
    places: () => app.slots.places(),
    queries: () => app.search.history.queries,
    failed: (error) => app.say("warning", `What you type cannot be kept on disk: ${sentence(error)}`),
  })
  touch = () => keeper.touch()
  editor.modal(isModal(looks.keymap))
  store.drawWith((state, content) => drawing.draw(state, content))
  if (restorer.start(app)) keeper.fromFile()
  const ticker = new Ticker(store, options)
  const outer = new Outer(app)
  const undo = [
    listenToKeys(app),
    listenToRenderer(app),
    store.listen((after, before, event) => {
      ticker.look(after)
      // What ran, or who was away from the terminal, may have changed the branch.
      if ((isBusy(before) && !isBusy(after)) || (after.watched && !before.watched)) refreshBranch(app)
      outer.look(after, before)
      if (event.type === "editor" || event.type === "sending" || event.type === "sent") keeper.touch()
      if (after.place !== before.place || after.conversation !== before.conversation) keeper.touch()
    }),
    () => ticker.close(),
    options.process === undefined ? () => {} : options.clock.after(startedMs, giveBack),
    followSettings(app),
    options.process === undefined ? () => {} : takeConsole(console, (text) => app.say("warning", cleanLine(text))),
  ]
  begin(app)
  return { app, keeper, undo }
}

/** What happens once at the start, in the order in which it is seen. */
function begin(app: App): void {
  const { options, store, link } = app
  store.redraw()
  app.refocus()
  if (options.notices.length > 0) app.say("warning", options.notices.join("\n"))
  askFirstStart(app)
  store.listen((state, before) => {
    if (before.noModel !== null && state.noModel === null) refreshModels(app)
  })
  if (options.trust !== undefined) {
    const { question, answer } = options.trust
    askTrust({ store, home: options.home, atStart: true, say: app.say }, question, answer)
  }
  if (options.choose === true) app.run("session.select")
  if (options.prompt !== undefined) attempt(app, send(app, options.prompt, "steer"))
  link.start()
  refreshBranch(app)
  void askColors(app)
}

/** The terminal's own colours, whenever it tells them. Multiplexers answer late or in pieces, so they are not asked. */
async function askColors(app: App): Promise<void> {
  const { options, renderer, looks } = app
  if (options.process === undefined || options.terminal.multiplexer !== "none") return
  try {
    looks.terminalColors(await renderer.getPalette({ size: 16, timeout: colorsMs }))
  } catch {
    // A terminal that says nothing, or a screen that ended meanwhile: the colours stay as they are.
    return
  }
}

function refreshBranch(app: App): void {
  const work = branchOf(folderOf(app.store.state, app.options.folder)).then((name) =>
    app.store.dispatch({ type: "branch", name: name === null ? null : cleanLine(name) }),
  )
  attempt(app, work)
}

/** What is asked of a host that is not there yet is asked when it is. */
function refreshModels(app: App): void {
  if (app.store.state.link.status !== "open") return
  const work = app.link.request({ type: "models" }).then((models) => app.store.dispatch({ type: "models", models }))
  attempt(app, work)
}

function onOpened(app: App, restorer: Restorer): void {
  restorer.opened(app)
  refreshModels(app)
  refreshBranch(app)
}

/** What a terminal says when it turns dark or light, where it was asked to (mode 2031). */
const appearanceReports: Readonly<Record<string, "dark" | "light" | undefined>> = {
  "\x1b[?997;1n": "dark",
  "\x1b[?997;2n": "light",
}

/** Sizes, colours and the focus of the terminal. */
function listenToRenderer(app: App): () => void {
  const { renderer, store, looks, editor } = app
  const resized = (columns: number, rows: number): void => {
    store.dispatch({ type: "resized", columns, rows })
    store.dispatch({ type: "editor", facts: editor.facts(Math.max(1, columns - signColumns)) })
    store.redraw()
  }
  const mode = (name: "dark" | "light"): void => looks.appearance(name)
  // The library takes this for a hint to ask for the background, which not all that say it answer.
  const turned = (sequence: string): boolean => {
    const name = appearanceReports[sequence]
    if (name === undefined) return false
    mode(name)
    void askColors(app)
    return false
  }
  const again = (): void => store.redraw()
  const broken = ({ error }: { readonly error: Error }): void => {
    const text = `Something could not be drawn: ${sentence(error)}`
    if (store.state.toast?.text !== text) app.say("error", text)
  }
  const clicked = ({ error }: { readonly error: unknown }): void =>
    app.say("error", `A click failed, which is a bug: ${sentence(error)}`)
  const front = (): void => store.dispatch({ type: "watched", on: true })
  const away = (): void => store.dispatch({ type: "watched", on: false })
  renderer.prependInputHandler(turned)
  renderer.on(CliRenderEvents.RESIZE, resized)
  renderer.on(CliRenderEvents.THEME_MODE, mode)
  renderer.on(CliRenderEvents.CAPABILITIES, again)
  renderer.on(CliRenderEvents.RENDER_ERROR, broken)
  renderer.on(CliRenderEvents.HANDLER_ERROR, clicked)
  renderer.on(CliRenderEvents.FOCUS, front)
  renderer.on(CliRenderEvents.BLUR, away)
  return () => {
    renderer.removeInputHandler(turned)
    renderer.off(CliRenderEvents.RESIZE, resized)
    renderer.off(CliRenderEvents.THEME_MODE, mode)
    renderer.off(CliRenderEvents.CAPABILITIES, again)
    renderer.off(CliRenderEvents.RENDER_ERROR, broken)
    renderer.off(CliRenderEvents.HANDLER_ERROR, clicked)
    renderer.off(CliRenderEvents.FOCUS, front)
    renderer.off(CliRenderEvents.BLUR, away)
  }
}

/** Everything is let go of, the terminal last; what the host does not answer in time is left to it. */
async function finish(
  { app, keeper, undo }: Parts,
  options: ScreenOptions,
  work: WorkChoice,
): Promise<{ readonly view: ScreenEnd["view"] }> {
  const { view } = app.store.state
  const late = Promise.withResolvers<void>()
  const letGo = async (): Promise<void> => {
    await keeper.save()
    await options.leaving?.(work)
    await app.link.close()
  }
  const cancel = options.clock.after(leaveMsMax, late.resolve)
  await Promise.race([letGo(), late.promise])
  for (const stop of undo) stop()
  keeper.close()
  app.keys.close()
  app.looks.close()
  app.store.close()
  app.slots.close()
  await Promise.race([app.highlighter.close(), late.promise])
  cancel()
  await app.terminal.close()
  return { view }
}
