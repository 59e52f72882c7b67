/**
 * Whatever is pressed, clicked, pasted, resized and said by a host, in whatever order: nothing fails, somebody who can be seen has the keys, no
 * row holds a control character, and what is on the screen is what a full repaint would put there, cell by cell.
 */
import { CliRenderEvents } from "@opentui/core"
import { expect, test } from "bun:test"
import { Monkey } from "../../support/monkey.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const keymaps = ["default", "vim", "emacs"] as const
const steps = 120
/** A repaint is compared every so often: it costs more than a deed. */
const compareEvery = 5
/** Longer than anything that is drawn later waits. */
const drawnMs = 600

/** Any control character, and what hides or turns text. */
const forbidden = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]/
/** What the screen says of its own faults. */
const ownFault = /which is a bug|could not be drawn|failed and was closed|is not a function|not an object|Bug/

/** Every row as its pieces with their colours. */
function cells(robot: Robot): readonly string[] {
  return robot.setup
    .captureSpans()
    .lines.map(({ spans }) =>
      spans.map(({ text, fg, bg, attributes }) => `${text}|${fg.toString()}|${bg.toString()}|${attributes}`).join("¦"),
    )
}

/** Faults that the screen keeps from a person as well as it can. */
function listen(robot: Robot): string[] {
  const faults: string[] = []
  robot.renderer.on(CliRenderEvents.RENDER_ERROR, ({ error }: { readonly error: Error }) => faults.push(error.message))
  robot.screen.app.store.listen((state) => {
    if (state.toast !== null && ownFault.test(state.toast.text)) faults.push(state.toast.text)
  })
  return faults
}

function look(robot: Robot): void {
  const { size, focus, dialogs } = robot.state
  const { app } = robot.screen
  const frame = robot.setup.captureCharFrame().replace(/\n$/, "")
  expect(frame).not.toMatch(forbidden)
  const widths = robot.setup.captureSpans().lines.map(({ spans }) => spans.reduce((sum, { width }) => sum + width, 0))
  expect(widths).toEqual(Array.from({ length: size.rows }, () => size.columns))
  if (focus.area === "panel") expect(app.slots.visible()).toContain(focus.id)
  const typing = dialogs.length === 0 && !app.search.open && focus.area === "editor"
  expect(app.editor.node.focused).toBe(typing)
}

/** A new theme, equal to the old one, makes every part forget what it has painted. */
async function compare(robot: Robot): Promise<void> {
  await robot.wait(drawnMs)
  if (robot.end !== null) return
  // The library keeps what the mouse selected by its place, whatever stands there by then.
  robot.renderer.clearSelection()
  await robot.draw()
  const before = cells(robot)
  robot.screen.app.store.dispatch({ type: "theme", theme: { ...robot.state.theme } })
  robot.screen.app.store.redraw()
  await robot.draw()
  expect(cells(robot)).toEqual([...before])
}

/** Orders in which faults were found. */
const seeds = [31, 35, 39, 53, 134, 152, 170, 238, 248, 287, 326, 337, 350, 378, 381, 386]

test.each(seeds)(
  "after anything in any order the screen is whole and somebody has the keys (seed %d)",
  async (seed) => {
    const keymap = keymaps[seed % keymaps.length] ?? "default"
    const robot = await openRobot({
      columns: 20 + ((seed * 9) % 200),
      rows: 5 + ((seed * 2) % 60),
      settings: { keymap },
    })
    // The test renderer has no terminal to give to another program.
    Object.assign(robot.screen.app.terminal, { lend: () => Promise.resolve() })
    const faults = listen(robot)
    const monkey = new Monkey(robot, seed, keymap)
    const deeds: string[] = []
    try {
      for (let step = 1; step <= steps && robot.end === null; step++) {
        deeds.push(await monkey.act())
        expect(faults).toEqual([])
        if (robot.end !== null) break
        look(robot)
        if (step % compareEvery === 0) await compare(robot)
      }
    } catch (error) {
      throw new Error(`the last deeds were ${deeds.slice(-10).join(", ")}`, { cause: error })
    } finally {
      await robot.close()
    }
  },
)
