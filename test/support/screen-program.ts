/**
 * The screen as a program of its own, for tests in a real terminal: a scripted host, no person's files, ends as the screen says.
 *
 * - Arguments are words: `answer` has an answer on the screen, `crash` throws after the first key, `system` uses the terminal's own colours,
 *   `16` has no more than sixteen of them,
 *   `editor=<command>` is the person's editor.
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../src/std/clock.ts"
import { defaultSlots } from "../../src/tui/options.ts"
import { startScreen } from "../../src/tui/screen.ts"
import { builtInKeymapShelf, builtInThemeShelf } from "./screen-shelves.ts"
import { ScriptedHost } from "./scripted-host.ts"

const words = process.argv.slice(2)
const editor = words.find((word) => word.startsWith("editor="))?.slice("editor=".length)
const host = new ScriptedHost()

if (words.includes("answer")) host.answer("the answer of the model")

if (words.includes("crash")) {
  process.stdin.once("data", () => {
    setTimeout(() => {
      throw new Error("a bug of this program")
    }, 0)
  })
}

const end = await startScreen({
  session: { kind: "new" },
  connect: () => host.connect(),
  sessions: host.sessions,
  folder: process.cwd(),
  home: process.cwd(),
  client: "main",
  scratch: join(tmpdir(), `cairn-screen-program-${process.pid}`),
  clock: systemClock,
  settings: {
    theme: words.includes("system") ? "system" : "dark",
    appearance: words.includes("system") ? "auto" : "dark",
    keymap: "default",
    slots: defaultSlots,
    mouse: true,
    bell: true,
    planFiles: [],
    enabledModels: [],
    hideThinking: false,
    keyHintsMs: 300,
    searchRegex: false,
    pager: "cat",
    ...(editor === undefined ? {} : { editor }),
  },
  themes: builtInThemeShelf,
  keymaps: builtInKeymapShelf,
  drafts: { load: () => null, save: () => {} },
  stash: { load: () => [], save: () => {} },
  history: { load: () => [], append: () => {} },
  terminal: { name: "xterm", colors: words.includes("16") ? "16" : "truecolor", remote: true, multiplexer: "none" },
  outside: {},
  notices: [],
  process,
})
process.stdout.write(`ended: ${end.reason} ${end.work}${end.message === null ? "" : ` ${end.message}`}\n`)
process.exit(end.code)
