/**
 * A robot at the screen: it presses keys, says what a host says, and looks at pictures.
 *
 * - The renderer is OpenTUI's for tests, everything above it is the real thing. The host is a plain object that speaks frames: the edge of this
 *   layer. Time is manual.
 * - A picture is found when its lines stand in the frame under each other, each at the same column; blanks at their ends do not count.
 */
import { createTestRenderer } from "@opentui/core/testing"
import { expect } from "bun:test"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseKeys, type Chord } from "../../src/home/chord.ts"
import { defaultSlots, type Draft, type ScreenEnd, type ScreenOptions } from "../../src/tui/options.ts"
import { openScreen, type Screen } from "../../src/tui/screen.ts"
import { eventually } from "./eventually.ts"
import { ManualClock, settle } from "./manual-clock.ts"
import { builtInKeymapShelf, builtInThemeShelf } from "./screen-shelves.ts"
import { ScriptedHost } from "./scripted-host.ts"

export type RobotOptions = {
  readonly columns?: number
  readonly rows?: number
  readonly host?: ScriptedHost
  readonly settings?: Partial<ScreenOptions["settings"]>
  readonly options?: Partial<ScreenOptions>
}

/** Drafts and history in memory, to look at. */
export class Memory {
  draft: Draft | null = null
  readonly sent: string[] = []

  readonly drafts: ScreenOptions["drafts"] = {
    load: () => this.draft,
    save: (draft) => {
      this.draft = draft
    },
  }

  aside: readonly Draft[] = []
  readonly stash: ScreenOptions["stash"] = {
    load: () => this.aside,
    save: (drafts) => {
      this.aside = drafts
    },
  }

  readonly history: ScreenOptions["history"] = {
    load: () => [...this.sent],
    append: (text) => void this.sent.push(text),
  }
}

const named: Readonly<Record<string, string>> = {
  enter: "13u",
  escape: "27u",
  tab: "9u",
  backspace: "127u",
  space: "32u",
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  home: "H",
  end: "F",
  delete: "3~",
  pageup: "5~",
  pagedown: "6~",
  f1: "P",
  f2: "Q",
  f3: "13~",
  f5: "15~",
}

/** The bytes of a key under the kitty protocol, which can say everything. */
function bytesOf(chord: Chord): string {
  const held = 1 + (chord.shift ? 1 : 0) + (chord.alt ? 2 : 0) + (chord.ctrl ? 4 : 0) + (chord.super ? 8 : 0)
  const known = named[chord.name]
  if (known !== undefined) {
    const number = /^\d+/.exec(known)?.[0]
    const end = known.slice(number?.length ?? 0)
    if (held === 1) return `\x1b[${known}`
    return `\x1b[${number ?? "1"};${held}${end}`
  }
  const char = chord.name === "plus" ? "+" : chord.name === "comma" ? "," : chord.name
  if (held === 1) return char
  if (held === 2) return char.toUpperCase()
  return `\x1b[${char.codePointAt(0)};${held}u`
}

export class Robot {
  readonly screen: Screen
  readonly host: ScriptedHost
  readonly clock: ManualClock
  readonly memory: Memory
  readonly folder: string
  readonly #setup: Awaited<ReturnType<typeof createTestRenderer>>
  #end: ScreenEnd | null = null

  constructor(given: Pick<Robot, "screen" | "host" | "clock" | "memory" | "folder">, setup: Robot["setup"]) {
    this.screen = given.screen
    this.host = given.host
    this.clock = given.clock
    this.memory = given.memory
    this.folder = given.folder
    this.#setup = setup
    void given.screen.ended.then((end) => (this.#end = end))
  }

  get setup(): Awaited<ReturnType<typeof createTestRenderer>> {
    return this.#setup
  }

  /** How the screen ended; null while it runs. */
  get end(): ScreenEnd | null {
    return this.#end
  }

  get renderer() {
    return this.#setup.renderer
  }

  get state() {
    return this.screen.app.store.state
  }

  /** The text in the editor with the cursor as `|`. */
  get prompt(): string {
    const { text, cursor } = this.screen.app.editor.edit
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`
  }

  /** Keys as a keymap writes them: `ctrl+x`, `enter`, `g g`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const parsed = parseKeys(key)
      if (typeof parsed === "string") throw new Error(parsed)
      for (const chord of parsed[0] ?? []) await this.bytes(bytesOf(chord))
    }
  }

  /** What a terminal sends, as it is. Keys of a person come some time apart. */
  async bytes(bytes: string): Promise<void> {
    this.renderer.stdin.emit("data", Buffer.from(bytes))
    await this.clock.advance(10)
    await this.draw()
  }

  async type(text: string): Promise<void> {
    for (const char of text) await this.bytes(char)
  }

  async paste(text: string): Promise<void> {
    await this.bytes(`\x1b[200~${text}\x1b[201~`)
  }

  async wait(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await this.draw()
  }

  async draw(): Promise<void> {
    await settle()
    if (!this.renderer.isDestroyed) await this.#setup.renderOnce()
  }

  async resize(columns: number, rows: number): Promise<void> {
    this.#setup.resize(columns, rows)
    await this.draw()
    await this.draw()
  }

  frame(): string {
    return this.#setup
      .captureCharFrame()
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd()
  }

  /** The picture is somewhere on the screen. */
  shows(picture: string): void {
    if (!contains(this.frame(), picture)) expect(this.frame()).toBe(dedent(picture))
  }

  /** Draws until the picture is there: for what a disk has to answer first. */
  async until(picture: string): Promise<void> {
    await eventually(
      async () => {
        await this.draw()
        return contains(this.frame(), picture)
      },
      () => `waited for ${picture}; the screen was:\n${this.frame()}`,
    )
  }

  hides(picture: string): void {
    if (contains(this.frame(), picture)) expect(this.frame()).not.toContain(dedent(picture))
  }

  async close(): Promise<void> {
    if (this.#end === null) this.screen.app.end("quit", "leave")
    await this.clock.advance(1_000)
    await this.screen.ended
    if (!this.renderer.isDestroyed) await this.#setup.dispose()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function dedent(picture: string): string {
  const lines = picture.replace(/^\n/, "").trimEnd().split("\n")
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0),
  )
  return lines.map((line) => line.slice(indent).trimEnd()).join("\n")
}

function contains(frame: string, picture: string): boolean {
  const rows = frame.split("\n")
  const wanted = dedent(picture).split("\n")
  const first = wanted[0] ?? ""
  const fits = (row: number, column: number): boolean =>
    wanted.every((line, at) => (rows[row + at] ?? "").slice(column).trimEnd().startsWith(line))
  return rows.some((line, row) => {
    for (let column = line.indexOf(first); column !== -1; column = line.indexOf(first, column + 1)) {
      if (fits(row, column)) return true
      if (first === "" && column > line.length) return false
    }
    return false
  })
}

export async function openRobot(given: RobotOptions = {}): Promise<Robot> {
  const clock = new ManualClock()
  const host = given.host ?? new ScriptedHost()
  const memory = new Memory()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-screen-")))
  const setup = await createTestRenderer({
    width: given.columns ?? 100,
    height: given.rows ?? 30,
    kittyKeyboard: true,
    exitOnCtrlC: false,
    autoFocus: false,
  })
  const screen = await openScreen({
    session: { kind: "new" },
    connect: () => host.connect(),
    sessions: host.sessions,
    folder,
    home: "/home/ada",
    client: "main",
    scratch: join(folder, "scratch"),
    clock,
    settings: {
      theme: "dark",
      appearance: "dark",
      keymap: "default",
      slots: defaultSlots,
      mouse: true,
      bell: false,
      planFiles: ["PLAN.md"],
      enabledModels: [],
      hideThinking: false,
      keyHintsMs: 300,
      searchRegex: false,
      pager: "cat",
      ...given.settings,
    },
    themes: builtInThemeShelf,
    keymaps: builtInKeymapShelf,
    drafts: memory.drafts,
    stash: memory.stash,
    history: memory.history,
    terminal: { name: "xterm-256color", colors: "truecolor", remote: true, multiplexer: "none" },
    outside: {},
    notices: [],
    renderer: setup.renderer,
    ...given.options,
  })
  const robot = new Robot({ screen, host, clock, memory, folder }, setup)
  await robot.draw()
  return robot
}
