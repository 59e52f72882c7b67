import { expect, setDefaultTimeout, test } from "bun:test"
import { copiedSentence, passedThrough } from "../../../src/tui/clipboard.ts"
import { Pty } from "../../support/pty.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

test("a copy goes to the terminal as plain OSC 52, and the message says where it went and not that it arrived (123)", async () => {
  await using pty = new Pty(["bun", "test/support/screen-program.ts", "answer"])
  await pty.says("the answer of the model")
  const before = pty.text.length
  pty.write("\x18y")
  await pty.says(`\x1b]52;c;${Buffer.from("the answer of the model").toString("base64")}`, before)
  await pty.says("sent to the terminal", before)
  expect(pty.text.slice(before)).not.toContain("\x1bPtmux")
  pty.kill("SIGTERM")
  await pty.ended()
})

test("what is too much for the terminal is said, with what to do instead (123)", () => {
  expect(copiedSentence({ sent: [], bytes: 200_000 })).toEqual({
    ok: false,
    text: "200,000 bytes are too much for this terminal's clipboard; write the session to a file instead",
  })
})

test("what tmux is to pass on to its terminal is wrapped once, with every escape of it doubled (123)", () => {
  expect(passedThrough("\x1b]52;c;aGk=\x1b\\", "tmux")).toBe("\x1bPtmux;\x1b\x1b]52;c;aGk=\x1b\x1b\\\x1b\\")
})
