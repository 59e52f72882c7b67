import { expect, test } from "bun:test"
import { LineHost } from "../../src/cli/line-host.ts"
import { ScriptedHost } from "../support/scripted-host.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

test("a host that goes as soon as it has come is not started again and again; what is said starts it", async () => {
  const clock = new ManualClock()
  const host = new ScriptedHost()
  const problems: string[] = []
  const line = new LineHost({
    clock,
    choice: { kind: "new" },
    connect: () => host.connect(),
    hear: () => {},
    problem: (text) => problems.push(text),
  })
  await line.reach()
  for (let goes = 0; goes < 20; goes++) {
    host.lose("the host ran out of memory")
    await settle()
    await clock.advance(1_000)
  }
  expect(host.connects).toBe(6)
  expect(problems.at(-1)).toBe("the host ran out of memory")
  await line.reach()
  expect(host.connects).toBe(7)
  for (let goes = 0; goes < 8; goes++) {
    await clock.advance(11_000)
    host.lose("the host was killed")
    await settle()
  }
  expect(host.connects).toBe(15)
  await line.close()
})
