import { RGBA } from "@opentui/core"
import { expect, test } from "bun:test"
import type { Theme } from "../../../src/home/theme.ts"
import type { ThemeShelf, KeymapShelf } from "../../../src/tui/options.ts"
import { openRobot, type Robot } from "../../support/screen.ts"
import { builtInKeymapShelf, builtInThemeShelf, darkTheme, lightTheme } from "../../support/screen-shelves.ts"

/** The colour of the first letter of `word` on the screen, as hex or as an index. */
function colorOf(robot: Robot, word: string, part: "fg" | "bg" = "fg"): string {
  const { lines } = robot.setup.captureSpans()
  for (const { spans } of lines) {
    const span = spans.find(({ text }) => text.includes(word))
    if (span !== undefined) return printed(span[part])
  }
  return `${word} is not on the screen`
}

function printed(color: RGBA): string {
  if (color.intent === "default" || color.a === 0) return "default"
  if (color.intent === "indexed") return `index ${color.slot}`
  const [red, green, blue] = color.toInts()
  return `#${[red, green, blue].map((value) => value.toString(16).padStart(2, "0")).join("")}`
}

function shelf() {
  const listeners = new Set<() => void>()
  let accent: Theme["colors"]["secondary"] = darkTheme.colors.secondary
  let problems: readonly string[] = []
  const themes: ThemeShelf = {
    names: () => ["dark", "light"],
    load: (name) =>
      name === "dark"
        ? { theme: { ...darkTheme, colors: { ...darkTheme.colors, secondary: accent } }, problems }
        : name === "light"
          ? { theme: lightTheme, problems: [] }
          : undefined,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    themes,
    save(color: Theme["colors"]["secondary"], wrong: readonly string[] = []) {
      accent = color
      problems = wrong
      for (const listener of listeners) listener()
    },
  }
}

test("a theme file that is saved is on the screen with the next frame", async () => {
  const { themes, save } = shelf()
  const robot = await openRobot({ options: { themes } })
  expect(colorOf(robot, "scripted")).toBe(String(darkTheme.colors.secondary))
  save("#123456")
  await robot.draw()
  expect(colorOf(robot, "scripted")).toBe("#123456")
  await robot.close()
})

test("a theme that is saved while an answer comes changes colours and nothing else: the place, the stream and the draft go on", async () => {
  const { themes, save } = shelf()
  const robot = await openRobot({ options: { themes } })
  for (let at = 0; at < 60; at++) robot.host.answer(`message ${at}`)
  const task = robot.host.begin(robot.clock.now())
  const text = (delta: string, at: number): void =>
    robot.host.say({ type: "progress", seq: 99, task: task.id, attempt: 1, at, text: delta })
  await robot.press("pageup")
  await robot.type("a draft")
  const before = robot.frame().split("\n").slice(0, 20)
  text(`${JSON.stringify({ type: "text_start", contentIndex: 0 })}\n`, 0)
  save("#123456")
  await robot.wait(300)
  expect(robot.state.theme.colors.secondary).toBe("#123456")
  expect(robot.frame().split("\n").slice(0, 20)).toEqual(before)
  expect(robot.prompt).toBe("a draft|")
  await robot.press("ctrl+end")
  robot.shows("message 59")
  await robot.close()
})

test("a theme file that breaks keeps its last good colours and says where (143)", async () => {
  const { themes, save } = shelf()
  const robot = await openRobot({ options: { themes } })
  save("#123456", ["themes/dark.json:4:7: a comma is missing"])
  await robot.draw()
  robot.shows("● themes/dark.json:4:7: a comma is missing")
  expect(colorOf(robot, "scripted")).toBe("#123456")
  await robot.close()
})

test("a theme is seen while the bar stands on it, and putting the list away goes back", async () => {
  const { themes } = shelf()
  const robot = await openRobot({ options: { themes } })
  await robot.press("ctrl+x t", "down")
  expect(robot.state.theme.name).toBe("light")
  await robot.press("escape")
  expect(robot.state.theme.name).toBe("dark")
  await robot.close()
})

test("a chosen theme stays and is saved", async () => {
  const saved: string[] = []
  const { themes } = shelf()
  const outside = {
    saveSetting(path: string, value: unknown) {
      saved.push(`${path} ${String(value)}`)
      return Promise.resolve({ ok: true, text: "saved" } as const)
    },
  }
  const robot = await openRobot({ options: { themes, outside } })
  await robot.press("ctrl+x t", "down", "enter")
  expect(robot.state.theme.name).toBe("light")
  expect(saved).toEqual(["theme light"])
  await robot.close()
})

test("a theme that is nobody's is told, and the terminal's own colours are used", async () => {
  const robot = await openRobot({ settings: { theme: "nonesuch" } })
  robot.shows("● There is no theme nonesuch; the built-in one is used")
  expect(robot.state.theme.name).toBe("system")
  await robot.close()
})

test("the system theme uses the terminal's own foreground, background and palette", async () => {
  const robot = await openRobot({ settings: { theme: "system" } })
  robot.host.input("hello")
  await robot.wait(100)
  expect(colorOf(robot, "scripted")).toBe("index 14")
  expect(colorOf(robot, "scripted", "bg")).toBe("default")
  await robot.close()
})

test("a light terminal gets the light side of a theme", async () => {
  const robot = await openRobot({ settings: { theme: "light/dark", appearance: "auto" } })
  robot.screen.app.looks.terminalColors({ palette: [], defaultForeground: "#000000", defaultBackground: "#fdf6e3" })
  await robot.draw()
  expect(robot.state.theme.appearance).toBe("light")
  await robot.close()
})

test.each([
  ["256", /^index (\d+)$/],
  ["16", /^index \d\d?$/],
  ["none", /^default$/],
] as const)("a terminal of %s colours gets no other (131)", async (colors, wanted) => {
  const robot = await openRobot({ options: { terminal: { name: "xterm", colors, remote: true, multiplexer: "none" } } })
  await robot.type("hello")
  expect(colorOf(robot, "scripted")).toMatch(wanted)
  expect(colorOf(robot, "hello")).toMatch(wanted)
  await robot.close()
})

test("without colours the chosen row of a list is inverse, so that it can be seen", async () => {
  const robot = await openRobot({
    options: { terminal: { name: "xterm", colors: "none", remote: true, multiplexer: "none" } },
  })
  await robot.press("ctrl+p")
  const { lines } = robot.setup.captureSpans()
  const bar = lines.flatMap(({ spans }) => spans).find(({ text }) => text.includes("Quit;"))
  expect((bar?.attributes ?? 0) & 32).toBe(32)
  await robot.close()
})

test("a keymap that is saved counts for the next key", async () => {
  const listeners = new Set<() => void>()
  let name = "default"
  const keymaps: KeymapShelf = {
    ...builtInKeymapShelf,
    load: () => builtInKeymapShelf.load(name),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const robot = await openRobot({ options: { keymaps, themes: builtInThemeShelf } })
  await robot.type("abc")
  await robot.press("ctrl+p")
  expect(robot.state.dialogs.length).toBe(1)
  await robot.press("escape")
  name = "emacs"
  for (const listener of listeners) listener()
  await robot.press("ctrl+p")
  expect(robot.state.dialogs.length).toBe(0)
  await robot.close()
})

test("the vim keymap has modes, and the line over the editor says which", async () => {
  const robot = await openRobot({ settings: { keymap: "vim" } })
  robot.shows("INSERT")
  await robot.type("one two")
  await robot.press("escape")
  robot.shows("NORMAL")
  expect(robot.prompt).toBe("one tw|o")
  await robot.press("b", "d w")
  expect(robot.prompt).toBe("one| ")
  await robot.press("u", "v", "h")
  robot.shows("VISUAL")
  await robot.press("escape", "A")
  await robot.type("!")
  expect(robot.prompt).toBe("one two!|")
  await robot.close()
})

test("in vim's normal mode Escape stops the run", async () => {
  const robot = await openRobot({ settings: { keymap: "vim" } })
  robot.host.begin(robot.clock.now())
  await robot.press("escape")
  expect(robot.host.asked.filter((command) => command.type === "abort")).toEqual([])
  await robot.press("escape")
  expect(robot.host.asked.filter((command) => command.type === "abort").length).toBe(1)
  await robot.close()
})
