/**
 * Puts the screen together: makes the parts, ties keys, state, host and drawing to each other. It decides nothing; commands do.
 */
import type { CliRenderer, KeyEvent, PasteEvent } from "@opentui/core"
import { printKeys } from "../home/chord.ts"
import { keysOf } from "../home/key-match.ts"
import type { Keymap } from "../home/keymap.ts"
import { copiedSentence, copyText } from "./clipboard.ts"
import { callCommand, runCommand } from "./commands/table.ts"
import { giveBack } from "./commands/prompt.ts"
import { slashCommands } from "./commands/slash.ts"
import { attempt, type Stage } from "./commands/stage.ts"
import { DialogStack } from "./dialogs/stack.ts"
import { Store } from "./dispatch.ts"
import { Drawing, signColumns } from "./draw.ts"
import { Completer } from "./editor/completer.ts"
import { Editor } from "./editor/editor.ts"
import { Stash } from "./editor/stash.ts"
import { isLong } from "./editor/paste.ts"
import { contextsOf } from "./contexts.ts"
import { Keys } from "./keys.ts"
import { Link, sentence } from "./link.ts"
import { Looks } from "./looks.ts"
import type { ScreenOptions } from "./options.ts"
import { openHighlighter, panelDeeds, panelMaker } from "./panel-host.ts"
import { Slots } from "./slots.ts"
import { folderOf, isTyping, startState, type Level } from "./state.ts"
import { keyHints } from "./status/key-hints.ts"
import { SearchLine } from "./status/search-line.ts"
import type { Terminal } from "./terminal.ts"

/** The mark behind a paste. One that is heard on its own ends a paste that pretended to end before. */
const pasteEnd = "\x1b[201~"

/** How long a sentence stands over the editor. */
const toastMs: Readonly<Record<Level, number>> = { info: 4_000, warning: 8_000, error: 15_000 }

export type App = Stage & {
  readonly drawing: Drawing
  readonly keys: Keys
  readonly highlighter: ReturnType<typeof openHighlighter>
  /** The reader went somewhere, which is to be kept. */
  moved(): void
  /** Gives the keys to what the state says has them. */
  refocus(): void
}

function makeLooks(options: ScreenOptions, app: () => App): Looks {
  const { settings, themes, keymaps, terminal } = options
  return new Looks({
    themes,
    keymaps,
    theme: settings.theme,
    appearance: settings.appearance,
    keymap: settings.keymap,
    depth: terminal.colors,
    themeChanged: (theme) => app().store.dispatch({ type: "theme", theme }),
    keymapChanged(keymap) {
      app().editor.modal(isModal(keymap))
      app().store.dispatch({ type: "keymap", name: keymap.name })
    },
    // A file that is broken at the start is told once there is a place to tell it.
    problems: (sentences) => queueMicrotask(() => app().say("warning", sentences.join("\n"))),
  })
}

export function isModal(keymap: Keymap): boolean {
  return keymap.bindings.some(({ context }) => context === "editor.normal")
}

/** The parts that need only the renderer and each other's promise. */
function makeParts(renderer: CliRenderer, options: ScreenOptions, app: () => App) {
  const editor = new Editor({
    renderer,
    history: options.history.load(),
    changed: () => onEdited(app()),
    copied: (text) => app().copy(text),
  })
  const completer = new Completer({
    folder: () => folderOf(app().store.state, options.folder),
    editor: () => editor,
    now: () => options.clock.now(),
    commands: () => slashCommands({ options }),
    current: () => app().store.state.completion,
    show: (completion) => app().store.dispatch({ type: "completion", completion }),
  })
  const highlighter = openHighlighter(options, (level, text) => app().say(level, text))
  const dialogs = new DialogStack({
    renderer,
    close: (id) => app().store.dispatch({ type: "dialog.close", id }),
    keysOf: (command) => printed(app().keymap(), command, ["dialog"]),
  })
  const slots = new Slots({
    renderer,
    make: panelMaker(renderer, highlighter, app),
    front: () => app().store.state.place.front,
    focus: () => app().store.state.focus,
    clicked(id) {
      // A click into the conversation selects text; it does not take the keys from the editor.
      if (!app().store.state.place.slots.main.includes(id)) {
        app().store.dispatch({ type: "focus", focus: { area: "panel", id } })
      }
    },
    ...panelDeeds(app),
    // The search line came or went, which is no change of the state: the rule in whose place it stands is drawn anew.
    refocus() {
      app().refocus()
      app().store.redraw()
    },
    failed: (id, error) => app().say("error", `The panel ${id} failed and was closed: ${sentence(error)}`),
  })
  return {
    editor,
    stash: new Stash(options.stash),
    completer,
    dialogs,
    slots,
    highlighter,
    search: new SearchLine(renderer, options.clock, options.settings.searchRegex),
  }
}

/** A dialog is open: it has the keys. */
function asks(app: App): boolean {
  return app.store.state.dialogs.length > 0
}

function onEdited(app: App): void {
  const { store, editor, completer } = app
  const columns = Math.max(1, store.state.size.columns - signColumns)
  store.dispatch({ type: "editor", facts: editor.facts(columns) })
  completer.refresh()
}

function printed(keymap: Keymap, command: string, contexts?: readonly string[]): string {
  const keys = keysOf(keymap, command, contexts)
  return keys === undefined ? "" : printKeys(keys)
}

/** A paste without any text is how some terminals say that the clipboard holds something else. */
/** What the keys of selecting do, of those that are bound. */
function copyHint(keymap: Keymap): string {
  const deeds = { "copy.mark": "selects", "copy.accept": "copies", "copy.close": "leaves" } as const
  const said = Object.entries(deeds).map(([command, does]) => {
    const keys = printed(keymap, command, ["copy"])
    return keys === "" ? "" : `${keys} ${does}`
  })
  return said.filter((one) => one !== "").join(" · ") || "selecting"
}

function pasteText(app: App, text: string): void {
  if (text === "") app.run("prompt.paste")
  else if (!app.editor.paste(text))
    app.say("error", "That is too large for an input; put it in a file and name it with @")
}

/** What came at once with its line breaks was pasted, whether the terminal says so or not. */
function typeText(app: App, text: string): void {
  if (text.includes("\n") || isLong(text)) pasteText(app, text)
  else app.editor.type(text)
}

function makeKeys(options: ScreenOptions, app: () => App): Keys {
  return new Keys({
    clock: options.clock,
    keymap: () => app().keymap(),
    contexts: () => app().contexts(),
    run: ({ command, args }) => runCommand(app(), command, args),
    awaiting: () => !asks(app()) && !app().search.open && app().editor.awaiting,
    type(text) {
      const { dialogs, search, store } = app()
      if (asks(app())) dialogs.type(text)
      else if (search.open) search.type(text)
      else if (store.state.focus.area === "editor") typeText(app(), text)
    },
    stopAwaiting: () => app().editor.stopAwaiting(),
    rest(event) {
      const { dialogs, search } = app()
      if (asks(app())) dialogs.key(event)
      else if (search.open) search.key(event)
    },
    typing: () => asks(app()) || app().search.open || isTyping(app().store.state),
    hintsMs: () => options.settings.keyHintsMs,
    pending: (keys, hints) => app().store.dispatch({ type: "keys", keys, hints }),
  })
}

function makeStore(renderer: CliRenderer, options: ScreenOptions, looks: Looks, app: () => App): Store {
  const { clock, settings, terminal } = options
  const state = startState({
    size: { columns: renderer.terminalWidth, rows: renderer.terminalHeight },
    theme: looks.theme,
    keymap: looks.keymapName,
    slots: settings.slots,
    mouse: settings.mouse,
    now: clock.now(),
    interrupted: options.interrupted ?? null,
  })
  const crowded = (): boolean => app().slots.panel("chat")?.reader?.waiting ?? false
  return new Store(state, { clock, remote: terminal.remote, crowded })
}

/** `opened` hears that the session's first snapshot is there; `end` and `terminal` are the screen's. */
export function makeApp(
  renderer: CliRenderer,
  options: ScreenOptions,
  given: { readonly terminal: Terminal; readonly end: Stage["end"]; opened(app: App): void; moved(): void },
): App {
  let made: App | null = null
  // The parts know each other through the app, which is there before any of them is used.
  const app = (): App => made ?? missing()
  const looks = makeLooks(options, app)
  const store = makeStore(renderer, options, looks, app)
  const parts = makeParts(renderer, options, app)
  const link = new Link(options.session, {
    store,
    clock: options.clock,
    connect: options.connect,
    refused(item, reason) {
      giveBack(app(), item.text)
      app().say("error", reason)
    },
    opened: () => given.opened(app()),
  })
  let cancelToast: () => void = () => {}
  const drawing = new Drawing({
    renderer,
    options,
    ...parts,
    port: link,
    keyHints: ({ keys }) => keyHints(looks.keymap, app().contexts(), keys),
    hints: () => ({
      interrupt: printed(looks.keymap, "app.interrupt"),
      palette: printed(looks.keymap, "app.palette"),
      takeBack: printed(looks.keymap, "queue.edit"),
      resume: printed(looks.keymap, "work.resume"),
      copying: copyHint(looks.keymap),
    }),
    toEditor: () => store.dispatch({ type: "focus", focus: { area: "editor" } }),
    filled: (ids) => store.dispatch({ type: "panel.filled", ids }),
    refocus: () => app().refocus(),
  })
  made = {
    ...parts,
    options,
    renderer,
    store,
    link,
    looks,
    drawing,
    terminal: given.terminal,
    keys: makeKeys(options, app),
    keymap: () => looks.keymap,
    contexts: () => contextsOf(store.state, { search: parts.search.open, panel: (id) => parts.slots.contexts(id) }),
    run: (command, args) => runCommand(app(), command, args),
    call: (command, args) => callCommand(app(), command, args),
    say(level, text) {
      cancelToast()
      store.dispatch({ type: "toast", toast: { level, text, until: options.clock.now() + toastMs[level] } })
      cancelToast = options.clock.after(toastMs[level], () => store.dispatch({ type: "toast", toast: null }))
    },
    copy: (text) => attempt(app(), copied(app(), text)),
    moved: () => given.moved(),
    end(reason, work) {
      cancelToast()
      given.end(reason, work)
    },
    refocus: () => refocus(app()),
  }
  return made
}

async function copied({ renderer, options, say, terminal }: App, text: string): Promise<void> {
  const { remote, multiplexer } = options.terminal
  const write = (bytes: string): Promise<void> => terminal.send(bytes)
  const sent = copiedSentence(await copyText(text, { renderer, remote, multiplexer, write }))
  say(sent.ok ? "info" : "warning", sent.text)
}

function missing(): never {
  throw new Error("the screen was used before it was put together")
}

function refocus(app: App): void {
  const { dialogs, search, editor, slots, store } = app
  const { focus } = store.state
  const free = !asks(app) && !search.open
  for (const id of slots.visible()) slots.focus(id, focus.area === "panel" && focus.id === id)
  if (asks(app)) dialogs.refocus()
  else if (search.open) search.refocus()
  editor.focus(free && focus.area === "editor")
}

/** Keys and pastes of the terminal, to whom they belong. The returned function ends it. */
export function listenToKeys(app: App): () => void {
  const { renderer, keys, dialogs, search, store, say } = app
  // The library would print what is thrown here over the screen.
  const guarded =
    <E>(listener: (event: E) => void) =>
    (event: E): void => {
      try {
        listener(event)
      } catch (error) {
        say("error", `A key failed, which is a bug: ${sentence(error)}`)
      }
    }
  const press = guarded((event: KeyEvent) => keys.press(event))
  const paste = guarded((event: PasteEvent) => {
    event.preventDefault()
    keys.flush()
    const text = new TextDecoder().decode(event.bytes)
    if (asks(app)) return dialogs.type(text)
    if (search.open) return search.type(text)
    if (store.state.focus.area !== "editor") store.dispatch({ type: "focus", focus: { area: "editor" } })
    pasteText(app, text)
    keys.pasted()
  })
  const mark = (sequence: string): boolean => {
    if (sequence === pasteEnd) keys.pasteEnded()
    return false
  }
  renderer.addInputHandler(mark)
  renderer.keyInput.on("keypress", press)
  renderer.keyInput.on("paste", paste)
  return () => {
    renderer.removeInputHandler(mark)
    renderer.keyInput.off("keypress", press)
    renderer.keyInput.off("paste", paste)
  }
}
