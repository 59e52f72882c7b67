/** `cairn doctor` on machines that have what it needs, and on one that has not. */
import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runBinary, tempMachine } from "../support/binary.ts"
import { configFolder, configFor, writeConfig } from "../support/local-model.ts"

type Row = { readonly standing: string; readonly what: string; readonly says: string }

const rows = (stdout: string): readonly Row[] =>
  stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]))

test("the doctor finds nothing wrong where a model can be asked and the store can be written, and says what it looked at", async () => {
  using machine = tempMachine()
  writeConfig(machine, configFor("http://127.0.0.1:9/v1"))
  const found = await runBinary(machine, ["doctor", "--json"])
  expect(found).toMatchObject({ status: 0, stderr: "" })
  const whats = rows(found.stdout).map(({ what }) => what)
  for (const what of ["cairn", "settings", "config", "data", "sessions", "model", "folder", "shell", "terminal"])
    expect(whats).toContain(what)
  expect(rows(found.stdout).find(({ what }) => what === "model")?.says).toContain("local/test-model")
  expect((await runBinary(machine, ["doctor"])).stdout).toContain("none yet")
})

test("what is wrong comes with what to do about it, and the status tells a script", async () => {
  using machine = tempMachine()
  writeConfig(machine, '{ "theme": 7, ')
  const session = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions", "01900000-0000-7000-8000-000000000001")
  mkdirSync(session, { recursive: true })
  writeFileSync(join(session, "format"), "cairn 1\n")
  writeFileSync(join(session, "ledger.db"), Buffer.alloc(100))
  const found = await runBinary(machine, ["doctor", "--json"])
  expect(found.status).toBe(1)
  const wrong = rows(found.stdout).filter(({ standing }) => standing === "wrong")
  expect(wrong.map(({ what }) => what)).toEqual(expect.arrayContaining(["settings", "session", "model"]))
  const says = wrong.map((row) => row.says).join("\n")
  expect(says).toContain(join(configFolder(machine), "config.json"))
  expect(says).toContain(session)
  expect(says).toContain("no model can be asked: cairn login stores a key")
})

test("a store that cannot be written to is named with the variable that moves it", async () => {
  using machine = tempMachine()
  const file = join(machine.work, "file")
  writeFileSync(file, "")
  const env = { ...machine.env, CAIRN_DATA: join(file, "data") }
  const found = await runBinary({ ...machine, env }, ["doctor", "--json"])
  const data = rows(found.stdout).find(({ what }) => what === "data")
  expect(data).toMatchObject({ standing: "wrong" })
  expect(data?.says).toContain("set CAIRN_DATA to a folder that can")
})
