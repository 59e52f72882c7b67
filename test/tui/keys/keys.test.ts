import { KeyEvent, parseKeypress } from "@opentui/core"
import { expect, test } from "bun:test"
import { printKeys } from "../../../src/home/chord.ts"
import type { Keymap } from "../../../src/home/keymap.ts"
import { Keys, textOf } from "../../../src/tui/keys.ts"
import { ManualClock } from "../../support/manual-clock.ts"
import { builtInKeymapShelf } from "../../support/screen-shelves.ts"

const found = builtInKeymapShelf.load("default")
if (found === undefined) throw new Error("the built-in keymap is broken")
const keymap: Keymap = found.keymap

function setup(
  options: {
    readonly contexts?: readonly string[]
    readonly applies?: (command: string) => boolean
    readonly hintsMs?: number
    readonly typing?: boolean
  } = {},
) {
  const clock = new ManualClock()
  const told: string[] = []
  let pending = ""
  let awaiting = false
  const keys = new Keys({
    clock,
    keymap: () => keymap,
    contexts: () => options.contexts ?? ["editor", "global"],
    run({ command }) {
      const applies = options.applies?.(command) ?? true
      if (applies) told.push(command)
      return applies
    },
    awaiting: () => awaiting,
    stopAwaiting: () => (awaiting = false),
    type: (text) => told.push(`type ${JSON.stringify(text)}`),
    rest: (event) => told.push(`rest ${event.name}`),
    typing: () => options.typing ?? true,
    hintsMs: () => options.hintsMs ?? 0,
    pending: (chords, hints) => (pending = printKeys(chords) + (hints ? " with hints" : "")),
  })
  return {
    told,
    clock,
    pending: () => pending,
    expectCharacter: () => (awaiting = true),
    /** Several keys in one read of the terminal. */
    async read(pressed: readonly string[]) {
      for (const bytes of pressed) {
        const key = parseKeypress(bytes, { useKittyKeyboard: true })
        if (key === null) throw new Error(`${JSON.stringify(bytes)} is no key`)
        keys.press(new KeyEvent(key))
      }
      await clock.advance(0)
    },
    /** One key as a terminal sends it; `gapMs` after the one before. */
    async send(bytes: string, gapMs = 50) {
      await clock.advance(gapMs)
      const key = parseKeypress(bytes, { useKittyKeyboard: true })
      if (key === null) throw new Error(`${JSON.stringify(bytes)} is no key`)
      keys.press(new KeyEvent(key))
    },
  }
}

test("Ctrl+C of a Cyrillic layout is Ctrl+C, by its base key and by its place (113)", async () => {
  const latin = setup()
  await latin.send("\x03")
  const based = setup()
  await based.send("\x1b[1089::99;5u")
  const placed = setup()
  await placed.send("\x1b[1089;5u")
  expect(based.told).toEqual(latin.told)
  expect(placed.told).toEqual(latin.told)
})

test("a letter of another layout without a modifier is text", async () => {
  const keys = setup()
  await keys.send("с")
  expect(keys.told).toEqual(['type "с"'])
})

test("two quick Escapes that came as one event are two", async () => {
  const keys = setup({ contexts: ["global"] })
  await keys.send("\x1b\x1b")
  expect(keys.told).toEqual(["app.interrupt", "app.interrupt"])
})

test("the first command that applies has the key", async () => {
  const keys = setup({ applies: (command) => command === "app.interrupt" })
  await keys.send("\x03")
  expect(keys.told).toEqual(["app.interrupt"])
})

test("a key whose commands do not apply is text", async () => {
  const keys = setup({ contexts: ["scrollback", "global"], applies: () => false })
  await keys.send("j")
  expect(keys.told).toEqual(['type "j"'])
})

test("a sequence waits for its next key, shows what was pressed, and runs", async () => {
  const keys = setup()
  await keys.send("\x18")
  expect(keys.pending()).toBe("ctrl+x")
  await keys.send("t")
  expect(keys.told).toEqual(["theme.select"])
  expect(keys.pending()).toBe("")
})

test("the last key of a sequence whose command does not apply is no text", async () => {
  const keys = setup({ applies: () => false })
  await keys.send("\x18")
  await keys.send("w")
  expect(keys.told).toEqual([])
  expect(keys.pending()).toBe("")
  await keys.send("w")
  expect(keys.told).toEqual(['type "w"'])
})

test("Escape drops a sequence and does nothing else", async () => {
  const keys = setup()
  await keys.send("\x18")
  await keys.send("\x1b[27u")
  expect(keys.told).toEqual([])
  expect(keys.pending()).toBe("")
})

test("a sequence that nobody finishes is given up when its time is over", async () => {
  const keys = setup()
  await keys.send("\x18")
  await keys.clock.advance(keymap.leaderTimeoutMs)
  expect(keys.pending()).toBe("")
  await keys.send("t")
  expect(keys.told).toEqual(['type "t"'])
})

test("letters that only began a sequence are text in the end", async () => {
  const keys = setup({ contexts: ["scrollback"] })
  await keys.send("g")
  await keys.send("x")
  expect(keys.told).toEqual(['type "gx"'])
})

test("where a command waits for a character, the next key is that whatever it is bound to", async () => {
  const keys = setup({ contexts: ["scrollback"] })
  keys.expectCharacter()
  await keys.send("j")
  expect(keys.told).toEqual(['type "j"'])
})

test("Escape gives up waiting for a character and does nothing else", async () => {
  const keys = setup({ contexts: ["global"] })
  keys.expectCharacter()
  await keys.send("\x1b[27u")
  expect(keys.told).toEqual([])
  await keys.send("\x1b[27u")
  expect(keys.told).toEqual(["app.interrupt"])
})

test("a release of a key is nothing", async () => {
  const keys = setup()
  await keys.send("\x1b[97;1:3u")
  expect(keys.told).toEqual([])
})

const line = "a first line of some length"

test("lines that a terminal pastes without marks are one text with at most one end, however they are cut (116)", async () => {
  for (const piece of [1, 7, 1_000]) {
    const keys = setup()
    const bytes = [..."x", ...line, "\r", "\t", ...line, "\r", "\r", ...line, "\r"]
    for (let at = 0; at < bytes.length; at += piece) {
      await keys.clock.advance(1)
      await keys.read(bytes.slice(at, at + piece))
    }
    expect(keys.told).not.toContain("prompt.submit")
    await keys.clock.advance(100)
    const text = keys.told.flatMap((told) => (told.startsWith("type ") ? [JSON.parse(told.slice(5)) as string] : []))
    expect(text.join("")).toBe(`x${line}\n\t${line}\n\n${line}`)
    expect(keys.told.filter((told) => !told.startsWith("type "))).toEqual(["prompt.submit"])
  }
})

test("a short text and Enter that a program sends at once is an input", async () => {
  const keys = setup()
  await keys.read([..."go on", "\r"])
  await keys.clock.advance(100)
  expect(keys.told).toEqual(['type "go on"', "prompt.submit"])
})

test("a key in the middle of what comes at once finds all text before it in its place", async () => {
  const keys = setup()
  await keys.read([..."ab", "\x01", ..."cd"])
  expect(keys.told).toEqual(['type "ab"', "editor.lineStart", 'type "cd"'])
})

test("Enter after text that was typed by hand is Enter at once", async () => {
  const keys = setup()
  for (const char of "a line that is long enough for a burst") await keys.send(char, 30)
  await keys.send("\r", 30)
  expect(keys.told.at(-1)).toBe("prompt.submit")
})

test("a word committed by an input method is one text", () => {
  expect(textOf({ ctrl: false, meta: false, super: false, hyper: false, sequence: "日本語", name: "日" })).toBe(
    "日本語",
  )
})

test("a sequence that has begun says after a moment that what may follow can be shown, and then waits until that is read", async () => {
  const { send, told, clock, pending } = setup({ hintsMs: 300 })
  await send("\x18")
  expect(pending()).toBe("ctrl+x")
  await clock.advance(299)
  expect(pending()).toBe("ctrl+x")
  await clock.advance(1)
  expect(pending()).toBe("ctrl+x with hints")
  await clock.advance(10_000)
  await send("q")
  expect(told).toEqual(["app.quit"])
  await send("\x18")
  await clock.advance(60_000)
  expect(pending()).toBe("")
})

test("letters that begin a sequence where text is typed wait no longer for hints", async () => {
  const { send, told, clock, pending } = setup({ contexts: ["scrollback"], hintsMs: 300 })
  await send("g")
  await clock.advance(400)
  expect(pending()).toBe("g")
  await clock.advance(700)
  expect(told).toEqual(['type "g"'])
})
