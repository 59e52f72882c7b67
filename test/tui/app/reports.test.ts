/** Field reports of full-screen terminals, each as it was told, on the whole screen. */
import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { graphemes, textWidth } from "../../../src/std/text.ts"
import { copiedSentence, copyText } from "../../../src/tui/clipboard.ts"
import { editOutside } from "../../../src/tui/editor/external.ts"
import { RowView } from "../../../src/tui/viewport/row-view.ts"
import { openRobot, type Robot } from "../../support/screen.ts"
import { block, plainTheme, source, stillClock } from "../viewport/blocks.ts"

function prints(robot: Robot, text: string): void {
  const call = {
    kind: "toolCall",
    phase: "execute",
    callId: "c",
    name: "bash",
    title: "cat",
    args: {},
    entry: 1,
  } as const
  const task = robot.host.task({ startedAt: robot.clock.now(), work: call })
  robot.host.say({ type: "progress", seq: 9, task: task.id, attempt: 1, at: 0, text })
}

/** What stands in each cell of the screen: a wide character in its first one, and nothing in its second. */
function cells(robot: Robot): readonly (readonly string[])[] {
  const wide = (char: string): readonly string[] => [
    char,
    ...new Array<string>(Math.max(0, textWidth(char, "unicode") - 1)).fill(""),
  ]
  return robot.setup
    .captureSpans()
    .lines.map(({ spans }) => graphemes(spans.map(({ text }) => text).join("")).flatMap(wide))
}

/** Text that has broken borders: tabs, wide and joined characters, marks without width, right-to-left. */
const hard = [
  "\tx\ty",
  "你好世界|",
  "한글|",
  "⚙️|⚙|",
  "👩‍👩‍👧‍👦|",
  "🇩🇪🇫|",
  "สวัสดีครับ|",
  "e\u0301|",
  "\u200b|",
  "אבג|",
  "中".repeat(90),
]

test("tabs and characters of every width leave the edge between two panels straight, wherever it stands (119, 120)", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer(hard.join("\n\n"))
  prints(robot, `${hard.join("\n")}\n`)
  await robot.wait(300)
  for (let columns = 120; columns >= 108; columns--) {
    await robot.resize(columns, 30)
    const edge = columns - Math.round(columns * 0.4) - 1
    const area = cells(robot).slice(0, 27)
    expect(area.map((row) => row[edge])).toEqual(Array.from({ length: 27 }, () => "│"))
    expect(robot.frame()).not.toContain("\t")
  }
  await robot.close()
})

test("under GNU screen a text goes out in pieces that its control strings hold, and one that is too much is said (124)", async () => {
  const robot = await openRobot()
  const written: string[] = []
  const copied = (text: string) =>
    copyText(text, {
      renderer: robot.renderer,
      remote: true,
      multiplexer: "screen",
      write: (bytes) => Promise.resolve(void written.push(bytes)),
    })
  const text = "x é ".repeat(500)
  expect(copiedSentence(await copied(text))).toEqual({ ok: true, text: "2,500 bytes sent to the terminal" })
  const pieces = [...(written[0] ?? "").matchAll(/\x1bP([^]*?)\x1b\\/g)].map(([, piece = ""]) => piece)
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(768)
  expect(pieces.join("")).toBe(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`)
  expect(copiedSentence(await copied("x".repeat(200_000)))).toEqual({
    ok: false,
    text: "200,000 bytes are too much for this terminal's clipboard; write the session to a file instead",
  })
  await robot.close()
})

test("a draft goes through an editor of any kind and comes back as it was left, a megabyte and its line ends too (132)", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "cairn-editor-"))
  expect(await editOutside(`sh -c 'printf x >> "$1"' --`, scratch, "draft ")).toBe("draft x")
  expect(await editOutside(`sh -c 'printf "a\\r\\nb\\r\\n" > "$1"' --`, scratch, "")).toBe("a\nb")
  const large = "a line of a long draft\n".repeat(45_000).trimEnd()
  expect(await editOutside("true", scratch, large)).toBe(large)
  expect(readdirSync(scratch)).toEqual([])
  rmSync(scratch, { recursive: true })
})

test("a conversation of five thousand messages opens at its end, and asks for no more than what is near it (129, 135)", async () => {
  const robot = await openRobot()
  const asked: string[] = []
  const content: typeof source.content = (one, ...more) => {
    asked.push(one.key)
    return source.content(one, ...more)
  }
  const rows = new RowView(robot.renderer, {
    source: { content },
    theme: plainTheme(),
    widthMethod: "unicode",
    clock: stillClock(),
    events: { changed() {}, selected() {}, open() {}, atStart() {}, moved() {} },
  })
  robot.renderer.root.add(rows.node)
  rows.resize(100, 30)
  rows.setBlocks(Array.from({ length: 5_000 }, (_, at) => block(`b${at}`, `message ${at}\nand more`)))
  await robot.draw()
  expect(rows.following).toBe(true)
  expect(asked).toContain("b4999")
  expect(new Set(asked).size).toBeLessThan(200)
  const before = asked.length
  rows.scrollBy(-1)
  await robot.draw()
  expect(asked.length - before).toBeLessThan(20)
  rows.dispose()
  await robot.close()
})

test("a long conversation opens at its end on the screen, and one that was left higher up is found there (135)", async () => {
  const robot = await openRobot({ rows: 20 })
  for (let at = 0; at < 600; at++) robot.host.answer(`message ${at}`)
  await robot.wait(100)
  robot.shows("message 599")
  await robot.press("pageup", "pageup")
  const place = robot.frame()
  robot.host.answer("a new one")
  await robot.wait(100)
  expect(robot.frame().split("\n").slice(0, 15)).toEqual(place.split("\n").slice(0, 15))
  await robot.close()
})
