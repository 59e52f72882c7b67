/** A commit of which nobody knows whether it was stored: the session ends, and the next opening takes the file's word. */
import { expect, test } from "bun:test"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { Unknown } from "../../src/ledger/storage.ts"
import { openAgent } from "../support/agent.ts"
import { ledgerOn, writing } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

test.each([true, false])(
  "T33, row 29: an input whose commit has an unknown fate (stored: %p) is handed in again and is there once",
  async (isStored) => {
    const clock = new ManualClock()
    const memory = new MemoryStorage()
    const failing = writing(memory, (batch) => {
      const admits = batch.changes.some((change) => change.type === "submission")
      if (!admits || isStored) memory.write(batch)
      if (admits) throw new Unknown("I/O error in COMMIT")
    })
    const first = openAgent({ ledger: await ledgerOn(failing, clock), clock, script: [{ text: "never" }] })
    // Neither taken nor refused as far as anybody was told.
    await expect(first.say("hello", "followUp", "r")).rejects.toThrow("not known")
    expect(first.frames.some(({ type }) => type === "lost")).toBe(true)
    expect(first.transcript()).toBe("")
    expect(first.model.requests).toHaveLength(0)
    await first.engine.close()
    const second = openAgent({ ledger: await ledgerOn(memory, clock), clock, script: [{ text: "hi" }] })
    const { submission } = await second.engine.port.request({
      type: "submit",
      conversation: 1,
      requestId: "r",
      content: [{ type: "text", text: "hello" }],
      mode: "followUp",
    })
    await second.settle()
    await second.idle()
    expect(submission).toBeGreaterThan(0)
    expect(second.transcript()).toBe("user: hello\nassistant: hi")
    expect(second.model.requests).toHaveLength(1)
  },
)
