/** Searching all sessions as a person does, in the executable: what a host has just been told is found at once, and after it is gone. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { runBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ key: "k", script: ({ lastUser }) => ({ text: `an answer to ${lastUser}` }) })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const cairn = (machine: Machine, ...args: string[]) => runBinary(machine, args)

test("what was said in any session is found, with and without an index, and what was not said is status 1", async () => {
  using machine = localMachine(server)
  for (const text of ["mend the parser", "write the manual"]) await cairn(machine, "-p", text)
  const found = await cairn(machine, "sessions", "search", "the PARSER".toLowerCase())
  expect(found.status).toBe(0)
  expect(
    found.stdout.split("\n").map((line) => line.replace(/^\S+  (\S+)  .*  (title|input|answer)  /, "$1 $2 ")),
  ).toEqual([
    "title title mend the parser",
    expect.stringMatching(/^e\d+ answer an answer to mend the parser$/),
    expect.stringMatching(/^e\d+ input mend the parser$/),
    "",
  ])
  const index = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "index.db")
  rmSync(index)
  const json = await cairn(machine, "sessions", "search", "an", "answer", "--json", "--limit", "1")
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: "answer", title: "write the manual" })
  expect(json.stderr).toContain("there is more; --limit shows it")
  expect(await cairn(machine, "sessions", "search", "zebra")).toMatchObject({ status: 1, stdout: "" })
  expect(await cairn(machine, "sessions", "search")).toMatchObject({ status: 2, stdout: "" })
  const bad = await cairn(machine, "sessions", "search", "x", "--limit", "none")
  expect(bad).toMatchObject({ status: 2, stderr: "cairn: --limit none is no count: give one such as 20\n" })
})
