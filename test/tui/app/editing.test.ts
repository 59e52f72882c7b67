import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../../support/eventually.ts"
import { pngOf } from "../../support/image.ts"
import { openRobot } from "../../support/screen.ts"

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")

test("a long paste is one mark, is not sent by itself, and is sent whole (116)", async () => {
  const robot = await openRobot()
  const text = lines(5_000)
  await robot.type("see ")
  await robot.paste(`${text}\n`)
  robot.shows("› see [paste #1 +5001 lines]")
  expect(robot.host.submitted).toEqual([])
  await robot.press("enter")
  expect(robot.host.submitted).toEqual([`see ${text}`])
  await robot.close()
})

test("a paste of a megabyte is taken, and the next key echoes", async () => {
  const robot = await openRobot()
  const text = `${"x".repeat(79)}\n`.repeat(13_108)
  await robot.paste(text)
  await robot.type("!")
  robot.shows("› [paste #1 +13109 lines]!")
  await robot.press("enter")
  expect(robot.host.submitted[0]?.length).toBe(text.length + 1)
  await robot.close()
})

test("an end mark that is cut between two reads ends the paste", async () => {
  const robot = await openRobot()
  await robot.bytes("\x1b[200~harmless \x1b[201")
  await robot.bytes("~")
  await robot.press("enter")
  expect(robot.host.submitted).toEqual(["harmless"])
  await robot.close()
})

test("an end mark inside of a paste cannot press keys (116)", async () => {
  const robot = await openRobot()
  await robot.bytes("\x1b[200~before\x1b[201~\r\x03!rm -rf x\r\x1b[201~")
  await robot.wait(100)
  expect(robot.host.submitted).toEqual([])
  expect(robot.prompt).toBe("before\n!rm -rf x\n|")
  await robot.close()
})

test("a short paste stands in the text as it is, its line breaks included", async () => {
  const robot = await openRobot()
  await robot.paste("one\r\ntwo")
  robot.shows(`
    › one
      two
  `)
  await robot.close()
})

test("a paste while a panel has the focus goes into the editor", async () => {
  const robot = await openRobot()
  robot.host.answer("text")
  await robot.wait(100)
  await robot.press("ctrl+x up")
  await robot.paste("pasted")
  expect(robot.prompt).toBe("pasted|")
  await robot.close()
})

test("Up and Down go through what was sent, and the draft is still there at the end", async () => {
  const robot = await openRobot()
  for (const text of ["first", "second"]) {
    await robot.type(text)
    await robot.press("enter")
  }
  await robot.press("up")
  expect(robot.prompt).toBe("second|")
  await robot.press("up")
  expect(robot.prompt).toBe("first|")
  await robot.press("down", "down")
  expect(robot.prompt).toBe("|")
  await robot.close()
})

test("inside of a text of several rows Up and Down move the cursor", async () => {
  const robot = await openRobot()
  await robot.paste("one\ntwo\nthree")
  await robot.press("up")
  expect(robot.prompt).toBe("one\ntwo|\nthree")
  await robot.press("up")
  expect(robot.prompt).toBe("one|\ntwo\nthree")
  await robot.press("down")
  expect(robot.prompt).toBe("one\ntwo|\nthree")
  await robot.close()
})

test("Ctrl+R finds an earlier input by a few letters", async () => {
  const robot = await openRobot()
  for (const text of ["fix the parser", "write docs"]) {
    await robot.type(text)
    await robot.press("enter")
  }
  await robot.press("ctrl+r")
  await robot.type("pars")
  await robot.press("enter")
  expect(robot.prompt).toBe("fix the parser|")
  await robot.close()
})

test("a word that was typed is undone as one and done again", async () => {
  const robot = await openRobot()
  await robot.type("one two")
  await robot.press("ctrl+-")
  expect(robot.prompt).toBe("one |")
  await robot.press("ctrl+.")
  expect(robot.prompt).toBe("one two|")
  await robot.close()
})

test("a draft is put aside and taken back", async () => {
  const robot = await openRobot()
  await robot.type("later")
  await robot.press("ctrl+s")
  expect(robot.prompt).toBe("|")
  await robot.press("ctrl+s")
  expect(robot.prompt).toBe("later|")
  await robot.close()
})

test("several drafts are put aside, listed with what they say, taken back by choice, and outlive the program", async () => {
  const robot = await openRobot()
  await robot.type("first")
  await robot.press("ctrl+s")
  await robot.paste("a long\npaste\n".repeat(40))
  await robot.press("ctrl+s")
  await robot.type("third")
  await robot.press("ctrl+s")
  expect(robot.prompt).toBe("|")
  expect(robot.memory.aside.map(({ text }) => text.slice(0, 12))).toEqual(["third", "[paste #1 +8", "first"])
  await robot.press("ctrl+s")
  robot.shows("─ Drafts that were put aside ─")
  robot.shows("› third")
  await robot.press("down", "enter")
  expect(robot.screen.app.editor.content).toBe("a long\npaste\n".repeat(40))
  expect(robot.memory.aside.map(({ text }) => text)).toEqual(["third", "first"])
  await robot.press("ctrl+c", "ctrl+s", "ctrl+d", "escape", "ctrl+s")
  expect(robot.prompt).toBe("first|")
  expect(robot.memory.aside).toEqual([])
  await robot.press("ctrl+c")
  const off = robot.screen.app.run("prompt.stash")
  expect(off).toBe(false)
  await robot.close()
})

test("readline's keys do in the editor what they do in a shell (115)", async () => {
  const robot = await openRobot()
  await robot.type("one two three")
  await robot.press("ctrl+a", "alt+f")
  expect(robot.prompt).toBe("one| two three")
  await robot.press("ctrl+k", "ctrl+e", "ctrl+y")
  expect(robot.prompt).toBe("one two three|")
  await robot.press("ctrl+w", "alt+b", "ctrl+u")
  expect(robot.prompt).toBe("|two ")
  await robot.close()
})

test("wide characters, emoji and marks are edited whole and the cursor stands behind them", async () => {
  const robot = await openRobot()
  await robot.bytes("日本語👩‍👩‍👧e\u0301")
  expect(robot.prompt).toBe("日本語👩‍👩‍👧e\u0301|")
  await robot.press("left", "backspace", "left")
  expect(robot.prompt).toBe("日本|語e\u0301")
  await robot.close()
})

test("a slash completes commands with their hints, and Enter runs the one that is chosen", async () => {
  const robot = await openRobot()
  await robot.type("/he")
  robot.shows("› /help")
  await robot.press("enter")
  robot.shows("─ Keys ─")
  expect(robot.host.submitted).toEqual([])
  await robot.close()
})

test("a slash that names nothing is sent as it is", async () => {
  const robot = await openRobot()
  await robot.type("/etc/hosts looks wrong")
  await robot.press("enter")
  expect(robot.host.submitted).toEqual(["/etc/hosts looks wrong"])
  await robot.close()
})

test("a prompt template is expanded with what follows its name", async () => {
  const outside = {
    templates: () => [{ name: "review", title: "review a change" }],
    expandTemplate: (name: string, args: string) => (name === "review" ? `Review ${args} with care` : null),
  }
  const robot = await openRobot({ options: { outside } })
  await robot.type("/rev")
  robot.shows("› /review")
  await robot.press("tab")
  await robot.type("main.ts")
  await robot.press("enter")
  expect(robot.host.submitted).toEqual(["Review main.ts with care"])
  await robot.close()
})

test("an at sign completes paths of the folder, and Escape puts the list away", async () => {
  const robot = await openRobot()
  mkdirSync(join(robot.folder, "src"))
  writeFileSync(join(robot.folder, "src/parser.ts"), "")
  await robot.type("look at @")
  while (robot.state.completion === null) await robot.draw()
  await robot.type("pars")
  robot.shows("› src/parser.ts")
  await robot.press("escape")
  robot.hides("› src/parser.ts")
  await robot.press("tab")
  expect(robot.prompt).toBe("look at @src/parser.ts |")
  await robot.close()
})

test("a paste that is too large is refused with what to do, and the draft stays", async () => {
  const robot = await openRobot()
  await robot.type("draft")
  await robot.paste("x".repeat(5 * 1024 * 1024 + 1))
  expect(robot.prompt).toBe("draft|")
  robot.shows("● That is too large for an input; put it in a file and name it with @")
  await robot.close()
})

test("an image that is dropped on the terminal is a mark, goes as a whole, and is sent as an image", async () => {
  const robot = await openRobot()
  const path = join(robot.folder, "my shot.png")
  writeFileSync(path, await pngOf(640, 480))
  await robot.type("see")
  await robot.paste(`'${path}'`)
  robot.shows("› see[image #1 my shot.png 640×480]")
  await robot.press("backspace", "backspace")
  expect(robot.prompt).toBe("see|")
  await robot.paste(path.replace(" ", "\\ "))
  await robot.press("enter")
  const isSubmit = ({ type }: { readonly type: string }): boolean => type === "submit"
  await eventually(
    () => robot.host.asked.some(isSubmit),
    () => "nothing was submitted",
  )
  const sent = robot.host.asked.find((command) => command.type === "submit")
  expect(sent).toMatchObject({ content: [{ text: `see @"${path}"` }, { type: "image", mimeType: "image/png" }] })
  await robot.close()
})

test("over a network the terminal is asked for its clipboard, text or image; one that does not answer is told of", async () => {
  const robot = await openRobot()
  const tell = (bytes: Uint8Array): Promise<void> => robot.bytes(`\x1b]52;c;${bytes.toBase64()}\x07`)
  await robot.press("ctrl+v")
  await tell(new TextEncoder().encode("copied there"))
  expect(robot.prompt).toBe("copied there|")
  await robot.press("ctrl+v")
  await tell(await pngOf(32, 16))
  await robot.until("copied there[image #1 32×16]")
  await robot.paste("")
  await robot.wait(3_000)
  robot.shows("This terminal does not tell what its clipboard holds")
  await robot.close()
})
