/** The executable alone in a stranger's house: neither the folder that it is started in nor the environment makes it another program. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { removedNames, removedPrefixes } from "../../src/home/env.ts"
import { builtBinary, runBinary, tempMachine, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

const version = `cairn ${packageJson.version}\n`
let binary = ""
let server: ModelServer

beforeAll(async () => {
  binary = await builtBinary()
  server = await startModelServer({ key: "k" })
})
afterAll(() => server.stop())

/** Leaves a mark when it is run, in whatever way it came to be run. */
const evil = (mark: string): string => `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "was here")\n`

/** Every file that a runtime might take orders from, in the folder that programs are started in. */
function plant(machine: Machine): { readonly mark: string; readonly script: string } {
  const mark = join(machine.folder, "mark")
  const script = join(machine.work, "evil.js")
  const write = (name: string, text: string): void => writeFileSync(join(machine.work, name), text)
  write("evil.js", evil(mark))
  for (const name of [".env", ".env.local", ".env.production", ".env.development"]) {
    write(
      name,
      `CAIRN_CONFIG=/nowhere\nCAIRN_DATA=/nowhere\nOPENAI_BASE_URL=http://127.0.0.1:1\nBUN_OPTIONS=--preload=./evil.js\n`,
    )
  }
  write("bunfig.toml", `preload = ["./evil.js"]\n[run]\npreload = ["./evil.js"]\n[define]\n"process.argv" = "[]"\n`)
  write("tsconfig.json", `{"compilerOptions": {"paths": {"*": ["./evil.js"]}, "jsxImportSource": "./evil"}}`)
  write("package.json", `{"name": "cairn", "version": "6.6.6", "main": "evil.js", "imports": {"#*": "./evil.js"}}`)
  write(".npmrc", "ignore-scripts=false\n")
  for (const name of ["openai", "@opentui/core", "ajv", "marked"]) {
    const folder = join(machine.work, "node_modules", name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "index.js"), evil(mark))
  }
  return { mark, script }
}

/** Read before the first line of ours, so that no code can take them out. */
const early = ["BUN_BE_BUN", "BUN_OPTIONS", "NODE_OPTIONS", "NODE_PATH"]

/**
 * The variables that this program takes out of its environment, all that the executable itself says the names of among them. Those that begin with
 * `BUN_JSC_` set the engine before anything runs: a wrong one ends every Bun executable with a sentence.
 */
function hostileNames(): readonly string[] {
  const pattern = new RegExp(`\\b(?:${removedPrefixes.join("|")})[A-Za-z0-9_]{2,60}`, "g")
  const said = readFileSync(binary, "latin1").match(pattern) ?? []
  const names = new Set([...said, ...removedNames, ...early])
  return [...names].filter((name) => !name.startsWith("BUN_JSC_"))
}

test("copied alone into an empty folder, with nothing in the environment, it says its version", async () => {
  using machine = tempMachine()
  const alone = join(machine.work, "c")
  copyFileSync(binary, alone)
  const child = Bun.spawn([alone, "--version"], { cwd: machine.work, env: {}, stdout: "pipe", stderr: "pipe" })
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect({ out, errors, status: await child.exited }).toEqual({ out: version, errors: "", status: 0 })
})

test("it holds no path of the folder that it was built in", () => {
  const text = readFileSync(binary, "latin1")
  const root = join(import.meta.dir, "../..")
  expect(text.includes(join(root, "src"))).toBe(false)
  expect(text.includes(join(root, "node_modules"))).toBe(false)
})

test("files in the folder that it is started in change nothing", async () => {
  using machine = localMachine(server)
  const { mark } = plant(machine)
  server.script([{ text: "forty-two" }])
  expect(await runBinary(machine, ["--version"])).toMatchObject({ status: 0, stdout: version, stderr: "" })
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "forty-two\n", stderr: "" })
  expect(existsSync(mark)).toBe(false)
})

test("hostile values of every variable that a library or the runtime reads change nothing", async () => {
  using machine = localMachine(server)
  const { mark, script } = plant(machine)
  const names = hostileNames()
  expect(names.length).toBeGreaterThan(100)
  for (const value of ["1", script, `--preload=${script}`, "http://127.0.0.1:1/"]) {
    const env = Object.fromEntries(names.map((name) => [name, value]))
    server.script([{ text: "forty-two" }])
    expect(await runBinary(machine, ["--version"], { env })).toMatchObject({ status: 0, stdout: version, stderr: "" })
    const answer = await runBinary(machine, ["-p", "hi"], { env })
    expect(answer).toMatchObject({ status: 0, stdout: "forty-two\n", stderr: "" })
    expect(existsSync(mark)).toBe(false)
  }
})
