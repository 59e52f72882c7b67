/** The themes and keymaps in the binary, as text: one is parsed only when it is asked for. */
import dark from "../../themes/dark.json" with { type: "text" }
import harbor from "../../themes/harbor.json" with { type: "text" }
import highContrast from "../../themes/high-contrast.json" with { type: "text" }
import kiln from "../../themes/kiln.json" with { type: "text" }
import lichen from "../../themes/lichen.json" with { type: "text" }
import light from "../../themes/light.json" with { type: "text" }
import moor from "../../themes/moor.json" with { type: "text" }
import defaultKeys from "../../keymaps/default.json" with { type: "text" }
import emacsKeys from "../../keymaps/emacs.json" with { type: "text" }
import vimKeys from "../../keymaps/vim.json" with { type: "text" }
import { assert } from "../std/assert.ts"
import type { Source, Sources } from "./chain.ts"

/** The bundler gives text, as asked for; the types of a JSON import do not know that. */
function embedded(file: string, text: unknown): Source {
  assert(typeof text === "string", `${file} was not embedded as text`)
  return { file, text }
}

export const builtInThemes: Sources = {
  dark: embedded("themes/dark.json", dark),
  light: embedded("themes/light.json", light),
  "high-contrast": embedded("themes/high-contrast.json", highContrast),
  moor: embedded("themes/moor.json", moor),
  harbor: embedded("themes/harbor.json", harbor),
  kiln: embedded("themes/kiln.json", kiln),
  lichen: embedded("themes/lichen.json", lichen),
}

export const builtInKeymaps: Sources = {
  default: embedded("keymaps/default.json", defaultKeys),
  vim: embedded("keymaps/vim.json", vimKeys),
  emacs: embedded("keymaps/emacs.json", emacsKeys),
}
