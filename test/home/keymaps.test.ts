import { expect, test } from "bun:test"
import { builtInKeymaps } from "../../src/home/built-in.ts"
import { parseKeys } from "../../src/home/chord.ts"
import { commandList, contextNames } from "../../src/home/command-names.ts"
import { noKeys, press, type Pressed } from "../../src/home/key-match.ts"
import { checkKeymap, resolveKeymap, type Keymap } from "../../src/home/keymap.ts"
import { printProblem } from "../../src/home/problem.ts"

function load(name: string): Keymap {
  const result = resolveKeymap(name, builtInKeymaps, commandList)
  if ("problem" in result) throw new Error(printProblem(result.problem))
  return result.keymap
}

/** The commands that these keys run in these contexts. */
function run(name: string, keys: string, contexts: readonly string[]): string {
  const chords = parseKeys(keys)
  if (typeof chords === "string") throw new Error(chords)
  const map = load(name)
  let pressed: Pressed = { state: noKeys, match: { type: "none", chords: [] } }
  for (const chord of chords[0] ?? []) pressed = press(pressed.state, chord, contexts, map)
  return pressed.match.type === "commands"
    ? pressed.match.commands.map(({ command }) => command).join(" ")
    : pressed.match.type
}

test.each(Object.keys(builtInKeymaps))("%s has known commands only, and no clash", (name) => {
  const { text, file } = builtInKeymaps[name] ?? { text: "", file: "" }
  expect(checkKeymap(text, file, commandList).map(printProblem)).toEqual([])
  const result = resolveKeymap(name, builtInKeymaps, commandList)
  expect("notices" in result ? result.notices : result.problem).toEqual([])
})

test.each(Object.keys(builtInKeymaps))("every context of %s is one of the table", (name) => {
  const used = new Set(load(name).bindings.map(({ context }) => context))
  expect([...used].filter((context) => !Object.hasOwn(contextNames, context))).toEqual([])
})

test.each(Object.keys(builtInKeymaps))("%s can leave, stop, send, search, scroll and close a dialog", (name) => {
  const commands = load(name).bindings.flatMap((binding) => binding.run.map(({ command }) => command))
  for (const needed of [
    "app.quit",
    "app.interrupt",
    "prompt.submit",
    "search.open",
    "scroll.pageUp",
    "dialog.cancel",
  ]) {
    expect(commands).toContain(needed)
  }
})

const editing = ["editor", "global"]

test.each([
  ["escape", "app.interrupt"],
  ["enter", "prompt.submit"],
  ["alt+enter", "prompt.followUp"],
  ["shift+enter", "prompt.newline"],
  ["ctrl+j", "prompt.newline"],
  ["ctrl+p", "app.palette"],
  ["ctrl+l", "model.select"],
  ["shift+tab", "thinking.cycle"],
  ["ctrl+o", "block.foldAll"],
  ["ctrl+t", "thinking.toggle"],
  ["pageup", "scroll.pageUp"],
  ["ctrl+up", "scroll.previousPrompt"],
  ["ctrl+f", "search.open"],
  ["alt+up", "queue.edit"],
  ["ctrl+a", "editor.lineStart"],
  ["ctrl+w", "editor.deleteWordBack"],
  ["ctrl+x t", "theme.select"],
])("by default %s in the editor is %s", (keys, command) => expect(run("default", keys, editing)).toBe(command))

test("a slash searches where nothing is typed", () => {
  expect(run("default", "/", ["scrollback", "global"])).toBe("search.open")
  expect(run("default", "/", editing)).toBe("none")
})

test("in vim Escape leaves insert, and stops a turn in normal mode, as Ctrl+C does", () => {
  expect(run("vim", "escape", ["editor.insert", ...editing])).toStartWith("editor.mode")
  expect(run("vim", "escape", ["editor.normal", ...editing])).toStartWith("app.interrupt")
  expect(run("vim", "ctrl+c", ["editor.insert", ...editing])).toContain("app.interrupt")
  expect(run("vim", "d d", ["editor.normal", ...editing])).toBe("editor.operate")
})

test("in emacs C-g gives up and C-x C-c leaves", () => {
  expect(run("emacs", "ctrl+g", editing)).toContain("app.interrupt")
  expect(run("emacs", "ctrl+x ctrl+c", editing)).toBe("app.quit")
  expect(run("emacs", "ctrl+s", editing)).toBe("search.open")
})
