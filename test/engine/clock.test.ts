/** A wall clock that jumps (a machine that slept, a time server): nothing is ordered by it, and nothing lasts less than no time. */
import { expect, test } from "bun:test"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent } from "../support/agent.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

const hour = 3_600_000

test("turns stay in their order on screen, on disk and in requests, whichever way the clock jumps (25)", async () => {
  const { dataDir, remove } = scratch()
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const order = "user: one\nassistant: re one\nuser: two\nassistant: re two\nuser: three\nassistant: re three"
  const script = ({ messages }: { messages: readonly { role: string; content: readonly unknown[] }[] }) => {
    const last = messages.at(-1)?.content[0] as { readonly text: string }
    return { text: `re ${last.text}` }
  }
  let agent = openAgent({ ledger: await createSession(place), clock, script })
  for (const [text, jump] of [
    ["one", -2 * hour],
    ["two", 3 * 365 * 24 * hour],
    ["three", -24 * hour],
  ] as const) {
    await agent.say(text)
    await agent.idle()
    clock.jump(jump)
    await agent.engine.close()
    agent = openAgent({ ledger: await openSession(place), clock, script })
    await agent.settle()
  }
  expect(agent.transcript()).toBe(order)
  await agent.say("four")
  await agent.idle()
  const asked = agent.model.requests
    .at(-1)
    ?.messages.map(({ role, content }) => `${role}: ${(content[0] as { text: string }).text}`)
  expect(asked).toEqual([...order.split("\n"), "user: four"])
  for (const { data } of agent.view().entries) {
    if (data.kind !== "assistant" || !("message" in data)) continue
    expect((data.message as { durationMs?: number }).durationMs ?? 0).toBeGreaterThanOrEqual(0)
  }
  expect(await agent.ledger.verify(true)).toEqual([])
  await agent.engine.close()
  remove()
})

test("ids of sessions do not meet, whatever the clock says (27)", () => {
  const times = [0, 2 ** 31, 2 ** 36 * 1_000, Date.UTC(2100, 0), Date.UTC(2026, 10, 30)]
  const ids = new Set<string>()
  for (const time of times) {
    for (let n = 0; n < 20_000; n++) ids.add(uuidv7(time + (n % 11) - 5 < 0 ? 0 : time + (n % 11) - 5))
  }
  expect(ids.size).toBe(times.length * 20_000)
  for (const id of [...ids].slice(0, 100))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
