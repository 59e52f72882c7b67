/** Watching over a command where the machine has nothing to spare. */
import { expect, test } from "bun:test"
import { join } from "node:path"

const script = join(import.meta.dir, "few-descriptors.ts")

function watched(what: "look" | "stop" | "timers"): { readonly told: string; readonly status: number | null } {
  const words = ["/bin/sh", "-c", 'ulimit -n 256 && exec "$0" "$@"', process.execPath, script, what]
  const { stdout, exitCode } = Bun.spawnSync(words, { stderr: "ignore" })
  return { told: stdout.toString().trim(), status: exitCode }
}

test("a command goes on where it cannot be looked whether it waits for a person", () => {
  expect(watched("look")).toEqual({ told: '["ended by itself",null]', status: 0 })
})

test("where the processes of a command that is to be ended cannot be found, whoever waits for it hears so", () => {
  expect(watched("stop")).toEqual({ told: "rejected: EMFILE", status: 0 })
})

test("a command for which no watchdog can be started goes on to its end", () => {
  expect(watched("timers")).toEqual({ told: "done", status: 0 })
})
