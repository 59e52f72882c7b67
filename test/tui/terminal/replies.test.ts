/** Field report 112: what a terminal answers, late and in pieces, is never text; and nobody waits for it. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import { Pty } from "../../support/pty.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

const program = ["bun", "test/support/screen-program.ts", "system"]

test("answers that come late and in pieces while someone types leave only what was typed (112)", async () => {
  await using pty = new Pty(program)
  await pty.says("Ask anything")
  const before = pty.text.length
  pty.write("h\x1b")
  pty.write("]11;rgb:")
  pty.write("1a1a/2b2b/3c3c\x1b\\")
  pty.write("\x1b[?1u")
  pty.write("\x1bP>|XTerm(390)\x1b\\")
  pty.write("i!")
  await pty.says("i!", before)
  const written = Bun.stripANSI(pty.text.slice(before))
  expect(written).not.toContain("rgb")
  expect(written).not.toContain("1a1a")
  expect(written).not.toContain("XTerm")
  pty.kill("SIGTERM")
  await pty.ended()
})

test("what is typed while the program starts stands in the editor, in order (133)", async () => {
  const program = ["bun", "test/support/screen-program.ts"]
  await using pty = new Pty(program)
  pty.write("abcdefghij")
  await pty.says("\x1b[?1049h")
  pty.write("klmnopqrst")
  await eventually(
    () => /abcdefghij.*klmnopqrst/s.test(letters(pty)),
    () => JSON.stringify(letters(pty)),
  )
  pty.kill("SIGTERM")
  await pty.ended()
})

/** What was drawn on the screen, without where. */
function letters(pty: Pty): string {
  return Bun.stripANSI(pty.text.slice(pty.text.indexOf("\x1b[?1049h")))
}

test("a terminal that answers with a light background gets light colours", async () => {
  await using pty = new Pty(program)
  await pty.says("Ask anything")
  const before = pty.text.length
  const color = (index: number): string => `\x1b]4;${index};rgb:8080/8080/8080\x1b\\`
  pty.write(Array.from({ length: 16 }, (_, index) => color(index)).join(""))
  pty.write("\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
  // Of the sixteen, the accent on light is the fourth; on dark it is the twelfth.
  await pty.says("\x1b[38;5;4m", before)
  pty.kill("SIGTERM")
  expect(await pty.ended()).toBe(143)
})

test("a terminal that turns light, and dark again, is followed while the screen runs (131)", async () => {
  await using pty = new Pty(program)
  await pty.says("Ask anything")
  let before = pty.text.length
  pty.write("\x1b[?997;2n")
  await pty.says("\x1b[38;5;4m", before)
  before = pty.text.length
  pty.write("\x1b[?997;1n")
  await pty.says("\x1b[38;5;12m", before)
  expect(Bun.stripANSI(pty.text)).not.toContain("997")
  pty.kill("SIGTERM")
  expect(await pty.ended()).toBe(143)
})
