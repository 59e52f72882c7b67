import { expect, test } from "bun:test"
import { Silence, silenceText, type Silent } from "../../src/cli/silence.ts"
import { memorySession } from "../../src/ledger/open.ts"
import { applyFrame, emptyView } from "../../src/protocol/view.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const limits = { httpIdleTimeoutMs: 300_000, httpFirstByteTimeoutMs: 900_000 }

/** An agent that is listened to, and what was told of it, in seconds. */
async function listened(script: ModelScript): Promise<{ agent: Agent; told: Silent[]; seconds(): readonly number[] }> {
  const clock = new ManualClock()
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script })
  const told: Silent[] = []
  const silence = new Silence(
    clock,
    () => limits,
    (silent) => told.push(silent),
  )
  let view = emptyView
  agent.engine.port.watch((frame) => {
    view = applyFrame(view, frame)
    silence.hear(frame, view)
  })
  return { agent, told, seconds: () => told.map(({ silentMs }) => silentMs / 1_000) }
}

test("a model that says nothing is told of after ten seconds, and each time the silence has doubled", async () => {
  const { agent, told, seconds } = await listened([{ hang: true }])
  await agent.say("hi")
  await agent.clock.advance(9_999)
  expect(told).toEqual([])
  await agent.clock.advance(1)
  expect(told).toEqual([{ who: "test/model", silentMs: 10_000, limitMs: 900_000 }])
  await agent.clock.advance(149_999)
  expect(seconds()).toEqual([10, 20, 40, 80])
  await agent.clock.advance(1)
  expect(seconds()).toEqual([10, 20, 40, 80, 160])
  await agent.stop()
  await agent.clock.advance(600_000)
  expect(seconds().length).toBe(5)
  await agent.engine.close()
})

test("a silence in the middle of an answer begins at its last piece", async () => {
  const { agent, told, seconds } = await listened([{ text: "half", hang: true }])
  await agent.say("hi")
  await agent.clock.advance(10_000)
  // What was said came with the frame that shows it.
  expect(seconds()).toEqual([])
  await agent.clock.advance(100)
  expect(seconds()).toEqual([10])
  expect(told[0]?.limitMs).toBe(300_000)
  await agent.stop()
  await agent.engine.close()
})

test("an answer that comes, a wait to ask again and a session that is closed are no silence", async () => {
  const { agent, told } = await listened([{ text: "yes" }, { hang: true }])
  await agent.say("hi")
  await agent.idle()
  await agent.clock.advance(60_000)
  expect(told).toEqual([])
  await agent.say("on")
  await agent.engine.close()
  await agent.clock.advance(60_000)
  expect(told).toEqual([])
})

test("a silence is a sentence that says for how long, and how long it is borne", () => {
  expect(silenceText({ who: "p/m", silentMs: 20_400, limitMs: 300_000 })).toBe(
    "p/m has said nothing for 20 s; after 300 s this counts as a failure.",
  )
  expect(silenceText({ who: "p/m", silentMs: 500, limitMs: 1_500 })).toContain("for 0.5 s; after 1.5 s")
})
