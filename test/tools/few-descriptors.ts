/**
 * A command while this process has no descriptor to spare: `bun few-descriptors.ts look | stop | timers`. It prints what comes of it.
 *
 * - `look`, `stop`: as it is looked what the command waits for, or when it is stopped. `timers`: whenever a timer fires.
 */
import { closeSync, openSync } from "node:fs"
import { systemClock, type Clock } from "../../src/std/clock.ts"
import { errorCode } from "../../src/std/files.ts"
import { bashTool } from "../../src/tools/bash.ts"
import { supervised } from "../../src/tools/bash-watch.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { textOf, workbench } from "./workbench.ts"

/** Takes all descriptors; the function that it returns gives them back. */
function takeAll(): () => void {
  const held: number[] = []
  try {
    for (;;) held.push(openSync("/dev/null", "r"))
  } catch (error) {
    if (errorCode(error) !== "EMFILE") throw error
  }
  return () => {
    for (const descriptor of held) closeSync(descriptor)
  }
}

async function watched(isStop: boolean): Promise<string> {
  using bench = workbench()
  const clock = new ManualClock()
  const stop = new AbortController()
  const context = bench.context({ clock, signal: stop.signal })
  const work = Promise.withResolvers<string>()
  const end = supervised(null, null, context, (abandon) => {
    abandon.addEventListener("abort", () => work.resolve("abandoned"))
    return work.promise
  }).then(
    ({ value, stop: by }) => JSON.stringify([value, by]),
    (error: unknown) => `rejected: ${errorCode(error)}`,
  )
  const giveBack = takeAll()
  if (isStop) stop.abort()
  else await clock.advance(10_000)
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  for (let n = 0; n < 10; n++) await turn()
  giveBack()
  if (!isStop) work.resolve("ended by itself")
  return end
}

async function timers(): Promise<string> {
  using bench = workbench()
  const clock: Clock = {
    ...systemClock,
    after: (ms, callback) =>
      systemClock.after(ms, () => {
        const giveBack = takeAll()
        callback()
        giveBack()
      }),
  }
  return textOf(await bench.call(bashTool, { command: "sleep 0.5; echo done" }, { clock, files: bench.files() }))
}

const what = process.argv[2]
console.log(await (what === "timers" ? timers() : watched(what === "stop")))
