/** Runs with nobody watching, on sessions that cannot be worked on. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runHeadless, type HeadlessEnd } from "../../src/cli/headless.ts"
import { createSession, viewSession } from "../../src/ledger/open.ts"
import { textOf } from "../../src/message/message.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "cairn-headless-"))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** How a run ends on a session that can only be looked at, in which this was said before. */
async function lookedAt(script: readonly Reply[], prompt: string | null): Promise<HeadlessEnd> {
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const first = openAgent({ ledger: await createSession(place), clock, script })
  await first.say("hello")
  await first.settle()
  await first.engine.close()
  const ledger = await viewSession({ ...place, reason: "its disk takes no writes" })
  const agent = openAgent({ ledger, clock, script: [{ text: "never" }] })
  const { end } = await runHeadless(agent.engine.port, {
    conversation: 1,
    prompt: prompt === null ? null : [{ type: "text", text: prompt }],
    requestId: "r",
    resume: false,
    stop: new AbortController().signal,
  })
  await agent.engine.close()
  expect(agent.model.requests).toEqual([])
  return end
}

test("what has ended is told also where nothing can be written", async () => {
  const end = await lookedAt([{ text: "hi" }], null)
  expect(end.kind === "answered" && textOf(end.message)).toBe("hi")
})

test("what has not ended, or is asked for anew, fails with the reason", async () => {
  const failed: HeadlessEnd = { kind: "failed", problem: "its disk takes no writes" }
  expect(await lookedAt([{ text: "…", hang: true }], null)).toEqual(failed)
  expect(await lookedAt([{ text: "hi" }], "more")).toEqual(failed)
})
