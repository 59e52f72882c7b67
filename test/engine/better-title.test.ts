import { afterEach, expect, test } from "bun:test"
import { titleFrom } from "../../src/engine/better-title.ts"
import { createSession } from "../../src/ledger/open.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import type { SessionDocument } from "../../src/protocol/records.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function agent(script: ModelScript): Promise<Agent> {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const ledger = await createSession({ dataDir, id: uuidv7(1_000), clock })
  const made = openAgent({ ledger, clock, script })
  cleanups.push(() => made.stop())
  return made
}

const session = ({ ledger }: Agent): SessionDocument =>
  ledger.live.document(0, "session")?.value as unknown as SessionDocument
const never = new AbortController().signal

test("a session is named by the model once, from its first exchange, and what that costs is counted", async () => {
  const it = await agent([{ text: "It is mended." }, { text: '"Mend the parser."\n' }, { text: "Again" }])
  await it.engine.betterTitle(never)
  expect(it.model.requests.length).toBe(0)
  await it.say("please mend the parser, it fails on tabs")
  await it.idle()
  await it.engine.betterTitle(never)
  expect(session(it)).toMatchObject({ title: "Mend the parser", titled: true })
  const [, asked] = it.model.requests
  expect(asked?.tools).toEqual([])
  expect(JSON.stringify(asked?.messages)).toContain("please mend the parser")
  expect(JSON.stringify(asked?.messages)).toContain("It is mended.")
  await it.engine.betterTitle(never)
  expect(it.model.requests.length).toBe(2)
  expect(it.view().documents.get("1/usage")?.value).toMatchObject({ total: { input: 20, output: 10 } })
})

test("a name that a person gave stays", async () => {
  const it = await agent([{ text: "done" }, { text: "Another" }])
  await it.say("hello")
  await it.idle()
  await it.engine.port.request({ type: "title", title: "Mine" })
  await it.engine.betterTitle(never)
  expect([session(it).title, it.model.requests.length]).toEqual(["Mine", 1])
})

test("a model that fails is not asked again; one that was stopped is", async () => {
  const failing = await agent([{ text: "done" }, { error: new ProviderError("fatal", "bad", "no") }, { text: "Late" }])
  await failing.say("hello there")
  await failing.idle()
  await failing.engine.betterTitle(never)
  await failing.engine.betterTitle(never)
  expect([session(failing).title, failing.model.requests.length]).toEqual(["hello there", 2])

  const stopped = await agent([{ text: "done" }, { hang: true }, { text: "Greeting" }])
  await stopped.say("hello there")
  await stopped.idle()
  const stop = new AbortController()
  const naming = stopped.engine.betterTitle(stop.signal)
  await stopped.settle()
  stop.abort()
  await naming
  expect(session(stopped).titled).toBeUndefined()
  await stopped.engine.betterTitle(never)
  expect(session(stopped).title).toBe("Greeting")
})

test.each<[said: string, title: string]>([
  ['"Mend the parser."', "Mend the parser"],
  ["\n# **Title: A walk**\nmore", "A walk"],
  ["«修复搜索»", "修复搜索"],
  ["", ""],
  ["x".repeat(200), "x".repeat(80)],
])("%p becomes the title %p", (said, title) => {
  expect(titleFrom(said)).toBe(title)
})
