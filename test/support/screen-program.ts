/**
 * The screen as a program of its own, for tests in a real terminal: a scripted host, no person's files, ends as the screen says.
 *
 * - Arguments are words: `busy` begins a run, `crash` throws after the first key, `editor=<command>` is the person's editor.
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

function connect() {
  if (words.includes("busy")) setTimeout(() => host.begin(Date.now()), 0)
  return host.connect()
}

if (words.includes("crash")) {
  process.stdin.once("data", () => {
    setTimeout(() => {
      throw new Error("a bug of this program")
    }, 0)
  })
}

const end = await startScreen({
  session: { kind: "new" },
  connect,
  sessions: host.sessions,
  folder: process.cwd(),
  home: process.cwd(),
  client: "main",
  scratch: join(tmpdir(), `cairn-screen-program-${process.pid}`),
  clock: systemClock,
  settings: {
    theme: "dark",
    appearance: "dark",
    keymap: "default",
    slots: defaultSlots,
    mouse: true,
    bell: true,
    planFiles: [],
    enabledModels: [],
    hideThinking: false,
    searchRegex: false,
    ...(editor === undefined ? {} : { editor }),
  },
  themes: builtInThemeShelf,
  keymaps: builtInKeymapShelf,
  drafts: { load: () => null, save: () => {} },
  history: { load: () => [], append: () => {} },
  terminal: { colors: "truecolor", remote: true, multiplexer: "none" },
  outside: {},
  notices: [],
  process,
})
process.stdout.write(`ended: ${end.reason} ${end.work}${end.message === null ? "" : ` ${end.message}`}\n`)
process.exit(end.code)
