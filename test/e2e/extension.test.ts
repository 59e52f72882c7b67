/** Extensions as a person writes them: a file in a folder, run by the executable. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runBinary, type Machine } from "../support/binary.ts"
import { configFolder, localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({
    key: "k",
    script: (request) =>
      request.results.length > 0 || !request.tools.includes("shout")
        ? { text: `said ${request.results.map((result) => result.text).join()}` }
        : { toolCalls: [{ name: "shout", args: { text: "stone" } }] },
  })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const shout = `
import { defineTool, Type, textResult } from "cairn"
export const extension = {
  api: 1,
  name: "loud",
  tools: [defineTool({
    name: "shout", description: "Says it loudly.", parameters: Type.Object({ text: Type.String() }),
    version: 1, effect: "pure", title: (args) => String(args.text),
    execute: async (args) => textResult(args.text.toUpperCase()),
  })],
}
`

function put(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

const extensionsOf = (machine: Machine): string => join(configFolder(machine), "extensions")

test("a tool of an extension is offered to the model and runs", async () => {
  using machine = localMachine(server)
  put(extensionsOf(machine), "loud.ts", shout)
  expect(await runBinary(machine, ["-p", "go"])).toMatchObject({ status: 0, stdout: "said STONE\n" })
})

test("an extension can be left out by its name, and a flag chooses tools without it", async () => {
  using machine = localMachine(server, { extensions: ["-loud"] })
  put(extensionsOf(machine), "loud.ts", shout)
  expect(await runBinary(machine, ["-p", "go"])).toMatchObject({ status: 0, stdout: "said \n" })
  using other = localMachine(server)
  put(extensionsOf(other), "loud.ts", shout)
  expect(await runBinary(other, ["-p", "--tools", "read", "go"])).toMatchObject({ status: 0, stdout: "said \n" })
})

test("an extension that cannot be loaded is named with the reason, and the run goes on", async () => {
  using machine = localMachine(server)
  put(extensionsOf(machine), "a-broken.ts", "export const extension = {")
  put(extensionsOf(machine), "b-other.ts", "export const extension = { api: 7, name: 'other' }")
  put(extensionsOf(machine), "loud.ts", shout)
  const run = await runBinary(machine, ["-p", "go"])
  expect(run).toMatchObject({ status: 0, stdout: "said STONE\n" })
  expect(run.stderr).toMatch(/a-broken\.ts cannot be loaded/)
  expect(run.stderr).toContain("b-other.ts: it was written for api 7")
})

test("a project's extension waits until the person trusts the folder", async () => {
  using machine = localMachine(server)
  put(join(machine.work, ".cairn", "extensions"), "loud.ts", shout)
  expect(await runBinary(machine, ["-p", "go"])).toMatchObject({ status: 0, stdout: "said \n" })
  expect(await runBinary(machine, ["--approve", "-p", "go"])).toMatchObject({ status: 0, stdout: "said STONE\n" })
})
