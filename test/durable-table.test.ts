/** Whoever asks what happens at a moment finds the test of it by its number: `T01` to `T36`, and the rows of what a restart does. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const here = import.meta.dir

const names = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts") && path !== "durable-table.test.ts")
  .flatMap((path) => readFileSync(join(here, path), "utf8").match(/"[^"\n]*\b(?:T\d\d|rows? \d+)\b[^"\n]*"/g) ?? [])

test("every test of durability is there by its number", () => {
  const numbers = Array.from({ length: 36 }, (_, n) => `T${String(n + 1).padStart(2, "0")}`)
  expect(numbers.filter((number) => !names.some((name) => name.includes(number)))).toEqual([])
})

test("every moment at which a process can die has its row, but the one that does not exist here", () => {
  const rows = new Set(names.flatMap((name) => /rows? (\d+)(?: and (\d+))?/.exec(name)?.slice(1) ?? []))
  const missing = Array.from({ length: 32 }, (_, n) => String(n)).filter((row) => !rows.has(row))
  // No request is ever left with a provider to be asked for later.
  expect(missing).toEqual(["16"])
})
