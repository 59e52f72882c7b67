/**
 * The house rules, as pure functions over a file's path and text. A rule's finding names file, line and what to do.
 */
import { factsOf, type Facts, type Span } from "./tidy-facts.ts"
import { layerFindings } from "./tidy-layers.ts"

export type Finding = { readonly path: string; readonly line: number; readonly rule: string; readonly message: string }

/** A file: its path from the top of the repository, and its text. */
export type File = { readonly path: string; readonly text: string }

/** Lines of a file. The aim is 300; tests may hold longer tables. */
const fileLinesMax = { src: 350, test: 500 } as const
const functionLinesMax = 70

/** Everything at the top, and nothing else; what the ignore file names is not looked at. */
export const topLevel = [
  ".ci",
  ".gitignore",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "bun.lock",
  "bunfig.toml",
  "keymaps",
  "package.json",
  "src",
  "test",
  "themes",
  "tsconfig.json",
] as const

const isCode = (path: string): boolean => path.endsWith(".ts") && !path.endsWith(".d.ts")
const isTest = (path: string): boolean => path.endsWith(".test.ts")

/** The rules say the words that they forbid. */
const isOurs = (path: string): boolean => path.startsWith("test/support/tidy-") || path === "test/tidy.test.ts"

/** A function that only groups tests: each of them is a function of its own. */
function isSuite(path: string, span: Span, facts: Facts): boolean {
  const last = span.line + span.lines
  return (
    path.startsWith("test/") &&
    facts.calls.some(({ name, line }) => isTestCall.test(name) && line > span.line && line < last)
  )
}

const isTestCall = /^(test|it)(\.each)?$/

function lengthFindings({ path, text }: File, facts: Facts): Finding[] {
  const max = path.startsWith("src/") ? fileLinesMax.src : fileLinesMax.test
  const lines = text.replace(/\n$/, "").split("\n").length
  const file =
    lines <= max
      ? []
      : [{ path, line: max + 1, rule: "file length", message: `${lines} lines, at most ${max}: it is two` }]
  const functions = facts.functions
    .filter((span) => span.lines > functionLinesMax && !isSuite(path, span, facts))
    .map((span) => ({
      path,
      line: span.line,
      rule: "function length",
      message: `${span.name} has ${span.lines} lines, at most ${functionLinesMax}`,
    }))
  return [...file, ...functions]
}

function typeFindings(path: string, facts: Facts): Finding[] {
  const ignored = facts.comments
    .filter(({ text }) => /@ts-(ignore|expect-error|nocheck)/.test(text))
    .map(({ line }) => ({ path, line, rule: "types", message: "the type checker is not silenced" }))
  const any = facts.anyTypes.map((line) => ({
    path,
    line,
    rule: "types",
    message: "no `any`: say what it is, or `unknown`",
  }))
  return [...any, ...ignored]
}

function exportFindings(path: string, facts: Facts): Finding[] {
  const named = facts.defaultExports.map((line) => ({ path, line, rule: "exports", message: "no default exports" }))
  const passed = facts.reexports.map(({ line, specifier }) => ({
    path,
    line,
    rule: "exports",
    message: `no barrels: import from ${specifier} where it is needed`,
  }))
  return [...named, ...passed]
}

const leftovers = /\b(TODO|FIXME|XXX|HACK)\b/

function commentFindings({ path, text }: File, facts: Facts): Finding[] {
  const left = facts.comments
    .filter((comment) => leftovers.test(comment.text))
    .map(({ line }) => ({ path, line, rule: "comments", message: "do it, or say what is so" }))
  if (!path.startsWith("src/") || text.startsWith("/**")) return left
  return [...left, { path, line: 1, rule: "comments", message: "a file opens with its purpose and what is true in it" }]
}

const muted = /^(test|it|describe)\.(skip|todo|only|if|skipIf|todoIf|failing)$/

function testFindings(path: string, facts: Facts): Finding[] {
  if (!isTest(path)) return []
  const calls = facts.calls.filter(({ name }) => muted.test(name))
  const sleeps = facts.calls.filter(
    ({ name }) => name === "Bun.sleep" || name === "Bun.sleepSync" || name === "setTimeout",
  )
  return [
    ...calls.map(({ name, line }) => ({ path, line, rule: "tests", message: `${name}: every test runs, always` })),
    ...sleeps.map(({ name, line }) => ({
      path,
      line,
      rule: "tests",
      message: `${name}: wait for the event, not for time`,
    })),
  ]
}

/** Words that tell of a machine, a registry or a drawer that the repository does not have. */
const words: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    pattern: /registry\.[a-z0-9-]+\.[a-z]{2,}|\b(npmjs|yarnpkg|npmmirror|pythonhosted)\.(com|org)\b|\bpypi\.org\b/i,
    message: "no registry is named",
  },
  { pattern: /(^|[^\w.~-])\/(work|root)\/[\w.-]/, message: "no path of one machine" },
  { pattern: /\b(DECISIONS|DESIGN|STYLE)(\.md\b| §|\s\d)/, message: "what is not in the repository is not cited" },
]

function wordFindings({ path, text }: File): Finding[] {
  if (isOurs(path)) return []
  return text
    .split("\n")
    .flatMap((row, index) =>
      words
        .filter(({ pattern }) => pattern.test(row))
        .map(({ message }) => ({ path, line: index + 1, rule: "words", message })),
    )
}

/** In the lock file a package is its name and its digest: where it came from is the business of the machine that fetches it. */
function lockFindings({ path, text }: File): Finding[] {
  if (path !== "bun.lock") return []
  return text.split("\n").flatMap((row, index) => {
    const [, resolved] = /^ {4}"[^"]+": \["[^"]+", "([^"]*)"/.exec(row) ?? []
    if (!row.includes("://") && (resolved === undefined || resolved === "")) return []
    return [{ path, line: index + 1, rule: "lock file", message: "it names the place that a package came from" }]
  })
}

/** What is wrong with one file. */
export function fileFindings(file: File): readonly Finding[] {
  const anywhere = [...wordFindings(file), ...lockFindings(file)]
  if (!isCode(file.path)) return anywhere
  const facts = factsOf(file.text)
  return [
    ...anywhere,
    ...layerFindings(file.path, facts),
    ...lengthFindings(file, facts),
    ...typeFindings(file.path, facts),
    ...exportFindings(file.path, facts),
    ...commentFindings(file, facts),
    ...testFindings(file.path, facts),
  ]
}

/** What is wrong with the names at the top of the repository. */
export function topFindings(names: readonly string[]): readonly Finding[] {
  const wanted: readonly string[] = topLevel
  const extra = names.filter((name) => !wanted.includes(name))
  const missing = wanted.filter((name) => !names.includes(name))
  return [
    ...extra.map((path) => ({ path, line: 1, rule: "top level", message: "it has no place at the top" })),
    ...missing.map((path) => ({ path, line: 1, rule: "top level", message: "it is missing" })),
  ]
}

/** Exported functions, constants and classes of `src/` whose name nothing says but their own declaration. */
export function unusedFindings(files: readonly File[]): readonly Finding[] {
  const code = files.filter(({ path }) => isCode(path))
  const said = new Map<string, number>()
  for (const { text } of code) {
    for (const word of text.match(/[A-Za-z_$][\w$]*/g) ?? []) said.set(word, (said.get(word) ?? 0) + 1)
  }
  return code
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ path, text }) =>
      factsOf(text)
        .exportedValues.filter(({ name }) => (said.get(name) ?? 0) < 2)
        .map(({ name, line }) => ({ path, line, rule: "unused", message: `nobody uses ${name}: remove it` })),
    )
}
