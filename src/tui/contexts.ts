/** Which keymap contexts hold, innermost first: pure, from the state. */
import type { ScreenState } from "./state.ts"

const modeContexts = {
  plain: [],
  insert: ["editor.insert"],
  normal: ["editor.normal"],
  visual: ["editor.visual"],
  visualLine: ["editor.visual"],
} as const satisfies Record<ScreenState["editor"]["mode"], readonly string[]>

/** `search`: the search line is open. `panel` gives the contexts of a panel by its id. */
export function contextsOf(
  state: ScreenState,
  given: { readonly search: boolean; panel(id: string): readonly string[] },
): readonly string[] {
  if (state.dialogs.length > 0) return ["dialog", "global"]
  if (given.search) return ["search", "global"]
  if (state.focus.area === "panel") return [...given.panel(state.focus.id), "global"]
  const complete = state.completion === null ? [] : ["complete"]
  return [...complete, ...modeContexts[state.editor.mode], "editor", "global"]
}
