import { expect, test } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import { pngOf } from "../../support/image.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

async function given(robot: Robot, ...images: readonly Uint8Array[]): Promise<void> {
  const content = images.map((bytes) => ({ type: "image", data: bytes.toBase64(), mimeType: "image/png" }) as const)
  robot.host.entry({ kind: "user", content: [{ type: "text", text: "look" }, ...content], submission: 1 })
  await robot.wait(50)
}

/** Blocks that are a half or a quarter of a cell. */
const pixels = /[▀▄▌▐▛▜▙▟▞▚]/

async function drawn(robot: Robot): Promise<void> {
  const seen = async (): Promise<boolean> => {
    await robot.draw()
    return pixels.test(robot.frame())
  }
  await eventually(seen, () => robot.frame())
}

async function look(robot: Robot): Promise<void> {
  await robot.press("ctrl+p")
  await robot.type("Look at the images")
  await robot.press("enter")
}

test("the images of a conversation are looked at, the newest first, in blocks where a terminal has no pixels", async () => {
  const robot = await openRobot({ columns: 80, rows: 24 })
  await given(robot, await pngOf(40, 40, "noise"), await pngOf(60, 20, "noise"))
  robot.shows("[image: image/png, ")
  await look(robot)
  robot.shows("2/2  [image: image/png, 5 KB, 60×20]")
  await drawn(robot)
  await robot.press("up")
  robot.shows("1/2  [image: image/png, 6 KB, 40×40]")
  await robot.press("escape")
  robot.hides("1/2  [image:")
  expect(robot.frame()).not.toMatch(pixels)
  await robot.close()
})

test("an image that cannot be decoded, and one on a screen without colours, is a line that says what it is", async () => {
  const robot = await openRobot({ columns: 80, rows: 24 })
  await given(robot, (await pngOf(40, 40)).slice(0, 50))
  await look(robot)
  await robot.until("[image: image/png, 1 KB, 40×40], which cannot be shown here")
  await robot.close()

  const terminal = { name: "xterm", colors: "none", remote: true, multiplexer: "none" } as const
  const mono = await openRobot({ columns: 80, rows: 24, options: { terminal } })
  await given(mono, await pngOf(40, 40, "noise"))
  await look(mono)
  mono.shows("[image: image/png, 6 KB, 40×40]")
  expect(mono.frame()).not.toMatch(pixels)
  await mono.close()
})

test("where there is no image, the palette says so", async () => {
  const robot = await openRobot()
  await look(robot)
  robot.hides("[image")
  robot.shows("there is no image in this conversation")
  expect(robot.end).toBeNull()
  await robot.close()
})
