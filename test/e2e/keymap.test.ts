/** `cairn keymap …` in a shell: what is wrong with a file, by line, and which key does what. */
import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runBinary, tempMachine, type Machine } from "../support/binary.ts"

function put(machine: Machine, text: string): string {
  const path = join(machine.work, "mine.json")
  writeFileSync(path, text)
  return path
}

test("a keymap file is checked with line, column and a suggestion (115)", async () => {
  using machine = tempMachine()
  const bad = put(
    machine,
    '{\n  "extends": "default",\n  "bindings": {\n    "global": { "ctrl+y": "app.quitt", "ctrl+b": "app.quit" },\n    "globl": {}\n  }\n}\n',
  )
  const told = await runBinary(machine, ["keymap", "check", bad])
  expect(told.status).toBe(1)
  expect(told.stdout.split("\n").map((line) => line.replace(`${bad}:`, ""))).toEqual([
    "4:27: there is no command `app.quitt`; did you mean `app.quit`?",
    "5:5: there is no context `globl`; did you mean `global`?",
    "",
  ])
  const good = put(machine, '{ "extends": "vim", "bindings": { "global": { "f6": null } } }')
  expect(await runBinary(machine, ["keymap", "check", good])).toMatchObject({ status: 0, stdout: "" })
  expect(await runBinary(machine, ["keymap", "check", "none.json"])).toMatchObject({ status: 2 })
  const lost = put(machine, '{ "extends": "nothing" }')
  expect((await runBinary(machine, ["keymap", "check", lost])).stdout).toContain("there is no such keymap")
})

test("every command is listed with its keys, those of the person's own keymap too", async () => {
  using machine = tempMachine()
  const folder = join(machine.env.XDG_CONFIG_HOME ?? "", "cairn", "keymaps")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "own.json"), '{ "extends": "default", "bindings": { "global": { "f9": "run.undo" } } }')
  const { status, stdout } = await runBinary(machine, ["keymap", "list", "own"])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^run\.undo +ctrl\+x b, f9 +Take back the last run/m)
  expect(await runBinary(machine, ["keymap", "list", "none"])).toMatchObject({ status: 2, stdout: "" })
})
