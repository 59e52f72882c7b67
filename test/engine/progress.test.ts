/** Progress on a disk that refuses spools: shown, marked, and saved with what follows. */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Spools } from "../../src/ledger/spool.ts"
import { createSession } from "../../src/ledger/open.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, ScriptedModel } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

/** `ledger`, whose spools are refused while `full` says so. */
function withFullSpools(ledger: Ledger, full: () => boolean): Ledger {
  const refuse = (): void => {
    if (full()) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
  }
  const open: Spools["open"] = (task, attempt, how) => {
    refuse()
    const spool = ledger.spools.open(task, attempt, how)
    const append = (text: string): number => {
      refuse()
      return spool.append(text)
    }
    return { task, attempt, size: 0, append, close: () => spool.close() }
  }
  const spools: Spools = new Proxy(ledger.spools, {
    get: (target, name) => {
      const value: unknown = name === "open" ? open : Reflect.get(target, name)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
  return new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = name === "spools" ? spools : Reflect.get(target, name)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}

test("text that the disk refused is shown as not saved, and saved whole once the disk takes it", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-progress-"))
  const clock = new ManualClock()
  let full = true
  const ledger = await createSession({ dataDir, id: uuidv7(clock.now()), clock })
  const gate = Promise.withResolvers<void>()
  const model = new ScriptedModel([{ text: "first and more", hang: true, until: gate.promise }])
  const agent = openAgent({ ledger: withFullSpools(ledger, () => full), clock, model })
  await agent.say("hello")
  const told = agent.frames.filter((frame) => frame.type === "progress")
  expect(told.length).toBeGreaterThan(0)
  expect(told.every(({ unsaved }) => unsaved === true)).toBe(true)
  full = false
  await clock.advance(100)
  await agent.stop()
  gate.resolve()
  await agent.idle()
  expect(agent.reports).toEqual([])
  expect(agent.transcript()).toContain("attempt (aborted): first and more")
  await agent.engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})
