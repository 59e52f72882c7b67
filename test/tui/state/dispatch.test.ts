import { expect, test } from "bun:test"
import { Store } from "../../../src/tui/dispatch.ts"
import { defaultSlots } from "../../../src/tui/options.ts"
import { startState } from "../../../src/tui/state.ts"
import { darkTheme } from "../../support/screen-shelves.ts"
import { ManualClock, settle } from "../../support/manual-clock.ts"

function setup(remote = false) {
  const clock = new ManualClock()
  const state = startState({
    size: { columns: 80, rows: 24 },
    theme: darkTheme,
    keymap: "default",
    slots: defaultSlots,
    mouse: true,
    now: 0,
    interrupted: null,
  })
  const store = new Store(state, { clock, remote })
  const draws: boolean[] = []
  store.drawWith((_, content) => draws.push(content))
  let at = 0
  const stream = (): void => {
    const text = "x"
    store.dispatch({ type: "frame", frame: { type: "progress", seq: 1, task: 1, attempt: 1, at: at++, text } })
  }
  return { clock, store, draws, stream }
}

test("text that streams is drawn at the pace of a screen, evenly", async () => {
  const { clock, draws, stream } = setup()
  for (let tick = 0; tick < 100; tick++) {
    stream()
    await clock.advance(10)
  }
  expect(draws.length).toBeGreaterThanOrEqual(24)
  expect(draws.length).toBeLessThanOrEqual(31)
})

test("over a network text that streams is drawn at most ten times a second", async () => {
  const { clock, draws, stream } = setup(true)
  for (let tick = 0; tick < 100; tick++) {
    stream()
    await clock.advance(10)
  }
  expect(draws.length).toBeLessThanOrEqual(11)
})

test("what a key did is drawn at once, without the text that streams", async () => {
  const { store, draws, stream } = setup()
  stream()
  await settle()
  draws.length = 0
  stream()
  store.dispatch({ type: "branch", name: "main" })
  await settle()
  expect(draws).toEqual([false])
})

test("a burst of events is drawn once", async () => {
  const { store, draws } = setup()
  for (const name of ["a", "b", "c"]) store.dispatch({ type: "branch", name })
  await settle()
  expect(draws.length).toBe(1)
})

test("with nothing to draw no timer runs", async () => {
  const { clock, store, stream } = setup()
  stream()
  await clock.advance(1_000)
  store.dispatch({ type: "branch", name: "main" })
  await clock.advance(1_000)
  expect(clock.pending).toEqual([])
})
