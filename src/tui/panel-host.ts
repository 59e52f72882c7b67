/** What the panels are given, and what they ask of the screen. */
import type { CliRenderer } from "@opentui/core"
import { printKeys } from "../home/chord.ts"
import { keysOf } from "../home/key-match.ts"
import { editFile, editOutside, textFile, viewFile } from "./editor/external.ts"
import { attempt } from "./commands/stage.ts"
import type { App } from "./app.ts"
import { methodOf } from "./draw.ts"
import { CodeHighlighter, plainHighlighter, type Highlighter } from "./highlight/highlighter.ts"
import { TreeSitterParser } from "./highlight/tree-sitter.ts"
import { jumpHere } from "./jump.ts"
import { slotOf } from "./layout.ts"
import { loadOlder } from "./older.ts"
import type { ScreenOptions } from "./options.ts"
import { openChanges } from "./panels/changes.ts"
import { openChat } from "./panels/chat.ts"
import type { Panel, PanelHost } from "./panels/panel.ts"
import { openPlan } from "./panels/plan.ts"
import type { SlotsOptions } from "./slots.ts"
import { openTreePanel } from "./panels/tree.ts"
import { openTasks } from "./panels/tasks.ts"
import { openToolOutput, type ToolPanel } from "./panels/tool-output.ts"

/** Milliseconds between two scrolls of a view that follows its end, here and over a network: a multiplexer or a slow line pays for each. */
const followMs = 100
const followRemoteMs = 200

function edit(app: App, what: Parameters<PanelHost["edit"]>[0]): void {
  const { editor } = app.options.settings
  if (editor === undefined) return app.say("warning", "No editor is known; set $EDITOR")
  const { scratch } = app.options
  const work = async (): Promise<unknown> =>
    "path" in what ? editFile(editor, what.path, what.line) : editOutside(editor, scratch, what.text)
  attempt(app, app.terminal.lend(work))
}

function page(app: App, what: Parameters<PanelHost["page"]>[0]): void {
  const { settings, scratch } = app.options
  const view = (path: string): Promise<void> => viewFile(settings.pager, path)
  const work = (): Promise<void> => ("path" in what ? view(what.path) : textFile(scratch, what.text, view))
  attempt(app, app.terminal.lend(work))
}

/** Colours of code, where there is a folder for what makes them. They are nobody's to wait for, and their absence is told once. */
export function openHighlighter(options: ScreenOptions, say: App["say"]): Highlighter & { close(): Promise<void> } {
  if (options.highlightFolder === undefined) return { ...plainHighlighter, close: () => Promise.resolve() }
  const parser = new TreeSitterParser(options.highlightFolder, (reason) => say("warning", reason))
  return new CodeHighlighter(parser, options.clock)
}

/** What the mouse does to panels, by their titles, tabs and edges. */
export function panelDeeds(
  app: () => App,
): Pick<SlotsOptions, "turned" | "hidden" | "zoomed" | "isZoomed" | "moved" | "sized"> {
  return {
    turned: (id) => app().store.dispatch({ type: "focus", focus: { area: "panel", id } }),
    hidden: (id) => app().store.dispatch({ type: "panel.show", id, shown: false }),
    zoomed(id) {
      const { zoomed } = app().store.state.place
      app().store.dispatch({ type: "panel.zoom", id: zoomed === null ? id : null })
    },
    isZoomed: (id) => app().store.state.place.zoomed === id,
    moved(id, to) {
      if (slotOf(app().store.state.place.slots, id) !== to) app().store.dispatch({ type: "panel.move", id, to })
    },
    sized: (slot, size) => app().store.dispatch({ type: "panel.size", slot, size }),
  }
}

/** A maker of panels by id; null for an id that is nobody's. */
export function panelMaker(
  renderer: CliRenderer,
  highlighter: Highlighter,
  app: () => App,
): (id: string) => Panel | null {
  let loading = false
  let tool: ToolPanel | null = null
  const host = (): PanelHost => ({
    context: renderer,
    clock: app().options.clock,
    followMs: app().options.terminal.remote ? followRemoteMs : followMs,
    highlighter,
    widthMethod: methodOf(renderer),
    theme: app().store.state.theme,
    changed: () => app().store.redraw(),
    copy: (text) => app().copy(text),
    selected: (text) => app().copy(text),
    moved: () => app().moved(),
    loadOlder(conversation) {
      if (loading) return
      loading = true
      attempt(
        app(),
        loadOlder(app(), conversation).finally(() => (loading = false)),
      )
    },
    openOutput(task) {
      if (!app().slots.known("tool")) return
      tool?.show(task)
      app().store.dispatch({ type: "panel.show", id: "tool", shown: true })
    },
    goTo: (conversation, entry) => attempt(app(), jumpHere(app(), { conversation, entry }, "")),
    forkAt: (entry) => void app().run("session.tree", { entry }),
    edit: (what) => edit(app(), what),
    page: (what) => page(app(), what),
    keys(command) {
      const keys = keysOf(app().keymap(), command)
      return keys === undefined ? "" : printKeys(keys)
    },
    say: (level, text) => app().say(level, text),
  })
  return (id) => {
    if (id === "chat") {
      const chat = openChat(host())
      if (!app().options.settings.hideThinking) chat.rows.toggleGroup("thinking", true)
      return chat
    }
    if (id === "tool") return (tool = openToolOutput(host()))
    if (id === "changes") return openChanges(host())
    if (id === "tree") return openTreePanel(host())
    if (id === "tasks") return openTasks(host())
    if (id === "plan") return openPlan(host(), app().options.settings.planFiles)
    return null
  }
}
