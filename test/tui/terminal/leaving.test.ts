/** Field report 110: whatever ends the screen, the shell gets its terminal back as it was. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { resetSequence } from "../../../src/tui/reset.ts"
import { Pty } from "../../support/pty.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

const program = ["bun", "test/support/screen-program.ts"]
const ready = "Ask anything"
/** What the program says when it has its terminal back. */
const last = "ended: "
/** The cursor is shown: the only mode that is on in a shell. */
const shellModes = [25]

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
  ["SIGABRT", 134],
  ["SIGUSR1", 138],
  ["SIGUSR2", 140],
] as const)(
  "after %s every mode of the terminal is off and the status tells the signal (110)",
  async (signal, status) => {
    await using pty = new Pty(program)
    await pty.says(ready)
    expect(pty.modes).toContain(1049)
    pty.kill(signal)
    expect(await pty.ended()).toBe(status)
    await pty.says(last)
    expect(pty.modes).toEqual(shellModes)
  },
)

test("after the quit keys every mode of the terminal is off and the status is 0 (110)", async () => {
  await using pty = new Pty(program)
  await pty.says(ready)
  pty.write("\x04")
  expect(await pty.ended()).toBe(0)
  await pty.says(last)
  expect(pty.modes).toEqual(shellModes)
})

test("an error that nobody caught ends the screen with the terminal restored and the error in a sentence (110)", async () => {
  await using pty = new Pty([...program, "crash"])
  await pty.says(ready)
  pty.write("x")
  await pty.says("ended: crash leave a bug of this program")
  expect(await pty.ended()).toBe(1)
  expect(pty.modes).toEqual(shellModes)
})

test("what resets a terminal after a kill turns off every mode that the screen turned on (110)", async () => {
  await using pty = new Pty(program)
  await pty.says(ready)
  const on = pty.modes.filter((mode) => mode !== 25)
  pty.kill("SIGKILL")
  await pty.ended()
  for (const mode of on) expect(resetSequence).toContain(`\x1b[?${mode}l`)
})

test("a terminal that goes away ends the screen as a hangup does (35)", async () => {
  await using pty = new Pty(program)
  await pty.says(ready)
  pty.close()
  expect(await pty.ended()).toBe(129)
})
