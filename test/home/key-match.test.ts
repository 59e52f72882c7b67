import { describe, expect, test } from "bun:test"
import { parseKeys, printKeys, type Chord } from "../../src/home/chord.ts"
import { expire, following, keysOf, noKeys, press, type Match, type MatchState } from "../../src/home/key-match.ts"
import { resolveKeymap, type Keymap } from "../../src/home/keymap.ts"

function keymap(bindings: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Keymap {
  const commands = ["one", "two", "three", "four", "five"]
  const text = JSON.stringify({ extends: null, bindings })
  const result = resolveKeymap("test", { test: { file: "test", text } }, commands)
  if ("problem" in result) throw new Error(result.problem.message)
  return result.keymap
}

function chords(text: string): readonly Chord[] {
  const keys = parseKeys(text)
  if (typeof keys === "string") throw new Error(keys)
  return keys[0] ?? []
}

function told(match: Match): string {
  switch (match.type) {
    case "commands":
      return `run ${match.commands.map(({ command }) => command).join(" ") || "nothing"}`
    case "pending":
      return `waits after ${printKeys(match.chords)}`
    case "none":
      return `free ${printKeys(match.chords)}`
    case "dropped":
      return "dropped"
  }
}

/** What each key of `text` means, one after the other. `!` is the end of the time for the next key. */
function type(map: Keymap, text: string, contexts: readonly string[]): readonly string[] {
  let state: MatchState = noKeys
  return text.split(" ").map((key) => {
    const [chord] = key === "!" ? [] : chords(key)
    const pressed = chord === undefined ? expire(state, contexts, map) : press(state, chord, contexts, map)
    state = pressed.state
    return told(pressed.match)
  })
}

describe("one key", () => {
  const map = keymap({ global: { x: "one", y: "two" }, editor: { x: "three", z: [] }, dialog: { y: ["four", "five"] } })

  test("the narrowest context comes first and the wider ones follow", () => {
    expect(type(map, "x", ["editor", "global"])).toEqual(["run three one"])
    expect(type(map, "y", ["dialog", "editor", "global"])).toEqual(["run four five two"])
  })

  test("an empty list takes the key and runs nothing", () =>
    expect(type(map, "z", ["editor", "global"])).toEqual(["run nothing"]))

  test("a key that nobody knows is free", () => expect(type(map, "q", ["editor", "global"])).toEqual(["free q"]))

  test("a context that does not hold is not asked", () => expect(type(map, "z", ["global"])).toEqual(["free z"]))
})

describe("a sequence", () => {
  const map = keymap({
    global: { "<leader> t": "one", "<leader> q": "two", "ctrl+x x x": "five" },
    scrollback: { "g g": "three", g: "four", "<leader> t": "four" },
    dialog: { t: "five" },
  })

  test("waits for its keys and runs", () => {
    expect(type(map, "ctrl+x t", ["global"])).toEqual(["waits after ctrl+x", "run one"])
    expect(type(map, "ctrl+x x x", ["global"])).toEqual(["waits after ctrl+x", "waits after ctrl+x x", "run five"])
  })

  test("begun in one context goes on in all", () => {
    expect(type(map, "ctrl+x q", ["scrollback", "global"])).toEqual(["waits after ctrl+x", "run two"])
    expect(type(map, "ctrl+x t", ["scrollback", "global"])).toEqual(["waits after ctrl+x", "run four one"])
  })

  test("that is also a command runs it when the time is over", () => {
    expect(type(map, "g !", ["scrollback"])).toEqual(["waits after g", "run four"])
    expect(type(map, "g g", ["scrollback"])).toEqual(["waits after g", "run three"])
  })

  test("that is over without a command gives its keys back", () => {
    expect(type(map, "ctrl+x !", ["global"])).toEqual(["waits after ctrl+x", "free ctrl+x"])
    expect(type(map, "g z", ["scrollback"])).toEqual(["waits after g", "free g z"])
  })

  test("is dropped by Escape, and Backspace takes a key back", () => {
    expect(type(map, "ctrl+x escape t", ["global"])).toEqual(["waits after ctrl+x", "dropped", "free t"])
    expect(type(map, "ctrl+x x backspace t", ["global"])).toEqual([
      "waits after ctrl+x",
      "waits after ctrl+x x",
      "waits after ctrl+x",
      "run one",
    ])
    expect(type(map, "ctrl+x backspace", ["global"])).toEqual(["waits after ctrl+x", "dropped"])
  })

  test("stands back for an overlay", () => {
    expect(type(map, "ctrl+x t", ["dialog", "global"])).toEqual(["waits after ctrl+x", "run five"])
  })

  test("can be hinted at while it waits", () => {
    const hints = following({ pending: chords("ctrl+x") }, ["scrollback", "global"], map)
    expect(hints.map(({ keys, run }) => `${printKeys(keys)}: ${run[0]?.command}`)).toEqual([
      "ctrl+x t: four",
      "ctrl+x q: two",
      "ctrl+x x x: five",
    ])
  })
})

test("the shortest keys of a command are shown for it", () => {
  const map = keymap({ global: { "<leader> t": "one", f2: "one" }, editor: { f3: "two" } })
  const shown = (command: string, contexts?: readonly string[]): string =>
    printKeys(keysOf(map, command, contexts) ?? [])
  expect(shown("one")).toBe("f2")
  expect(shown("two", ["global"])).toBe("")
  expect(shown("two", ["editor", "global"])).toBe("f3")
})
