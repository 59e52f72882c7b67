/** What only the executable shows of the tools: the environment that commands get, and that all of it is in one file. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "../../src/std/json.ts"
import { runBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({})
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

/** What the model is told of one call. */
async function call(
  machine: Machine,
  name: string,
  args: JsonObject,
  options: { readonly flags?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const seen = server.requests.length
  server.script([{ toolCalls: [{ name, args }] }, { text: "done" }])
  const { env } = options
  const run = await runBinary(machine, ["-p", "go", ...(options.flags ?? [])], env === undefined ? {} : { env })
  expect(run).toMatchObject({ status: 0, stdout: "done\n" })
  return server.requests[seen + 1]?.said.findLast(({ role }) => role === "tool")?.text ?? ""
}

test("a command does not see the keys of providers, but for those that the person lets through", async () => {
  const keys = {
    ANTHROPIC_API_KEY: "secret-1",
    OPENAI_API_KEY: "secret-2",
    GEMINI_API_KEY: "secret-3",
    OPENROUTER_API_KEY: "secret-4",
    CAIRN_API_KEY: "secret-5",
    OWN_KEY: "k",
    HOUSE: "stays",
    DEBUG: "app:*",
  }
  using machine = localMachine(server, { passEnv: ["GEMINI_API_KEY"] })
  const path = join(machine.env.XDG_CONFIG_HOME ?? "", "cairn", "config.json")
  writeFileSync(path, readFileSync(path, "utf8").replace('"apiKey":"k"', '"apiKey":"$OWN_KEY"'))
  // The key itself is taken out of results: the command says whether it has it.
  const command = 'env; test "$GEMINI_API_KEY" = secret-3 && echo it was passed'
  const told = await call(machine, "bash", { command }, { env: keys })
  expect(told).toContain("it was passed")
  expect(told).toContain("HOUSE=stays")
  // What is taken from this program for its libraries' sake is still the command's.
  expect(told).toContain("DEBUG=app:*")
  expect(told).not.toMatch(/secret-[1245]|OWN_KEY/)
})

test("an image is scaled by what is in the executable", async () => {
  using machine = localMachine(server)
  const path = join(machine.env.XDG_CONFIG_HOME ?? "", "cairn", "config.json")
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace('"id":"test-model"', '"id":"test-model","input":["text","image"]'),
  )
  const header = Buffer.from("424d00000000000000003600000028000000", "hex")
  const bitmap = Buffer.concat([header, Buffer.alloc(36 + 9_000 * 3)])
  bitmap.writeInt32LE(3_000, 18)
  bitmap.writeInt32LE(3, 22)
  bitmap.writeUInt16LE(1, 26)
  bitmap.writeUInt16LE(24, 28)
  writeFileSync(join(machine.work, "a.png"), await new Bun.Image(bitmap).png().bytes())
  expect(await call(machine, "read", { path: "a.png" })).toContain("3000×3 pixels; shown at 2000×2")
})

test("a search needs no program of the machine, and unpacks its own once", async () => {
  using machine = localMachine(server)
  writeFileSync(join(machine.work, "a.txt"), "one\nneedle\n")
  const flags = ["--tools", "read,grep,find,ls"]
  const env = { PATH: machine.work }
  expect(await call(machine, "grep", { pattern: "needle" }, { flags, env })).toBe("a.txt:2: needle")
  expect(await call(machine, "grep", { pattern: "needle" }, { flags, env })).toBe("a.txt:2: needle")
  const names = readdirSync(join(machine.env.XDG_CACHE_HOME ?? "", "cairn", "bin"))
  expect(names.length).toBe(1)
  expect(names[0]).toMatch(/^rg-\w{8}$/)
})

test("where nothing can be unpacked, a search says what to do", async () => {
  using machine = localMachine(server)
  writeFileSync(join(machine.folder, "file"), "")
  const env = { CAIRN_CACHE: join(machine.folder, "file") }
  const told = await call(machine, "grep", { pattern: "x" }, { flags: ["--tools", "grep"], env })
  expect(told).toStartWith("The search program cannot be unpacked into ")
})

test("an agent that may only read can change nothing, whatever its model asks for", async () => {
  using machine = localMachine(server)
  writeFileSync(join(machine.work, "a.txt"), "as it was\n")
  const flags = ["--tools", "read,grep,find,ls"]
  for (const [name, args] of [
    ["write", { path: "a.txt", content: "changed" }],
    ["edit", { path: "a.txt", edits: [{ oldText: "as", newText: "is" }] }],
    ["bash", { command: "echo changed >a.txt" }],
  ] as const) {
    const told = await call(machine, name, args, { flags })
    expect(told).toBe(`There is no tool named ${name}. The tools are: read, grep, find, ls.`)
  }
  // Nor by another spelling, nor by what its own tools hand on to other programs.
  for (const [name, args] of [
    ["Bash", { command: "touch b" }],
    ["functions.write", { path: "b", content: "" }],
    ["grep", { pattern: "--pre=touch", path: "--pre=touch b" }],
    ["grep", { pattern: "as", glob: "--pre=touch" }],
    ["grep", { pattern: "as", path: "$(touch b)" }],
    ["find", { pattern: "-delete" }],
    ["find", { pattern: "*", path: "; touch b" }],
    ["ls", { path: "`touch b`" }],
    ["read", { path: "| touch b" }],
  ] as const) {
    await call(machine, name, args, { flags })
  }
  expect(readFileSync(join(machine.work, "a.txt"), "utf8")).toBe("as it was\n")
  expect(readdirSync(machine.work)).toEqual(["a.txt"])
})

test("a model that does better with whole files gets no edit, is told so, and is shown as one; another keeps it", async () => {
  using machine = localMachine(server)
  const path = join(machine.env.XDG_CONFIG_HOME ?? "", "cairn", "config.json")
  const config = readFileSync(path, "utf8")
  const [before, after = ""] = config.split('{"id":"test-model"')
  writeFileSync(path, `${before}{"id":"weak-model","edits":"whole","contextWindow":9000},{"id":"test-model"${after}`)
  const ask = async (model: string) => {
    server.script([{ toolCalls: [{ name: "edit", args: { path: "a", edits: [] } }] }, { text: "done" }])
    const run = await runBinary(machine, ["-p", "go", "--model", `local/${model}`])
    expect(run).toMatchObject({ status: 0, stdout: "done\n" })
    const request = server.requests.at(-1)
    return { tools: request?.tools, told: request?.results[0]?.text, body: request?.bodyText ?? "" }
  }
  const weak = await ask("weak-model")
  expect(weak.tools).toEqual(["read", "bash", "write"])
  expect(weak.told).toBe("There is no tool named edit. The tools are: read, bash, write.")
  expect(weak.body).toContain("To change a file, read it, then write all of it, with nothing left out.")
  const other = await ask("test-model")
  expect(other.tools).toEqual(["read", "bash", "edit", "write"])
  expect(other.told).toBe("a does not exist. Make it with write.")
  expect(other.body).not.toContain("with nothing left out")
  const { stdout } = await runBinary(machine, ["models"])
  const rows = stdout.split("\n")
  expect(rows.find((row) => row.includes("weak-model"))).toContain("whole files")
  expect(rows.find((row) => row.includes("test-model"))).not.toContain("whole files")
})
