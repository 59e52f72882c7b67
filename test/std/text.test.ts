import { expect, test } from "bun:test"
import {
  cellWidth,
  expandTabs,
  graphemes,
  shorten,
  textWidth,
  unjoined,
  wrap,
  type WidthMethod,
} from "../../src/std/text.ts"

function rows(
  text: string,
  width: number,
  by: "word" | "cell" = "word",
  method: WidthMethod = "unicode",
  rest = width,
) {
  return wrap(text, { method, by, first: width, rest }).map(({ from, to }) => text.slice(from, to))
}

test("the two ways of measuring differ for joined emoji, skin tones and the emoji selector, and for nothing common else", () => {
  const widths = (text: string): string => `${textWidth(text, "unicode")} ${textWidth(text, "wcwidth")}`
  expect(widths("👍🏽")).toBe("2 4")
  expect(widths("👩‍👩‍👧")).toBe("2 6")
  expect(widths("❤️")).toBe("2 1")
  expect(widths("1️⃣")).toBe("2 1")
  for (const same of ["abc", "你好", "한글", "e\u0301", "🇩🇪", "สวัสดี", "①", "…", "│"]) {
    expect(textWidth(same, "unicode")).toBe(textWidth(same, "wcwidth"))
  }
})

test("where code points are counted one by one, emoji are not told to join, and take the cells that were counted", () => {
  expect(unjoined("a 👩‍👩‍👧 b", "wcwidth")).toBe("a 👩👩👧 b")
  expect(textWidth(unjoined("👩‍👩‍👧", "wcwidth"), "wcwidth")).toBe(textWidth("👩‍👩‍👧", "wcwidth"))
  expect(unjoined("a 👩‍👩‍👧 b", "unicode")).toBe("a 👩‍👩‍👧 b")
})

test("words are kept whole and the spaces at a break belong to no row", () => {
  expect(rows("the quick brown fox jumps", 10)).toEqual(["the quick", "brown fox", "jumps"])
  expect(rows("a  b   c d", 3)).toEqual(["a", "b", "c d"])
  expect(rows("hello    ", 6)).toEqual(["hello "])
  expect(rows("", 5)).toEqual([""])
})

test("a word wider than a row is broken, and leading spaces stay", () => {
  expect(rows("averyveryverylongword here", 8)).toEqual(["averyver", "yverylon", "gword", "here"])
  expect(rows("   lead space line", 8)).toEqual(["   lead", "space", "line"])
})

test("wide characters break between each other, not before a full stop", () => {
  expect(rows("你好世界，再见。", 6)).toEqual(["你好世", "界，再", "见。"])
})

test("code breaks where the row is full and loses nothing", () => {
  expect(rows("ab cd ef", 5, "cell")).toEqual(["ab cd", " ef"])
})

test("a hanging indent leaves less for the further rows", () => {
  expect(rows("one two three four", 9, "word", "unicode", 5)).toEqual(["one two", "three", "four"])
})

test("text is shortened to the cell", () => {
  expect(shorten("hello world", 8, "unicode")).toBe("hello w…")
  expect(shorten("你好世界", 5, "unicode")).toBe("你好…")
  expect(shorten("你好世界", 4, "unicode")).toBe("你…")
  expect(shorten("ok", 2, "unicode")).toBe("ok")
  expect(shorten("ok", 0, "unicode")).toBe("")
})

test("a tab counts from the column that the line begins at", () => {
  expect(expandTabs("\tx", "unicode", 1)).toBe("       x")
  expect(expandTabs("\tx\ty", "unicode", 7)).toBe(" x       y")
})

const pieces = [
  "a",
  "word",
  " ",
  "  ",
  "\t",
  "中",
  "，",
  "👩‍👩‍👧‍👦",
  "👍🏽",
  "e\u0301",
  "🇩🇪",
  "-",
  "。",
  "ก็",
  "한글",
  "⚠️",
  "longer-word/with.marks",
]

test("rows are never wider than asked, never split a character, and lose nothing but white space", () => {
  let state = 7
  const next = (below: number): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state % below
  }
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: 1 + next(30) }, () => pieces[next(pieces.length)]).join("")
    const width = 2 + next(20)
    for (const method of ["unicode", "wcwidth"] as const) {
      for (const by of ["word", "cell"] as const) {
        const widest = Math.max(...graphemes(text).map((one) => cellWidth(one, method)))
        const ranges = wrap(text, { method, by, first: width, rest: width })
        const whole = new Set([0])
        let at = 0
        for (const grapheme of graphemes(text)) whole.add((at += grapheme.length))
        let end = 0
        for (const { from, to } of ranges) {
          expect(whole.has(from) && whole.has(to)).toBe(true)
          expect(text.slice(end, from).trim()).toBe("")
          expect(textWidth(text.slice(from, to), method)).toBeLessThanOrEqual(Math.max(width, widest))
          end = to
        }
        expect(text.slice(end).trim()).toBe("")
      }
    }
  }
})

test("a long line that grows is wrapped as if it had been there at once", () => {
  const tokens = ["word ", "a-very-long-word-", "宽字符", "e\u0301", "👩‍👩‍👧 ", "\t", "  ", "ต่อ", ". "]
  let state = 7
  const next = (below: number): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
  for (const width of [9, 40, 98]) {
    for (const by of ["word", "cell"] as const) {
      let text = "x".repeat(2_000)
      for (let round = 0; round < 60; round++) {
        text += Array.from({ length: 1 + next(9) }, () => tokens[next(tokens.length)]).join("")
        const options = { method: "unicode", by, first: width, rest: width - 2 } as const
        const grown = wrap(text, options)
        // A text that begins otherwise is not remembered.
        const fresh = wrap(`y${text}`, { ...options, first: width + 1 })
        expect(grown).toEqual(fresh.map(({ from, to }) => ({ from: Math.max(0, from - 1), to: to - 1 })))
      }
    }
  }
})
