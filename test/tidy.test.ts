/** The house rules, applied to the house; and each of them tried on a small house that breaks it. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { layerOf, layers } from "./support/tidy-layers.ts"
import { fileFindings, topFindings, topLevel, unusedFindings, type File, type Finding } from "./support/tidy-rules.ts"

const root = dirname(import.meta.dir)

/** What the ignore file names, and the history. */
const ignored = new Set([".git", "node_modules", "dist"])
const isText = (path: string): boolean => !/\.(png|jpe?g|gif|wasm|ico)$/.test(path)

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name) && !name.endsWith(".log"))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
}

const files: readonly File[] = filesBelow("")
  .filter(isText)
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

const told = (findings: readonly Finding[]): string =>
  findings.map(({ path, line, rule, message }) => `${path}:${line}: ${rule}: ${message}`).join("\n")

test("every file keeps the rules of the house", () => {
  expect(told(files.flatMap(fileFindings))).toBe("")
})

test("nothing is exported that nobody uses", () => {
  expect(told(unusedFindings(files))).toBe("")
})

test("the top of the repository holds what it should and nothing else", () => {
  const names = readdirSync(root).filter((name) => !ignored.has(name) && !name.endsWith(".log"))
  expect(told(topFindings(names))).toBe("")
})

test("every folder of src is in the table, and every folder of the table knows only lower ones", () => {
  const folders = new Set(files.flatMap(({ path }) => layerOf(path) ?? []))
  expect([...folders].filter((folder) => layers[folder] === undefined)).toEqual([])
  const reaches = (from: string, seen: readonly string[] = []): readonly string[] =>
    (layers[from] ?? [])
      .filter((to) => to !== from)
      .flatMap((to) => (seen.includes(to) ? [to] : [to, ...reaches(to, [...seen, from])]))
  const circular = Object.keys(layers).filter((folder) => reaches(folder).includes(folder))
  expect(circular).toEqual([])
})

const head = "/** Purpose. */\n"
const long = (lines: number): string => "x()\n".repeat(lines)

test.each<[name: string, path: string, text: string, findings: string[]]>([
  [
    "a layer that knows a higher one",
    "src/std/a.ts",
    `${head}import { b } from "../tui/b.ts"`,
    ["2 layers: std does not know tui"],
  ],
  [
    "a layer that knows one of its own tier",
    "src/wire/a.ts",
    `${head}import "../engine/b.ts"`,
    ["2 layers: wire does not know engine"],
  ],
  [
    "a layer that is only asked for a type",
    "src/ledger/a.ts",
    `${head}import type { B } from "../message/b.ts"`,
    ["2 layers: ledger does not know message"],
  ],
  [
    "a layer named in a type",
    "src/std/a.ts",
    `${head}type B = import("../cli/b.ts").B`,
    ["2 layers: std does not know cli"],
  ],
  [
    "a layer imported while running",
    "src/tui/a.ts",
    `${head}const b = await import("../ledger/b.ts")`,
    ["2 layers: tui does not know ledger"],
  ],
  ["a path that leads back into the same layer", "src/std/a.ts", `${head}import "../std/b.ts"`, []],
  [
    "a folder that is in no row",
    "src/new/a.ts",
    `${head}import "../std/b.ts"`,
    ["2 layers: new is in no row of the table"],
  ],
  ["a lower layer", "src/engine/a.ts", `${head}import "../ledger/b.ts"`, []],
  [
    "the start, which knows the assembly alone",
    "src/main.ts",
    `${head}import "./engine/b.ts"`,
    ["2 layers: src/main.ts does not know engine"],
  ],
  [
    "code that imports a test",
    "src/cli/a.ts",
    `${head}import "../../test/b.ts"`,
    ["2 layers: src/ does not import test/b.ts"],
  ],
  [
    "an import without an ending",
    "src/std/a.ts",
    `${head}import "./b"`,
    ["2 layers: an import by path names its file with its ending: ./b"],
  ],
  ["an embedded file", "src/ledger/a.ts", `${head}import schema from "./schema.sql" with { type: "text" }`, []],
  [
    "the renderer outside the screen",
    "src/cli/a.ts",
    `${head}import "@opentui/core"`,
    ["2 packages: @opentui/core is imported in src/tui/ alone"],
  ],
  [
    "a part of a package outside its place",
    "src/tui/a.ts",
    `${head}import "openai/helpers"`,
    ["2 packages: openai is imported in src/providers/ alone"],
  ],
  [
    "a package in another file of its folder",
    "src/std/a.ts",
    `${head}import ajv from "ajv"`,
    ["2 packages: ajv is imported in src/std/schema.ts alone"],
  ],
  [
    "the database outside the ledger",
    "src/engine/a.ts",
    `${head}import "bun:sqlite"`,
    ["2 packages: bun:sqlite is imported in src/ledger/ alone"],
  ],
  [
    "a grammar outside the highlighter",
    "src/tui/a.ts",
    `${head}import "tree-sitter-go/a.wasm"`,
    ["2 packages: tree-sitter-go is imported in src/tui/highlight/ alone"],
  ],
  [
    "a package that is in no row",
    "src/std/a.ts",
    `${head}import "left-pad"`,
    ["2 packages: the package left-pad is in no row of the table"],
  ],
  ["what the runtime brings", "src/std/a.ts", `${head}import "node:fs"\nimport "bun:ffi"`, []],
  [
    "the environment read in the engine",
    "src/engine/a.ts",
    `${head}const { HOME } = process.env`,
    ["2 environment: process.env is read in cli and home alone"],
  ],
  [
    "the environment by its other name",
    "src/tui/a.ts",
    `${head}f(Bun.env.HOME)`,
    ["2 environment: Bun.env is read in cli and home alone"],
  ],
  ["the environment in a text", "src/engine/a.ts", `${head}const says = "process.env"`, []],
  ["the environment where it may be read", "src/cli/a.ts", `${head}f(process.env)`, []],
  ["a file of 350 lines", "src/std/a.ts", head + long(349), []],
  ["a file of 351 lines", "src/std/a.ts", head + long(350), ["351 file length: 351 lines, at most 350: it is two"]],
  ["a function of 70 lines", "src/std/a.ts", `${head}function f() {\n${long(68)}}`, []],
  [
    "a function of 71 lines",
    "src/std/a.ts",
    `${head}function f() {\n${long(69)}}`,
    ["2 function length: f has 71 lines, at most 70"],
  ],
  [
    "a long method",
    "src/std/a.ts",
    `${head}class C {\n  m() {\n${long(69)}}\n}`,
    ["3 function length: m has 71 lines, at most 70"],
  ],
  [
    "a long arrow function",
    "src/std/a.ts",
    `${head}const g = () => {\n${long(69)}}`,
    ["2 function length: g has 71 lines, at most 70"],
  ],
  ["a long group of tests", "test/a.test.ts", `describe("a", () => {\n  test("b", () => {})\n${long(69)}})`, []],
  [
    "a long test",
    "test/a.test.ts",
    `test("a", () => {\n${long(69)}})`,
    ["1 function length: a function has 71 lines, at most 70"],
  ],
  [
    "braces in texts, patterns and templates",
    "src/std/a.ts",
    `${head}const f = () => /[}]/.test("{{" + \`{\${"}"}\`)\n${long(80)}`,
    [],
  ],
  [
    "a type that says nothing",
    "test/std/a.ts",
    "const a: any = 1",
    ["1 types: no `any`: say what it is, or `unknown`"],
  ],
  [
    "the same inside another type",
    "src/std/a.ts",
    `${head}type A = Map<string, any[]>`,
    ["2 types: no `any`: say what it is, or `unknown`"],
  ],
  ["the same in a cast", "src/std/a.ts", `${head}f(x as any)`, ["2 types: no `any`: say what it is, or `unknown`"]],
  ["the word in a text, a comment and a name", "src/std/a.ts", `${head}const anyOf = "any" // any`, []],
  ["a silenced checker", "src/std/a.ts", `${head}// @ts-ignore\nf()`, ["2 types: the type checker is not silenced"]],
  [
    "a silenced checker by its other name",
    "test/a.ts",
    "// @ts-expect-error why\nf()",
    ["1 types: the type checker is not silenced"],
  ],
  ["a default export", "src/std/a.ts", `${head}export default 1`, ["2 exports: no default exports"]],
  [
    "a barrel",
    "src/std/a.ts",
    `${head}export * from "./b.ts"`,
    ["2 exports: no barrels: import from ./b.ts where it is needed"],
  ],
  [
    "a barrel of names",
    "src/std/a.ts",
    `${head}export { b } from "./b.ts"`,
    ["2 exports: no barrels: import from ./b.ts where it is needed"],
  ],
  [
    "a file without a purpose",
    "src/std/a.ts",
    "f()\n",
    ["1 comments: a file opens with its purpose and what is true in it"],
  ],
  ["something put off", "src/std/a.ts", `${head}// TODO: later`, ["2 comments: do it, or say what is so"]],
  [
    "a test that does not run",
    "test/a.test.ts",
    `test.skip("a", () => {})`,
    ["1 tests: test.skip: every test runs, always"],
  ],
  [
    "a test that runs alone",
    "test/a.test.ts",
    `describe.only("a", () => {})`,
    ["1 tests: describe.only: every test runs, always"],
  ],
  [
    "a test that runs on some machines",
    "test/a.test.ts",
    `test.if(x)("a", () => {})`,
    ["1 tests: test.if: every test runs, always"],
  ],
  [
    "a test that sleeps",
    "test/a.test.ts",
    `await Bun.sleep(5)`,
    ["1 tests: Bun.sleep: wait for the event, not for time"],
  ],
  ["a registry's name", "README.md", "from\nhttps://registry.npmjs.org/x", ["2 words: no registry is named"]],
  ["a path of this machine", "src/std/a.ts", `${head}const a = "/root/x"`, ["2 words: no path of one machine"]],
  ["a path that only looks like it", "src/std/a.ts", `${head}const a = "./work/x" // and net/root/x`, []],
  ["a page that is not here", "README.md", "see DESIGN.md §2", ["1 words: what is not in the repository is not cited"]],
  [
    "a lock file that says where a package came from",
    "bun.lock",
    `{\n    "a": ["a@1.0.0", "https://example.org/a.tgz", {}, "sha512-x=="],`,
    ["2 lock file: it names the place that a package came from"],
  ],
  [
    "a lock file that names a mirror by a word",
    "bun.lock",
    `    "a": ["a@1.0.0", "mirror", {}, "sha512-x=="],`,
    ["1 lock file: it names the place that a package came from"],
  ],
  ["a lock file as it should be", "bun.lock", `    "a": ["a@1.0.0", "", {}, "sha512-x=="],`, []],
])("%s", (_, path, text, findings) => {
  expect(fileFindings({ path, text }).map(({ line, rule, message }) => `${line} ${rule}: ${message}`)).toEqual(findings)
})

test("something at the top that has no place there is found, and something that is missing", () => {
  const names = [...topLevel.filter((name) => name !== "LICENSE"), ".prettierrc"]
  expect(told(topFindings(names))).toBe(
    ".prettierrc:1: top level: it has no place at the top\nLICENSE:1: top level: it is missing",
  )
})

test("an export that nobody says the name of is found, and one that a test uses is not", () => {
  const lone = {
    path: "src/std/a.ts",
    text: `${head}export const used = 1\nexport function lone() {}\nexport type T = 1`,
  }
  const user = { path: "test/std/a.test.ts", text: `import { used } from "../../src/std/a.ts"` }
  expect(told(unusedFindings([lone, user]))).toBe("src/std/a.ts:3: unused: nobody uses lone: remove it")
})
