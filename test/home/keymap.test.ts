import { describe, expect, test } from "bun:test"
import type { Sources } from "../../src/home/chain.ts"
import { layerSources } from "../../src/home/chain.ts"
import { printKeys } from "../../src/home/chord.ts"
import { checkKeymap, resolveKeymap } from "../../src/home/keymap.ts"
import { printProblem } from "../../src/home/problem.ts"

const commands = ["app.quit", "app.help", "scroll.top", "prompt.submit"]

const base = `{
  "extends": null,
  "bindings": {
    "global": { "<leader> q": "app.quit", "f1": "app.help" },
    "editor": { "enter": "prompt.submit" }
  }
}`

function files(texts: Readonly<Record<string, string>>): Sources {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { file: `${name}.json`, text }]))
}

/** The bindings of a keymap, one a line, then what was reported. */
function resolved(name: string, sources: Sources): readonly string[] {
  const result = resolveKeymap(name, sources, commands)
  if ("problem" in result) return [printProblem(result.problem)]
  const lines = result.keymap.bindings.map(
    ({ context, keys, run }) => `${context}: ${printKeys(keys)} = ${run.map(({ command }) => command).join(" ")}`,
  )
  return [...lines, ...result.notices.map(printProblem)]
}

describe("a keymap of one's own", () => {
  test("keeps what it does not say", () => {
    const own = '{ "bindings": { "global": { "f1": "scroll.top" } } }'
    expect(resolved("own", files({ default: base, own }))).toEqual([
      "global: ctrl+x q = app.quit",
      "global: f1 = scroll.top",
      "editor: enter = prompt.submit",
    ])
  })

  test("moves the leader of all that it inherits", () => {
    const own = '{ "leader": "ctrl+space" }'
    expect(resolved("own", files({ default: base, own }))[0]).toBe("global: ctrl+space q = app.quit")
  })

  test("takes a key away with null and begins with nothing where it extends null", () => {
    const own = '{ "bindings": { "global": { "f1": null } } }'
    const alone = '{ "extends": null, "bindings": { "global": { "f1": [] } } }'
    const sources = files({ default: base, own, alone })
    expect(resolved("own", sources)).not.toContain("global: f1 = app.help")
    expect(resolved("alone", sources)).toEqual(["global: f1 = "])
  })

  test("may have the name of the built-in one and extend it", () => {
    const own = files({ default: '{ "extends": "default", "bindings": { "global": { "f2": "app.help" } } }' })
    expect(resolved("default", layerSources(files({ default: base }), own))).toContain("global: f2 = app.help")
    expect(resolved("default", layerSources(files({ default: base }), own))).toContain("global: f1 = app.help")
  })

  test("binds alternatives, lists and arguments", () => {
    const own = `{ "extends": null, "bindings": { "global": {
      "up, ctrl+p": ["scroll.top", { "run": "app.help", "args": { "page": 2 } }]
    } } }`
    const result = resolveKeymap("own", files({ own }), commands)
    expect(result).toMatchObject({
      keymap: {
        bindings: [
          { keys: [{ name: "up" }], run: [{ command: "scroll.top" }, { command: "app.help", args: { page: 2 } }] },
          { keys: [{ name: "p", ctrl: true }], source: { file: "own.json", line: 2, column: 7 } },
        ],
      },
    })
  })
})

describe("what is wrong in a keymap is told with its place", () => {
  test.each([
    [
      "an unknown command",
      '"f2": "app.qiut"',
      "own.json:3:11: there is no command `app.qiut`; did you mean `app.quit`?",
    ],
    ["keys that are none", '"ctrl+entre": "app.quit"', "own.json:3:5: `entre` in `ctrl+entre` is not a key"],
    ["a value that is none", '"f2": 5', 'own.json:3:11: a binding is "command", [commands]'],
    [
      "the same keys twice",
      '"f2": "app.quit",\n    "f3, f2": "app.help"',
      "own.json:4:5: `f2` is bound twice in `global`: here and in line 3; the later one counts",
    ],
    [
      "the same keys by the leader's name and by its key",
      '"<leader> a": "app.quit",\n    "ctrl+x a": "app.help"',
      "own.json:4:5: `ctrl+x a` is bound twice in `global`: here and in line 3",
    ],
    ["the leader bound alone", '"ctrl+x": "app.quit"', "own.json:3:5: `ctrl+x` is the leader, so this waits"],
  ])("%s", (_, lines, sentence) => {
    const text = `{ "extends": null, "bindings": {\n  "global": {\n    ${lines}\n  }\n} }`
    expect(checkKeymap(text, "own.json", commands).map(printProblem).join("\n")).toContain(sentence)
    expect(resolved("own", files({ own: text })).join("\n")).toContain(sentence)
  })

  test.each([
    [
      "a context",
      '{ "bindings": { "globl": {} } }',
      "own.json:1:17: there is no context `globl`; did you mean `global`?",
    ],
    ["a name at the top", '{ "binding": {} }', "own.json:1:3: `binding` means nothing here; did you mean `bindings`?"],
    ["a leader that is no key", '{ "leader": "crtl+x" }', "own.json:1:13: `crtl` in `crtl+x` is not a modifier"],
    [
      "a time that is none",
      '{ "leaderTimeout": "1s" }',
      "own.json:1:20: `leaderTimeout` has to be a number of milliseconds",
    ],
    ["broken JSON", '{\n  "leader": "ctrl+x"\n  "bindings": {}\n}', "own.json:3:3: a comma is expected here"],
    ["no object", "[]", "own.json:1:1: the file has to hold one object"],
  ])("%s", (_, text, sentence) => {
    expect(checkKeymap(text, "own.json", commands).map(printProblem)[0]).toStartWith(sentence)
  })

  test("a parent that is not there, and a circle", () => {
    const sources = files({
      default: base,
      a: '{\n "extends": "b" }',
      b: '{ "extends": "a" }',
      c: '{ "extends": "defualt" }',
    })
    expect(resolved("a", sources)).toEqual(["b.json:1:14: keymaps extend each other in a circle: a → b → a"])
    expect(resolved("c", sources)[0]).toContain("there is no such keymap; did you mean `default`?")
    expect(resolved("d", sources)[0]).toContain("there is no keymap named `d`")
  })

  test("a binding with a misspelt command does not swallow its keys", () => {
    const own = '{ "bindings": { "global": { "f1": "app.hlp" } } }'
    expect(resolved("own", files({ default: base, own }))).toContain("global: f1 = app.help")
  })
})
