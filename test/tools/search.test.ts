import { describe, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { JsonObject } from "../../src/std/json.ts"
import { findTool } from "../../src/tools/find.ts"
import { grepTool } from "../../src/tools/grep.ts"
import { lsTool } from "../../src/tools/ls.ts"
import type { Tool, ToolContext } from "../../src/tools/tool.ts"
import { textOf, workbench, type Workbench } from "./workbench.ts"

function plant(bench: Workbench, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(bench.path(name)), { recursive: true })
    writeFileSync(bench.path(name), content)
  }
}

async function told(bench: Workbench, tool: Tool, args: JsonObject, more: Partial<ToolContext> = {}): Promise<string> {
  return textOf(await bench.call(tool, args, more))
}

const tree = {
  ".gitignore": "*.log\n/dist/\nbuild/\n!keep.log\n",
  ".hidden/a.ts": "alpha\n",
  ".git/config": "alpha\n",
  "dist/out.ts": "alpha\n",
  "debug.log": "alpha\n",
  "keep.log": "alpha\n",
  "src/a.ts": "one\nalpha beta\nthree\n",
  "src/B.ts": "ALPHA\n",
  "src/build/x.ts": "alpha\n",
  "src/dist/y.ts": "alpha\n",
  "src/.gitignore": "*.tmp\n!../debug.log\n",
  "src/z.tmp": "alpha\n",
} as const

describe("find", () => {
  test("sees what git sees, with hidden files, in order", async () => {
    using bench = workbench()
    plant(bench, tree)
    expect(await told(bench, findTool, { pattern: "*" })).toBe(
      [
        ".gitignore",
        ".hidden/",
        ".hidden/a.ts",
        "keep.log",
        "src/",
        "src/.gitignore",
        "src/B.ts",
        "src/a.ts",
        "src/dist/",
        "src/dist/y.ts",
      ].join("\n"),
    )
  })

  test("matches names anywhere, and paths from where it searches", async () => {
    using bench = workbench()
    plant(bench, tree)
    expect(await told(bench, findTool, { pattern: "*.ts" })).toBe(".hidden/a.ts\nsrc/B.ts\nsrc/a.ts\nsrc/dist/y.ts")
    expect(await told(bench, findTool, { pattern: "src/*.ts" })).toBe("src/B.ts\nsrc/a.ts")
    expect(await told(bench, findTool, { pattern: "./src/**/*.{ts,js}" })).toBe("src/B.ts\nsrc/a.ts\nsrc/dist/y.ts")
    expect(await told(bench, findTool, { pattern: "dist/*", path: "src" })).toBe("src/dist/y.ts")
  })

  test("minds case only where the pattern has capitals", async () => {
    using bench = workbench()
    plant(bench, tree)
    expect(await told(bench, findTool, { pattern: "b.ts" })).toBe("src/B.ts")
    expect(await told(bench, findTool, { pattern: "A.ts" })).toBe("No path matches A.ts.")
  })

  test("heeds the ignore files above it in a repository, and its own excludes", async () => {
    using bench = workbench()
    plant(bench, { ...tree, ".git/info/exclude": "B.ts\n" })
    expect(await told(bench, findTool, { pattern: "*", path: "src" })).toBe(
      "src/.gitignore\nsrc/a.ts\nsrc/dist/\nsrc/dist/y.ts",
    )
  })

  test("says when there is more", async () => {
    using bench = workbench()
    plant(bench, tree)
    expect(await told(bench, findTool, { pattern: "*.ts", limit: 2 })).toBe(
      ".hidden/a.ts\nsrc/B.ts\n\n[The first 2; there are more. Narrow the pattern, or give a higher limit.]",
    )
    expect(await told(bench, findTool, { pattern: "*.ts", limit: 4 })).not.toContain("more")
  })

  test("does not follow links in a circle, nor enter what is refused", async () => {
    using bench = workbench()
    plant(bench, { "a/b": "x", "ledgers/c": "x" })
    symlinkSync("..", bench.path("a/up"))
    expect(await told(bench, findTool, { pattern: "*" }, { refused: [bench.path("ledgers")] })).toBe("a/\na/b\na/up")
  })

  test("answers where there is no such folder", async () => {
    using bench = workbench()
    plant(bench, tree)
    expect(await told(bench, findTool, { pattern: "*", path: "scr" })).toBe("scr does not exist. Did you mean src?")
    expect(await told(bench, findTool, { pattern: "*", path: "src/a.ts" })).toBe("src/a.ts is a file, not a folder.")
  })
})

describe("grep", () => {
  test("finds lines in what git sees", async () => {
    using bench = workbench()
    plant(bench, tree)
    expect(await told(bench, grepTool, { pattern: "alpha" })).toBe(
      ".hidden/a.ts:1: alpha\nkeep.log:1: alpha\nsrc/B.ts:1: ALPHA\nsrc/a.ts:2: alpha beta\nsrc/dist/y.ts:1: alpha",
    )
    expect(await told(bench, grepTool, { pattern: "alpha", path: "src/dist" })).toBe("src/dist/y.ts:1: alpha")
    // A file that is named is searched, whatever the ignore files say.
    expect(await told(bench, grepTool, { pattern: "alpha", path: "dist/out.ts" })).toBe("dist/out.ts:1: alpha")
  })

  test("sees what find sees, with every kind of ignore file, and leaves out what is refused", async () => {
    using bench = workbench()
    plant(bench, {
      "a.txt": "x\n",
      "b.txt": "x\n",
      "c.txt": "x\n",
      "sub/d.txt": "x\n",
      "ledgers [1]/e.txt": "x\n",
      ".gitignore": "a.txt\nb.txt\n",
      ".ignore": "c.txt\n!b.txt\n",
      "sub/.rgignore": "d.txt\n",
    })
    const more = { refused: [bench.path("ledgers [1]")] }
    expect(await told(bench, grepTool, { pattern: "x", glob: "*.txt" }, more)).toBe("b.txt:1: x")
    expect(await told(bench, findTool, { pattern: "*.txt" }, more)).toBe("b.txt")
  })

  test("minds case only where the pattern has capitals, unless told", async () => {
    using bench = workbench()
    plant(bench, { "a.TS": "Word\n", "b.ts": "word\n" })
    expect(await told(bench, grepTool, { pattern: "word" })).toBe("a.TS:1: Word\nb.ts:1: word")
    expect(await told(bench, grepTool, { pattern: "Word" })).toBe("a.TS:1: Word")
    expect(await told(bench, grepTool, { pattern: "word", ignoreCase: false })).toBe("b.ts:1: word")
    expect(await told(bench, grepTool, { pattern: "word", glob: "*.{ts,js}" })).toBe("a.TS:1: Word\nb.ts:1: word")
    expect(await told(bench, grepTool, { pattern: "word", glob: "[a-b].TS" })).toBe("a.TS:1: Word")
  })

  test("knows what only PCRE knows, and globs of whole paths", async () => {
    using bench = workbench()
    plant(bench, { "src/a.ts": "foobar foofoo\n", "test/a.ts": "foobar\n" })
    expect(await told(bench, grepTool, { pattern: "foo(?!bar)", glob: "src/**" })).toBe("src/a.ts:1: foobar foofoo")
    expect(await told(bench, grepTool, { pattern: "(foo)\\1" })).toBe("src/a.ts:1: foobar foofoo")
    expect(await told(bench, grepTool, { pattern: "foobar", glob: "!test/**" })).toBe("src/a.ts:1: foobar foofoo")
  })

  test("knows regular expressions, literals, case, globs and single files", async () => {
    using bench = workbench()
    plant(bench, { "a.ts": "f(x)\nfoo42\nTail\n", "b.js": "foo7\n", "-c.ts": "foo1\n" })
    expect(await told(bench, grepTool, { pattern: "^foo\\d+$" })).toBe("-c.ts:1: foo1\na.ts:2: foo42\nb.js:1: foo7")
    expect(await told(bench, grepTool, { pattern: "foo\\d\\b", glob: "*.js" })).toBe("b.js:1: foo7")
    expect(await told(bench, grepTool, { pattern: "f(x)", literal: true })).toBe("a.ts:1: f(x)")
    expect(await told(bench, grepTool, { pattern: "tail", ignoreCase: true, path: "a.ts" })).toBe("a.ts:3: Tail")
    expect(await told(bench, grepTool, { pattern: "-e", literal: true })).toBe("No line matches -e.")
  })

  test("shows lines around a match, in groups", async () => {
    using bench = workbench()
    plant(bench, { a: "1\n2\nhit\n4\n5\n6\n7\n8\nhit\n" })
    expect(await told(bench, grepTool, { pattern: "hit", context: 1 })).toBe(
      "a-2- 2\na:3: hit\na-4- 4\n--\na-8- 8\na:9: hit",
    )
    expect(await told(bench, grepTool, { pattern: "hit", context: 1, limit: 1 })).toBe(
      "a-2- 2\na:3: hit\na-4- 4\n\n[The first 1; there are more. Narrow the search, or give a higher limit.]",
    )
  })

  test("says when there is more, and only then", async () => {
    using bench = workbench()
    plant(bench, { a: "x\n".repeat(100), b: "y\n" })
    expect(await told(bench, grepTool, { pattern: "x" })).not.toContain("more")
    expect(await told(bench, grepTool, { pattern: "x|y" })).toContain("[The first 100; there are more.")
  })

  test("tells matches by their paths, whichever file was searched first and whether there are more", async () => {
    using bench = workbench()
    const names = Array.from({ length: 60 }, (_, at) => `${"cab"[at % 3]}/${at % 7}/f${at}`)
    plant(bench, Object.fromEntries(names.map((name, at) => [name, `${"y\n".repeat(at % 5)}x ${at}\n`])))
    const all = await told(bench, grepTool, { pattern: "x" })
    const paths = all.split("\n").map((line) => line.slice(0, line.indexOf(":")))
    expect(paths.toSorted()).toEqual(names.toSorted())
    expect(paths.map((path) => path.split("/").slice(0, 2).join("/"))).toEqual(
      paths.map((path) => path.split("/").slice(0, 2).join("/")).toSorted(),
    )
    const some = await told(bench, grepTool, { pattern: "x", limit: 25 })
    expect(some.split("\n\n")[0]).toBe(all.split("\n").slice(0, 25).join("\n"))
    const around = await told(bench, grepTool, { pattern: "x", context: 1 })
    expect(around.split("\n--\n").map((group) => group.split("\n").at(-1))).toEqual(all.split("\n"))
  })

  test("cuts a long line, and passes over binary files (84)", async () => {
    using bench = workbench()
    plant(bench, {
      "long.js": `${"x".repeat(5_000_000)}needle\n`,
      bin: Uint8Array.of(0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0, 1),
    })
    expect(await told(bench, grepTool, { pattern: "needle" })).toBe(`long.js:1: ${"x".repeat(500)}…`)
    expect(await told(bench, grepTool, { pattern: "needle", path: "bin" })).toBe(
      "bin matches, and is binary: its lines are not shown.",
    )
    expect(await told(bench, grepTool, { pattern: "straw", path: "bin" })).toBe("No line matches straw.")
  })

  test("tells what is wrong with a pattern", async () => {
    using bench = workbench()
    plant(bench, { a: "x" })
    expect(await told(bench, grepTool, { pattern: "a(" })).toBe(
      "grep refuses the pattern: unclosed group. Escape what is meant to the letter, or set literal.",
    )
    expect(await told(bench, grepTool, { pattern: "" })).toBe("The pattern is empty.")
  })

  test("does not run away with a pattern, and reads no FIFO (45)", async () => {
    using bench = workbench()
    plant(bench, { a: `${"a".repeat(3_000)}b\n` })
    execFileSync("mkfifo", [bench.path("p")])
    const result = await bench.call(grepTool, { pattern: "(a+)+$" })
    expect(textOf(result)).toMatch(/^(No line matches|grep refuses)/)
  })

  test("finds nothing and says so; an abort ends it", async () => {
    using bench = workbench()
    plant(bench, { a: "x" })
    expect(await told(bench, grepTool, { pattern: "nothing" })).toBe("No line matches nothing.")
    expect(await told(bench, grepTool, { pattern: "x" }, { signal: AbortSignal.abort() })).toBe(
      "The search was interrupted.",
    )
  })

  test("needs nothing of the machine's own programs, and obeys no configuration of theirs", async () => {
    using bench = workbench()
    plant(bench, { a: "x\n", rc: "--files\n" })
    const env = { PATH: bench.folder, RIPGREP_CONFIG_PATH: bench.path("rc") }
    expect(await told(bench, grepTool, { pattern: "^x" }, { env })).toBe("a:1: x")
  })
})

test("a list stays small, however high a limit is given, and says that it was cut", async () => {
  using bench = workbench()
  const name = (at: number): string => `${"n".repeat(100)}${String(at).padStart(4, "0")}`
  plant(bench, Object.fromEntries(Array.from({ length: 600 }, (_, at) => [name(at), "x".repeat(400)])))
  for (const [tool, args] of [
    [findTool, { pattern: "*" }],
    [lsTool, {}],
    [grepTool, { pattern: "x" }],
  ] as const) {
    const text = await told(bench, tool, { ...args, limit: 1_000_000 })
    expect([tool.name, Buffer.byteLength(text) < 52 * 1024]).toEqual([tool.name, true])
    expect(text).toMatch(/\d{4}(:1: x{400})?\n\n\[Cut at 50 KiB: \d+ lines more\. Ask for less\.\]$/)
  }
})

describe("ls", () => {
  test("lists a folder without regard to case, with its kinds", async () => {
    using bench = workbench()
    plant(bench, { "b/x": "", A: "", ".c": "", d: "" })
    symlinkSync("d", bench.path("E"))
    expect(await told(bench, lsTool, {})).toBe(".c\nA\nb/\nd\nE@")
    expect(await told(bench, lsTool, { path: "b" })).toBe("x")
    expect(await told(bench, lsTool, { limit: 2 })).toBe(".c\nA\n\n[2 of 5 entries. Give a higher limit for more.]")
  })

  test("answers for an empty folder, a file, and nothing", async () => {
    using bench = workbench()
    plant(bench, { file: "" })
    mkdirSync(bench.path("empty"))
    expect(await told(bench, lsTool, { path: "empty" })).toBe("(empty folder)")
    expect(await told(bench, lsTool, { path: "file" })).toBe("file: it is a file, not a folder.")
    expect(await told(bench, lsTool, { path: "emtpy" })).toBe("emtpy does not exist. Did you mean empty?")
  })
})
