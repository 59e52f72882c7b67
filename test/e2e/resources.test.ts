/** What lies in folders for the agent to know: skills in what it is told, templates as commands, and nothing of a folder before it is trusted. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { openTerminal } from "../support/tmux.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ key: "k", script: ({ lastUser }) => ({ text: `heard: ${lastUser}` }) })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const skill = (description: string): string => `---\ndescription: ${description}\n---\nSteps of it.\n`

/** What a run told the model first. */
async function told(machine: Machine, ...args: string[]): Promise<string> {
  const before = server.requests.length
  const { status, stderr } = await runBinary(machine, [...args, "-p", "hello"])
  expect([status, stderr.replaceAll(machine.work, "")]).toEqual([0, expect.any(String)])
  return JSON.stringify(server.requests[before]?.body)
}

test("the person's skills are told by name; the folder's once it is trusted, and never with --no-approve", async () => {
  using machine = localMachine(server)
  put(join(machine.env.XDG_CONFIG_HOME ?? "", "cairn"), "skills/write/SKILL.md", skill("How we write"))
  put(machine.work, ".cairn/skills/release/SKILL.md", skill("How we release"))
  expect(await told(machine)).toContain("How we write")
  expect(await told(machine)).not.toContain("How we release")
  expect(await told(machine, "--approve")).toContain("How we release")
  expect(await told(machine, "--no-approve")).not.toContain("How we release")
  const both = await runBinary(machine, ["-a", "--no-approve", "-p", "x"])
  expect(both).toMatchObject({ status: 2, stderr: expect.stringContaining("exclude each other") })
})

test("a folder's wishes are listed before anything is reached; trusted, its templates are commands, and that is remembered", async () => {
  using machine = localMachine(server)
  put(machine.work, ".cairn/prompts/greet.md", "---\ndescription: Greet somebody\n---\nGreet $1 warmly.")
  put(machine.work, ".cairn/skills/release/SKILL.md", skill("How we release"))
  const size = { width: 100, height: 30 }
  const start = async () =>
    openTerminal({ command: [await builtBinary()], env: machine.env, cwd: machine.work, ...size })
  const first = await start()
  try {
    await first.shows("Trust this folder?")
    await first.shows("tell the agent of skills")
    await first.shows("add commands that send prompts")
    await first.type("t")
    await first.shows("This folder is trusted")
    await first.type("/greet Ada")
    await first.keys("Enter")
    await first.shows("heard: Greet Ada warmly.")
  } finally {
    await first.kill()
  }
  const trust = readFileSync(join(machine.env.XDG_DATA_HOME ?? "", "cairn", "trust.json"), "utf8")
  expect(Object.keys(JSON.parse(trust) as object)).toEqual([realpathSync(machine.work)])
  expect(await told(machine)).toContain("How we release")
  const second = await start()
  try {
    await second.shows("Ask anything")
    await second.type("/skill:release the next one")
    await second.keys("Enter")
    await second.shows("Steps of it.")
    await second.type("/settings ")
    await second.keys("Enter")
    await second.shows("defaultThinkingLevel")
  } finally {
    await second.kill()
    await runBinary(machine, ["stop", "all", "--now"])
  }
})
