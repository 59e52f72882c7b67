import { afterEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../../src/std/clock.ts"
import { colorLines, type Capture } from "../../../src/tui/highlight/color-lines.ts"
import { CodeHighlighter, type Colored, type Parser } from "../../../src/tui/highlight/highlighter.ts"
import { languageName, languageOf } from "../../../src/tui/highlight/languages.ts"
import { TreeSitterParser } from "../../../src/tui/highlight/tree-sitter.ts"
import { stillClock } from "../viewport/blocks.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "cairn-colours-"))
  folders.push(made)
  return made
}

function drawn(colored: Colored): readonly string[] | null {
  return (
    colored.lines?.map((spans) =>
      spans.map(({ text, style }) => (style.fg === "markdownCodeBlock" ? text : `<${style.fg}|${text}>`)).join(""),
    ) ?? null
  )
}

const samples: Readonly<Record<string, readonly [code: string, found: string]>> = {
  ts: ["const x: number = 1", "<syntaxKeyword|const>"],
  tsx: ["const a = <b>1</b>", "<syntaxKeyword|const>"],
  js: ["let a = 'x'", "<syntaxString|'x'>"],
  python: ["def f(x):\n    return 'a'", "<syntaxFunction|f>"],
  rust: ["fn main() { let x: u32 = 1; }", "<syntaxKeyword|fn>"],
  go: ["func main() { x := 1 }", "<syntaxKeyword|func>"],
  c: ["int main(void) { return 0; }", "<syntaxKeyword|return>"],
  cpp: ["class A { public: int x = 1; };", "<syntaxKeyword|class>"],
  java: ["class A { int x = 1; }", "<syntaxKeyword|class>"],
  bash: ['for i in 1; do echo "$i"; done # x', "<syntaxComment|# x>"],
  json: ['{"a": true}', "<syntaxString|"],
  yaml: ["a: 1 # c", "<syntaxComment|# c>"],
  toml: ["[a]\nb = 1", "<syntaxNumber|1>"],
  html: ['<a href="x">b</a>', "<syntaxKeyword|a>"],
  css: ["a { color: red; }", "<syntaxVariable|color>"],
  sql: ["select 'x' from t -- c", "<syntaxKeyword|select> <syntaxString|'x'>"],
  md: ["# Hi", "<markdownHeading|"],
  diff: ["+a\n-b", "<diffAdded|+a>"],
}

test("every language that is promised gets colours, and no character is lost", async () => {
  const failures: string[] = []
  const colors = new CodeHighlighter(new TreeSitterParser(folder(), (why) => failures.push(why)), systemClock)
  for (const [fence, [code, found]] of Object.entries(samples)) {
    let colored = colors.lookup(fence, code)
    while (colored.pending) {
      await new Promise<void>((resolve) => {
        const stop = colors.watch(() => {
          stop()
          resolve()
        })
      })
      colored = colors.lookup(fence, code)
    }
    expect([fence, drawn(colored)?.join("\n")]).toEqual([fence, expect.stringContaining(found)])
    expect(colored.lines?.map((spans) => spans.map(({ text }) => text).join("")).join("\n")).toBe(code)
  }
  await colors.close()
  expect(failures).toEqual([])
})

test("without a place to work there are no colours, and it is said why", async () => {
  const path = join(folder(), "file")
  writeFileSync(path, "in the way")
  const failures: string[] = []
  const parser = new TreeSitterParser(join(path, "deeper"), (why) => failures.push(why))
  expect(await parser.parse("python", "x = 1")).toBeNull()
  expect(failures[0]).toStartWith("Code is shown without colours: ")
  await parser.close()
})

/** A parser whose answers come when the test says so. */
function slowParser() {
  const asked: { code: string; answer: (captures: readonly Capture[] | null) => void }[] = []
  const parser: Parser = {
    knows: (language) => language === "x",
    parse: (_, code) => new Promise((answer) => asked.push({ code, answer })),
    close: () => Promise.resolve(),
  }
  return { parser, asked }
}

/** Promises that are kept by now have been heard. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

const keyword = (to: number): readonly Capture[] => [{ from: 0, to, name: "keyword" }]

test("code that grows keeps the colours of the lines that it had, and only its newest state is asked for", async () => {
  const { parser, asked } = slowParser()
  const clock = stillClock()
  const colors = new CodeHighlighter(parser, clock)
  let heard = 0
  colors.watch(() => (heard += 1))
  expect(colors.lookup("x", "let a\nle")).toEqual({ lines: null, pending: true })
  for (const code of ["let a\nlet", "let a\nlet b", "let a\nlet b\nlet c"]) colors.lookup("x", code)
  asked[0]?.answer(keyword(3))
  await settled()
  expect(heard).toBe(1)
  clock.run()
  await settled()
  expect(asked.map(({ code }) => code)).toEqual(["let a\nle", "let a\nlet b\nlet c"])
  const partly = colors.lookup("x", "let a\nlet b\nlet c")
  expect(partly.pending).toBe(true)
  expect(drawn(partly)).toEqual(["<syntaxKeyword|let> a"])
})

test("a language that nobody knows is plain at once, and an answer of nothing is not asked for again", async () => {
  const { parser, asked } = slowParser()
  const colors = new CodeHighlighter(parser, stillClock())
  expect(colors.lookup("klingon", "nuqneH")).toEqual({ lines: null, pending: false })
  colors.lookup("x", "y")
  asked[0]?.answer(null)
  await settled()
  expect(colors.lookup("x", "y")).toEqual({ lines: null, pending: false })
  expect(asked.length).toBe(1)
})

test("the innermost name colours a character", () => {
  const captures = [
    { from: 0, to: 9, name: "string" },
    { from: 3, to: 5, name: "string.escape" },
    { from: 0, to: 9, name: "nobody.knows" },
  ]
  expect(drawn({ lines: colorLines('"ab\\n\ncd"', captures), pending: false })).toEqual([
    '<syntaxString|"ab><syntaxNumber|\\n>',
    '<syntaxString|cd">',
  ])
})

test("languages are known by their fences and their files", () => {
  expect(["TS", "sh", "c++", "unknown"].map(languageName)).toEqual(["typescript", "bash", "cpp", "unknown"])
  expect(["src/a.tsx", "/x/.bashrc", "Makefile", "a.b/c", "x.PY"].map(languageOf)).toEqual([
    "typescriptreact",
    "bash",
    "",
    "",
    "python",
  ])
})
