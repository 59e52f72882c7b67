/** Expressions in a process of their own: right where they are quick, ended where they are not, and the next one is answered again. */
import { afterEach, expect, test } from "bun:test"
import { join } from "node:path"
import { MatchProcess } from "../../src/cli/match-process.ts"
import { systemClock } from "../../src/std/clock.ts"

const command = [process.execPath, join(import.meta.dir, "../../src/main.ts"), "host", "--match"]

let matcher: MatchProcess
afterEach(() => matcher.close())

test("texts are matched line by line, in the order in which they were asked", async () => {
  matcher = new MatchProcess(systemClock, command)
  const [first, second] = await Promise.all([
    matcher.match(["one\ntwo words\n中文 two", "none"], "^t\\w+|文"),
    matcher.match(["nothing", "a 👩‍👩‍👧 b"], "\\s.*\\s"),
  ])
  const excerpt = { before: "one", line: "two words", after: "中文 two", from: 0, to: 3 }
  expect(first).toEqual({ matches: [{ text: 0, count: 2, ...excerpt }] })
  expect(second).toMatchObject({ matches: [{ text: 1, count: 1 }] })
})

test("an expression that does not end is ended and told, and the one after it is answered", async () => {
  matcher = new MatchProcess(systemClock, command)
  const slow = await matcher.match(["a".repeat(20_000)], "(.*)(.*)(.*)(.*)(.*)x$")
  expect(slow).toMatchObject({ problem: expect.stringContaining("takes too long") })
  expect(await matcher.match(["a needle"], "n.*e")).toMatchObject({ matches: [{ text: 0, count: 1 }] })
})
