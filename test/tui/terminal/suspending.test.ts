import { expect, setDefaultTimeout, test } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import { processes } from "../../support/process.ts"
import { Pty } from "../../support/pty.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

const stateOf = (pid: number): string => processes().find((info) => info.pid === pid)?.state ?? "gone"

test("Ctrl+Z gives the terminal to the shell, and a size changed meanwhile holds when the screen comes back (40)", async () => {
  await using pty = new Pty(["bun", "test/support/screen-program.ts"], { columns: 80, rows: 24 })
  await pty.says("Ask anything")
  pty.write("\x1a")
  await eventually(
    () => stateOf(pty.pid) === "T",
    () => `the screen did not stop: ${stateOf(pty.pid)}`,
  )
  // It may be seen to have stopped before its last bytes are read.
  await eventually(
    () => pty.modes.join() === "25",
    () => `modes that are on: ${pty.modes.join(" ")}`,
  )
  pty.resize(60, 12)
  const before = pty.text.length
  pty.kill("SIGCONT")
  // The last row of the new size, and not of the old one.
  await pty.says("\x1b[12;", before)
  await eventually(
    () => pty.modes.includes(1049),
    () => `the screen did not come back: ${pty.modes.join(" ")}`,
  )
  expect(pty.text.slice(before)).not.toContain("\x1b[24;")
  pty.kill("SIGTERM")
  expect(await pty.ended()).toBe(143)
})

test("a stop that cannot be heard, and a size changed meanwhile, leave a whole screen when it is over (40)", async () => {
  await using pty = new Pty(["bun", "test/support/screen-program.ts", "answer"], { columns: 80, rows: 24 })
  await pty.says("the answer of the model")
  pty.kill("SIGSTOP")
  await eventually(
    () => stateOf(pty.pid) === "T",
    () => `the screen did not stop: ${stateOf(pty.pid)}`,
  )
  pty.resize(60, 12)
  const before = pty.text.length
  pty.kill("SIGCONT")
  await pty.says("the answer of the model", before)
  await pty.says("\x1b[12;", before)
  await eventually(
    () => pty.modes.includes(1049) && pty.modes.includes(2027),
    () => `the screen did not come back: ${pty.modes.join(" ")}`,
  )
  pty.kill("SIGTERM")
  expect(await pty.ended()).toBe(143)
})

test("an editor of the person's has the terminal to itself, and its text comes back", async () => {
  await using pty = new Pty(["bun", "test/support/screen-program.ts", "editor=printf ' and more' >>"])
  await pty.says("Ask anything")
  pty.write("draft")
  await pty.says("draft")
  const before = pty.text.length
  pty.write("\x07")
  await pty.says("and", before)
  await pty.says("more", before)
  expect(pty.modes).toContain(1049)
  pty.kill("SIGTERM")
  await pty.ended()
})

test.each([
  ["fails", "false", "1"],
  ["is killed", "sh -c 'kill -9 $$' --", "137"],
])("an editor that %s leaves the draft as it was, and it is said (132)", async (_, editor, status) => {
  await using pty = new Pty(["bun", "test/support/screen-program.ts", `editor=${editor}`])
  await pty.says("Ask anything")
  pty.write("my-draft")
  await pty.says("my-draft")
  const before = pty.text.length
  pty.write("\x07")
  await pty.says(`status ${status};`, before)
  await pty.says("my-draft", before)
  expect(pty.modes).toContain(1049)
  pty.kill("SIGTERM")
  await pty.ended()
})

test("a key draws everything again, also what had not changed", async () => {
  await using pty = new Pty(["bun", "test/support/screen-program.ts", "answer"])
  await pty.says("the answer of the model")
  pty.write("x")
  await pty.says("x", pty.text.length - 1)
  const before = pty.text.length
  pty.write("\x18\x0c")
  await pty.says("the answer of the model", before)
  pty.kill("SIGTERM")
  await pty.ended()
})
