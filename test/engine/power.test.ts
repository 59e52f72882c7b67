/**
 * What a power cut leaves of a session at work: all that was flushed, and of the rest any part. An image of the folder is cut where the last flush ended, or
 * at every sector, and opened as the next process would.
 */
import { afterEach, expect, test } from "bun:test"
import { cpSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { brokenInvariants } from "../../src/engine/invariants.ts"
import { CommitsMissing } from "../../src/ledger/errors.ts"
import { sessionPaths, type SessionPaths } from "../../src/ledger/folder.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { readWhole, type AllRecords } from "../../src/ledger/peek.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

const sectorBytes = 512

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Place = {
  readonly dataDir: string
  readonly id: string
  readonly clock: ManualClock
  readonly paths: SessionPaths
}

/** Where the log ended after each commit, and whether that commit was flushed. */
type Written = { readonly seq: number; readonly end: number; readonly flushed: boolean }

type Work = { readonly agent: Agent; readonly place: Place; readonly written: readonly Written[]; image(): Place }

function newPlace(id: string, clock: ManualClock): Place {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  return { dataDir, id, clock, paths: sessionPaths(dataDir, id) }
}

const script: ModelScript = ({ messages }) => {
  const results = messages.filter(({ role }) => role === "toolResult").length
  return results === 0
    ? {
        text: "I act.",
        calls: [
          { id: "a", name: "act" },
          { id: "b", name: "act" },
        ],
      }
    : { text: "It is done." }
}

/** A session at work in a file; `acted` is called in the middle of each effect. */
async function working(acted: (work: Work) => void = () => undefined): Promise<Work> {
  const clock = new ManualClock()
  const place = newPlace(uuidv7(clock.now()), clock)
  const ledger = await createSession(place)
  const written: Written[] = [{ seq: ledger.seq, end: statSync(place.paths.wal).size, flushed: true }]
  ledger.watch(({ seq, class: flush }) => {
    written.push({ seq, end: statSync(place.paths.wal).size, flushed: flush === "flushed" })
  })
  const image = (): Place => {
    const copy = newPlace(place.id, clock)
    // By another process: closing a descriptor of the database here would drop this process's locks of it.
    Bun.spawnSync(["mkdir", "-p", join(copy.dataDir, "sessions")])
    Bun.spawnSync(["cp", "-r", place.paths.folder, copy.paths.folder])
    return copy
  }
  const tool = defineTool({
    name: "act",
    version: 1,
    description: "",
    parameters: Type.Object({}),
    effect: "unsafe",
    title: () => "act",
    execute: async () => {
      acted(work)
      return textResult("acted")
    },
  }) as Tool
  const agent = openAgent({ ledger, clock, script, tools: [tool] })
  const work: Work = { agent, place, written, image }
  return work
}

/** Opens it as the next process does, also where commits are gone, and tells what there is. */
async function opened(place: Place): Promise<{ readonly records: AllRecords; readonly seq: number }> {
  const first: unknown = await openSession(place).catch((error: unknown) => error)
  if (first instanceof Error && !(first instanceof CommitsMissing)) throw first
  const ledger = first instanceof Error ? await openSession({ ...place, acceptLoss: true }) : (first as Ledger)
  const before = ledger.seq - 1
  expect(await ledger.verify(true)).toEqual([])
  await ledger.close()
  const whole = readWhole(place)
  if (whole.state !== "ok") throw new Error(whole.note)
  expect(brokenInvariants(whole.records)).toEqual([])
  return { records: whole.records, seq: before }
}

/** All that was not flushed by now is gone. */
function cutAtFlush({ written, image }: Work): Place {
  const place = image()
  truncateSync(place.paths.wal, written.findLast(({ flushed }) => flushed)?.end ?? 0)
  return place
}

test("P1, T03: an input that was acknowledged is there after a power cut", async () => {
  const work = await working()
  const content = [{ type: "text", text: "hello" }] as const
  await work.agent.engine.port.request({ type: "submit", conversation: 1, requestId: "r", content, mode: "followUp" })
  const { records } = await opened(cutAtFlush(work))
  await work.agent.engine.close()
  expect(records.submissions.map(({ requestId }) => requestId)).toEqual(["r"])
  expect(records.entries.filter(({ kind }) => kind === "user")).toHaveLength(1)
})

test("T07: wherever an effect is in the world, its mark is there after a power cut", async () => {
  const images: Place[] = []
  const work = await working((now) => images.push(cutAtFlush(now)))
  await work.agent.say("go")
  await work.agent.idle()
  await work.agent.engine.close()
  expect(images).toHaveLength(2)
  for (const [n, image] of images.entries()) {
    const { records } = await opened(image)
    const calls = records.tasks.filter(({ kind }) => kind === "toolCall")
    expect(calls[n]?.checkpoint["dispatched"]).toBe(true)
  }
})

test("T04, row 31: a log that a power cut ends at any sector gives a beginning of what was committed, whole, with all that was flushed by then", async () => {
  const work = await working()
  await work.agent.say("go")
  await work.agent.idle()
  const image = work.image()
  const { written } = work
  await work.agent.engine.close()
  const size = statSync(image.paths.wal).size
  expect(size).toBe(written.at(-1)?.end ?? 0)
  const kept = newPlace(image.id, image.clock)
  cpSync(image.paths.folder, kept.paths.folder, { recursive: true })
  const seen = new Set<number>()
  for (let end = 0; end <= size; end += sectorBytes) {
    for (const name of ["db", "wal", "mark", "lock", "format"] as const)
      writeFileSync(image.paths[name], readFileSync(kept.paths[name]))
    truncateSync(image.paths.wal, end)
    const { seq } = await opened(image)
    seen.add(seq)
    // What lies whole before the cut, and nothing else.
    expect(seq).toBe(written.findLast((commit) => commit.end <= end)?.seq ?? 0)
  }
  expect(seen.size).toBeGreaterThan(10)
}, 120_000)
