/** What a terminal with few colours is sent: colours by their number, which it knows, and never as red, green and blue. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { Pty } from "../../support/pty.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

test.each(["xterm", "linux", "vt100", "xterm-256color"])(
  "a terminal %s with sixteen colours is sent none as red, green and blue",
  async (name) => {
    await using pty = new Pty(["bun", "test/support/screen-program.ts", "answer", "16"], {
      env: { TERM: name, COLORTERM: "" },
    })
    await pty.says("the answer of the model")
    expect(pty.text).not.toMatch(/\x1b\[[34]8;2;/)
    pty.kill("SIGTERM")
    expect(await pty.ended()).toBe(143)
  },
)
