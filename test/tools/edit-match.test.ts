import { describe, expect, test } from "bun:test"
import { applyEdits, type Edit, type EditOutcome } from "../../src/tools/edit-match.ts"
import { seeded } from "../support/seeded.ts"

function edit(text: string, oldText: string, newText: string): EditOutcome {
  return applyEdits(text, [{ oldText, newText }], "a.txt")
}

function edited(text: string, oldText: string, newText: string): string {
  const outcome = edit(text, oldText, newText)
  return outcome.ok ? outcome.text : `error: ${outcome.message}`
}

function message(outcome: EditOutcome): string {
  return outcome.ok ? `made: ${outcome.text}` : outcome.message
}

type Row = readonly [sentence: string, file: string, oldText: string, newText: string, result: string]

const rows: readonly Row[] = [
  ["text is replaced to the letter", "one two three", "two", "2", "one 2 three"],
  ["text can be taken out", "one two three", " two", "", "one three"],
  ["dollars and backslashes in new text mean themselves (77)", "a b c", "b", "$& \\1 $1 $$", "a $& \\1 $1 $$ c"],
  ["an edit of line ends alone changes them (67)", "p\r\nq", "p\r\nq", "p\nq", "p\nq"],
  [
    "old text with LF matches CRLF, and new lines end in CRLF (68)",
    "one\r\ntwo\r\nthree\r\n",
    "one\ntwo",
    "one\n2",
    "one\r\n2\r\nthree\r\n",
  ],
  [
    "a line more in a CRLF file ends in CRLF (68)",
    "one\r\ntwo\r\n",
    "one",
    "one\nand a half",
    "one\r\nand a half\r\ntwo\r\n",
  ],
  ["mixed line ends stay per line (68)", "a\r\nb\nc\r\nd\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\nd\n"],
  ["lone CRs are line ends too (68)", "a\rb\rc", "a\nb", "a\nB\nx", "a\rB\rx\rc"],
  ["no newline is added at the end (68)", "a\r\nb", "a\nb", "a\nB", "a\r\nB"],
  ["a last line without a newline matches one that has it (69)", "abc", "abc\n", "bye\n", "bye"],
  ["the last of several lines may lack its newline (69)", "x\nabc", "x\nabc\n", "x\nbye\nmore\n", "x\nbye\nmore"],
  ["straight quotes can be made curly (72)", "x = '{0}'", "'{0}'", "‘{0}’", "x = ‘{0}’"],
  [
    "a look-alike match keeps the file's own quotes (73)",
    "Il dit “Bonjour”. C’est x\u00a0y – z",
    '"Bonjour"',
    '"Salut"',
    "Il dit “Salut”. C’est x\u00a0y – z",
  ],
  [
    "a look-alike match keeps what it did not mean (73)",
    "C’est “a”\u00a0– b",
    'C\'est "a" - b',
    'C\'est "a" - c',
    "C’est “a”\u00a0– c",
  ],
  ["a loose match takes no blank behind it (76)", "one   two six", "one two", "N", "N six"],
  ["runs of blanks match, and stay (75)", "p     q", "p q", "p r", "p     r"],
  [
    "blanks before a line's end do not matter, and stay",
    "if x:   \n  y\n",
    "if x:\n  y",
    "if x:\n  z",
    "if x:   \n  z\n",
  ],
  ["blanks before a line's end in old text do not matter", "foo\nbar\n", "foo  \nbar", "foo\nbaz", "foo\nbaz\n"],
  ["decomposed letters match composed ones", "cafe\u0301 noir", "café noir", "café crème", "cafe\u0301 crème"],
  ["composed letters match decomposed ones", "café noir", "cafe\u0301 noir", "cafe\u0301 crème", "café crème"],
  ["an ellipsis is three dots, and stays one", "wait… what", "wait... what", "wait... who", "wait… who"],
  ["half an ellipsis gives way to the new text", "wait… what", "wait... what", "wait. what", "wait. what"],
  ["lines that are shifted by different amounts are no block", "  if a:\n    b\n  c\n", "if a:\n  b2", "x", "error"],
  [
    "a block is found at another depth, and stays there",
    "class A:\n    def f(self):\n        return 1\n",
    "def f(self):\n    return 1\n",
    "def f(self):\n    x = 1\n    return x\n",
    "class A:\n    def f(self):\n        x = 1\n        return x\n",
  ],
  [
    "a block is found at a lesser depth",
    "f() {\n  a\n}\n",
    "    f() {\n      a\n    }",
    "    f() {\n      b\n    }",
    "f() {\n  b\n}\n",
  ],
  [
    "spaces in old text match tabs in the file",
    "\tif (a) {\n\t\tb\n\t}\n",
    "    if (a) {\n        b\n    }",
    "    if (a) {\n        c\n        d\n    }",
    "\tif (a) {\n\t\tc\n\t\td\n\t}\n",
  ],
  [
    "tabs in old text match spaces in the file",
    "  if (a) {\n    b\n  }\n",
    "\tif (a) {\n\t\tb\n\t}",
    "\tif (a) {\n\t\tc\n\t}",
    "  if (a) {\n    c\n  }\n",
  ],
  [
    "a shifted block in a CRLF file keeps its line ends",
    "  a\r\n    b\r\n",
    "a\n  b\n",
    "a\n  c\n",
    "  a\r\n    c\r\n",
  ],
  ["blank lines in a shifted block need no indentation", "  a\n\n  b\n", "a\n\nb\n", "a\n\nc\n", "  a\n\n  c\n"],
  [
    "characters of several bytes at any cut are kept (81)",
    `${"x".repeat(199)}阴😀 end`,
    "end",
    "END",
    `${"x".repeat(199)}阴😀 END`,
  ],
]

describe("an edit", () => {
  for (const [sentence, file, oldText, newText, result] of rows) {
    test(sentence, () => {
      if (result === "error") expect(edit(file, oldText, newText).ok).toBe(false)
      else expect(edited(file, oldText, newText)).toBe(result)
    })
  }

  test("a loose match is told", () => {
    const outcome = edit("say “hi”", '"hi"', '"ho"')
    expect(outcome).toEqual({
      ok: true,
      text: "say “ho”",
      notes: ["oldText differed in look-alike characters (line 1)"],
    })
    expect(edit("say hi", "hi", "ho")).toEqual({ ok: true, text: "say ho", notes: [] })
  })
})

describe("an edit that cannot be made says why", () => {
  test("old text that is there twice is refused with its lines", () => {
    expect(message(edit("a\nb\na\n", "a", "c"))).toBe(
      "oldText is in a.txt 2 times (lines 1, 3): add lines around it until it is there once.",
    )
  })

  test("overlapping places count as two (77)", () => {
    expect(message(edit("zzz", "zz", "q"))).toContain("2 times")
  })

  test("blocks that differ only in indentation are not chosen between (75)", () => {
    const file = "if a:\n    x = 1\n    y = 2\nif b:\n        x = 1\n        y = 2\n"
    expect(message(edit(file, "  x = 1\n  y = 2\n", "z"))).toContain("2 times (lines 2, 5)")
    expect(edited(file, "    x = 1\n    y = 2\nif b", "    z\nif b")).toBe(
      "if a:\n    z\nif b:\n        x = 1\n        y = 2\n",
    )
  })

  test("two loose places are not chosen between (75)", () => {
    expect(message(edit("p   q\np  q\n", "p q", "x"))).toContain("2 times (lines 1, 2)")
  })

  test("empty old text is refused (77)", () => {
    expect(message(edit("zzzz", "", "x"))).toBe(
      "oldText is empty: give the text to replace, or make the file with write.",
    )
  })

  test("old text that equals its new text is refused (77)", () => {
    expect(message(edit("zzzz", "z", "z"))).toBe("Nothing to change: oldText and its newText are the same.")
  })

  test("a change of line ends that the file already has is nothing to change (67)", () => {
    expect(message(edit("p\r\nq", "p\nq", "p\r\nq"))).toBe("Nothing to change: a.txt already says that.")
  })

  test("no edits at all are refused", () => {
    expect(message(applyEdits("a", [], "a.txt"))).toContain("There are no edits")
  })

  test("the nearest passage is told, with the line that differs", () => {
    const file = "import a\n\nfunction sum(list) {\n  return list.reduce(add, 0)\n}\n"
    expect(message(edit(file, "function sum(list) {\n  return list.reduce(add, 1)\n}", "x"))).toBe(
      'oldText was not found in a.txt. The nearest is line 3; line 4 is "  return list.reduce(add, 0)" where oldText has "  return list.reduce(add, 1)".',
    )
  })

  test("a file with nothing like it is to be read again", () => {
    expect(message(edit("alpha\nbeta\n", "completely(other)", "x"))).toBe(
      "oldText was not found in a.txt. Nothing like it is there: read the file again.",
    )
  })

  test("an edit that seems made already is told so", () => {
    expect(message(edit("the new sentence\n", "the old words!", "the new sentence"))).toContain(
      "The new text is there, at line 1",
    )
  })

  test("a quoted line is cut between characters (81)", () => {
    const line = `const a = "${"阴😀".repeat(100)}"`
    const told = message(edit(`${line}1\n`, `${line}2\n`, "x"))
    expect(told.isWellFormed()).toBe(true)
    expect(told).toContain("…")
  })

  test("of several edits the faulty one is named, and none is made", () => {
    const edits: readonly Edit[] = [
      { oldText: "a", newText: "b" },
      { oldText: "nowhere at all", newText: "x" },
    ]
    expect(message(applyEdits("a", edits, "a.txt"))).toContain("edits[1].oldText was not found")
  })

  test("edits that overlap are refused with the line", () => {
    const edits: readonly Edit[] = [
      { oldText: "one two", newText: "1" },
      { oldText: "two three", newText: "2" },
    ]
    expect(message(applyEdits("x\none two three", edits, "a.txt"))).toBe(
      "edits[0].oldText and edits[1].oldText overlap at line 2 of a.txt: make one edit of them.",
    )
  })
})

test("edits are matched against the original, in any order, and may touch", () => {
  const edits: readonly Edit[] = [
    { oldText: "c", newText: "a" },
    { oldText: "a", newText: "c" },
    { oldText: "b", newText: "a c" },
  ]
  expect(applyEdits("abc", edits, "a.txt")).toEqual({ ok: true, text: "ca ca", notes: [] })
})

test("a file too large to fold is still matched to the letter", () => {
  const text = `${"x\n".repeat(2_500_000)}needle\n`
  expect(edit(text, "needle", "pin").ok).toBe(true)
  expect(edit(text, "needle  ", "pin").ok).toBe(false)
})

/** A file of lines that are all different, with every kind of end, blank, quote and letter in them. */
function randomFile(random: () => number): readonly string[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  return Array.from({ length: 3 + Math.floor(random() * 12) }, (_, at) => {
    const indent = pick(["", "  ", "    ", "\t", "\t\t"])
    const body = `${pick(["let", "“x”", "C’est", "e\u0301t\u00e9", "阴😀", "a–b"])} ${pick([" ", ""])}v${at}${pick(["", "  ", "\t", "\u00a0"])}`
    return indent + body + pick(["\n", "\n", "\r\n"])
  })
}

/** What a model might make of `line`: other quotes, dashes, blanks and ends. */
function misquoted(line: string, random: () => number): string {
  let text = line.replace("\r\n", "\n")
  if (random() < 0.5) text = text.replace(/[“”]/g, '"').replace("’", "'").replace("–", "-")
  if (random() < 0.5) text = text.replace(/[ \t\u00a0]+\n/, "\n")
  if (random() < 0.3) text = text.normalize("NFC")
  return text
}

test("bytes outside an edit never change, however loose the match", () => {
  let made = 0
  for (let seed = 1; seed <= 400; seed++) {
    const random = seeded(seed)
    const lines = randomFile(random)
    const from = Math.floor(random() * lines.length)
    const to = Math.min(lines.length, from + 1 + Math.floor(random() * 3))
    const oldText = lines
      .slice(from, to)
      .map((line) => misquoted(line, random))
      .join("")
    const outcome = edit(lines.join(""), oldText, `new words ${seed}\n`)
    if (!outcome.ok) continue
    made++
    const before = lines.slice(0, from).join("")
    const after = lines.slice(to).join("")
    expect(outcome.text.startsWith(before)).toBe(true)
    expect(outcome.text.endsWith(after)).toBe(true)
    expect(outcome.text.slice(before.length, outcome.text.length - after.length)).toContain(`new words ${seed}`)
  }
  expect(made).toBeGreaterThan(300)
})

test("an edit back again gives the file as it was", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed)
    const text = randomFile(random).join("")
    const lines = text.split("\n")
    const line = lines[Math.floor(random() * (lines.length - 1))] ?? ""
    if (line.trim() === "" || text.indexOf(line) !== text.lastIndexOf(line)) continue
    const there = edited(text, line, `«${seed}» once`)
    expect(edited(there, `«${seed}» once`, line)).toBe(text)
  }
})
