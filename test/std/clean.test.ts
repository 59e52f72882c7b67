import { expect, test } from "bun:test"
import { clean, cleanControls, cleanLine } from "../../src/std/clean.ts"
import { parseAnsi } from "../../src/std/ansi.ts"

/** What must never reach a terminal from data. */
const dangerous = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]/

const corpus = [
  "\x1b]52;c;aGk=\x07",
  "\x1b]0;x\x07",
  "\x1b]8;;http://e\x1b\\",
  "\x1b[10A",
  "\x1b[2J",
  "\x1b[6n",
  "\x1bc",
  "\x1bPq\x1b\\",
  "\x1b_G\x1b\\",
  "\x1b^pm\x1b\\",
  "\x1bXsos\x1b\\",
  "\x1b(0",
  "\x1b#8",
  "\u009b2J",
  "\u009d0;title\u009c",
  "\u0090q\u009c",
  "\u0085",
  "\x1b]never closed",
  "\x1b[31",
  "\x1b",
  "\x07",
  "\r",
  "\b".repeat(20),
  "\x00\x0e\x0f\x7f",
  "\u202e\u202a\u2066\u2069",
  "\u200b\u2060\ufeff",
  "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\",
]

test("no text that was cleaned holds a control character, a bidi control or a hidden space", () => {
  for (const attack of corpus) {
    for (const text of [attack, `before${attack}after`, `${attack}${attack}`, `line\n${attack}\nline`]) {
      expect(clean(text)).not.toMatch(dangerous)
      const shown = parseAnsi(text).lines.flatMap((line) => line.map((span) => span.text))
      for (const part of shown) expect(part).not.toMatch(dangerous)
    }
  }
})

test("every pair of attacks, cut anywhere, comes out harmless", () => {
  for (const one of corpus) {
    for (const other of corpus) {
      const text = one + other
      for (let cut = 0; cut <= text.length; cut++) expect(cleanControls(text.slice(0, cut))).not.toMatch(dangerous)
    }
  }
})

test("a whole sequence is gone and what stood around it stays", () => {
  expect(clean("a\x1b]52;c;aGk=\x07b\x1b[2Jc\u009b2Jd")).toBe("abcd")
  expect(clean("\x1b]8;;http://e\x1b\\link\x1b]8;;\x1b\\")).toBe("link")
  expect(clean("\x1b[38;2;1;2;3mred\x1b[0m")).toBe("red")
})

test("a sequence without an end swallows nothing", () => {
  expect(clean("\x1b]0;title\nrm -rf /")).toBe("␛]0;title\nrm -rf /")
  expect(clean("x\x1b[31")).toBe("x␛[31")
})

test("a carriage return cannot paint over what was said", () => {
  expect(clean("rm -rf /\rls")).toBe("rm -rf /␍ls")
  expect(clean("a\r\nb")).toBe("a\nb")
})

test("what hides is shown by its number, and what a script or an emoji needs stays", () => {
  expect(clean("a\u202eb")).toBe("a<U+202E>b")
  expect(clean("\u{e0041}\u{e0042}")).toBe("<U+E0041><U+E0042>")
  expect(clean("👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می‌خواهم क्‍ष")).toBe("👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می‌خواهم क्‍ष")
  expect(clean("a\u200db")).toBe("a<U+200D>b")
  expect(clean("x\ufe0f\ufe01\ufe02")).toBe("x\ufe0f<U+FE01><U+FE02>")
  expect(clean("\ud800")).toBe("\ufffd")
})

test("tabs fill up to the next tab stop of each line", () => {
  expect(clean("\tx\ty\n12345678\tz\n中\t|")).toBe("        x       y\n12345678        z\n中      |")
  expect(cleanControls("\tx")).toBe("\tx")
})

test("a clean line is one line", () => {
  expect(cleanLine(" a\n b\t\x1b[31mc\x1b[0m ")).toBe("a b c")
})

test("a text that is clean comes back as it is, and cleaning twice is cleaning once", () => {
  const text = "plain text\nof two lines"
  expect(cleanControls(text)).toBe(text)
  for (const attack of corpus) expect(clean(clean(attack))).toBe(clean(attack))
})
