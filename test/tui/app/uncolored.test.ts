/** NO_COLOR: not one cell has a colour, blank or written. */
import { expect, test } from "bun:test"
import { openRobot } from "../../support/screen.ts"

test("without colours every cell is in the terminal's own", async () => {
  const robot = await openRobot({
    options: { terminal: { name: "xterm", colors: "none", remote: false, multiplexer: "none" } },
  })
  robot.host.input("a question")
  robot.host.answer(
    "# An answer\n\n**bold** and `code`, [a link](https://example.org)\n\n- item\n\n```ts\nconst a = 1\n```",
  )
  await robot.wait(300)
  robot.shows("An answer")
  await robot.press("ctrl+p")
  robot.shows("Commands")
  await robot.draw()
  const cells = robot.setup.captureSpans().lines.flatMap(({ spans }) => spans)
  expect(cells.length).toBeGreaterThan(20)
  expect(cells.filter(({ fg }) => fg.intent !== "default").map(({ text }) => text)).toEqual([])
  expect(cells.filter(({ bg }) => bg.intent !== "default" && bg.a > 0).map(({ text }) => text)).toEqual([])
  await robot.close()
})
