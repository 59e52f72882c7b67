import { describe, expect, test } from "bun:test"
import { chordsOf, parseKeys, printKeys, type KeyReport } from "../../src/home/chord.ts"

/** Keys in the one form in which they are printed, or what is wrong with them. */
function read(text: string): string {
  const keys = parseKeys(text)
  return typeof keys === "string" ? keys : keys.map(printKeys).join(" , ")
}

function reported(name: string, held: Partial<KeyReport> = {}): string {
  return printKeys(chordsOf({ name, ctrl: false, meta: false, shift: false, ...held }))
}

describe("keys as people write them", () => {
  test.each([
    ["ctrl+x", "ctrl+x"],
    ["Ctrl+Alt+Delete", "ctrl+alt+delete"],
    ["alt+ctrl+x", "ctrl+alt+x"],
    ["meta+x", "alt+x"],
    ["cmd+z", "super+z"],
    ["G", "G"],
    ["shift+g", "G"],
    ["ctrl+G", "ctrl+shift+g"],
    ["?", "?"],
    ["shift+?", "?"],
    ["shift+tab", "shift+tab"],
    ["return", "enter"],
    ["Esc", "escape"],
    ["pgdn", "pagedown"],
    ["space", "space"],
    ["ctrl+plus", "ctrl+plus"],
    ["comma", "comma"],
    ["g g", "g g"],
    ["<leader>  t", "<leader> t"],
    ["up, ctrl+p", "up , ctrl+p"],
    ["f12", "f12"],
    ["é", "é"],
    ["É", "É"],
  ])("%s is %s", (text, printed) => expect(read(text)).toBe(printed))

  test.each([
    ["", "has an empty alternative"],
    ["up,", "has an empty alternative"],
    ["ctrl+", "names no key"],
    ["hyper+x", "`hyper` in `hyper+x` is not a modifier"],
    ["ctrl+entre", "`entre` in `ctrl+entre` is not a key"],
    ["f36", "is not a key"],
    ["g <leader>", "<leader> can only come first"],
    ["<leader>", "<leader> needs a key after it"],
  ])("%p is refused with a sentence", (text, sentence) => expect(read(text)).toContain(sentence))
})

describe("keys as terminals report them", () => {
  test.each<[string, Partial<KeyReport>, string]>([
    ["return", {}, "enter"],
    ["kpenter", {}, "enter"],
    ["kp5", {}, "5"],
    ["kpplus", {}, "plus"],
    ["G", {}, "G"],
    ["g", { shift: true }, "G"],
    ["G", { shift: true }, "G"],
    ["?", { shift: true }, "?"],
    [" ", {}, "space"],
    [",", {}, "comma"],
    ["linefeed", {}, "ctrl+j"],
    ["escape", { meta: true }, "escape escape"],
    ["x", { meta: true }, "alt+x"],
    ["z", { super: true }, "super+z"],
  ])("%s %o is %s", (name, held, printed) => expect(reported(name, held)).toBe(printed))

  test("Ctrl on a Cyrillic or Greek layout is the Latin key in the same place", () => {
    expect(reported("с", { ctrl: true, baseCode: 99 })).toBe("ctrl+c")
    expect(reported("с", { ctrl: true })).toBe("ctrl+c")
    expect(reported("ψ", { ctrl: true })).toBe("ctrl+c")
  })

  test("a Cyrillic letter without a modifier stays that letter", () => {
    expect(reported("с", { baseCode: 99 })).toBe("с")
  })

  test("a key without a name is no chord", () => expect(reported("")).toBe(""))
})
