/** What many streams leave behind, and what a long answer costs: nothing but their records, within a budget of bytes. */
import { afterEach, expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { sessionPaths, type SessionPaths } from "../../src/ledger/folder.ts"
import { createSession } from "../../src/ledger/open.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { textOf } from "../../src/message/message.ts"
import { noUsage } from "../../src/message/usage.ts"
import type { Api } from "../../src/providers/provider.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { sleep } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, ScriptedModel, type ModelScript } from "../support/agent.ts"
import { scratch } from "../support/ledger-backends.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock } from "../support/manual-clock.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Place = { readonly ledger: Ledger; readonly clock: ManualClock; readonly paths: SessionPaths }

async function inFile(): Promise<Place> {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const id = uuidv7(clock.now())
  return { ledger: await createSession({ dataDir, id, clock }), clock, paths: sessionPaths(dataDir, id) }
}

/** A spool goes behind the commit that settled its task: the last one may be on its way. */
function noSpool({ spool }: SessionPaths): Promise<void> {
  return eventually(
    () => readdirSync(spool).length === 0,
    () => `spools are left: ${readdirSync(spool).join(", ")}`,
  )
}

const spooled = ({ spool }: SessionPaths): number =>
  readdirSync(spool).reduce((sum, name) => sum + (statSync(join(spool, name), { throwIfNoEntry: false })?.size ?? 0), 0)

const streams = 10
const turns = 18
const hourMs = 3_600_000
/** What each call of a stream takes, so that all of a stream's turns together take an hour. */
const workMs = hourMs / turns
/** What a turn with a call leaves in the file: answer, result, and the receipts of both tasks. */
const turnBytesMax = 8 * 1024
/** The log is checkpointed at 1 MiB, and no longer than 4 MiB once it was longer. */
const logBytesMax = 4 * 1024 * 1024 + 64 * 1024

const crowd = defineTool({
  name: "crowd",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "keyed",
  title: () => "crowd",
  async execute(_args, _intent, { subagent }) {
    const names = Array.from({ length: streams }, (_, n) => String(n))
    const answers = await Promise.all(names.map((name) => subagent?.({ prompt: `child ${name}`, name })))
    return textResult(answers.map((answer) => answer?.status).join(" "))
  },
}) as Tool

const work = defineTool({
  name: "work",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "unsafe",
  title: () => "work",
  async execute(_args, _intent, { progress, clock, signal }) {
    for (let part = 0; part < 10; part++) {
      progress("some output\n".repeat(50))
      await sleep(clock, workMs / 10, signal)
    }
    return textResult("worked")
  },
}) as Tool

const script: ModelScript = ({ messages }) => {
  const [first] = messages
  if (first !== undefined && textOf(first) === "go")
    return messages.length === 1 ? { calls: [{ id: "c", name: "crowd" }] } : { text: "all have answered" }
  const results = messages.filter(({ role }) => role === "toolResult").length
  const text = `a sentence of an answer that is streamed, turn ${results}`
  return results === turns ? { text } : { text, calls: [{ id: `w${results}`, name: "work" }] }
}

test("T24: ten streams with ten subagents for an hour leave no spool, a log within its limit, and few bytes a turn (13)", async () => {
  const { ledger, clock, paths } = await inFile()
  const agent = openAgent({ ledger, clock, script, tools: [crowd, work] })
  const began = clock.monotonic()
  await agent.say("go")
  let [log, progress] = [0, 0]
  while (agent.engine.busy()) {
    await clock.advance(workMs / 10)
    log = Math.max(log, statSync(paths.wal).size)
    progress = Math.max(progress, spooled(paths))
  }
  expect(clock.monotonic() - began).toBeGreaterThanOrEqual(hourMs)
  expect(agent.transcript()).toEndWith(
    `crowd (done): ${Array(streams).fill("answered").join(" ")}\nassistant: all have answered`,
  )
  expect(log).toBeLessThan(logBytesMax)
  // Of each running call what it has put out, and nothing of those that have ended.
  expect(progress).toBeGreaterThan(0)
  expect(progress).toBeLessThan(streams * 10 * 1024)
  await noSpool(paths)
  const { tasks } = await ledger.counts()
  await agent.engine.close()
  // Each turn is a generation and a call.
  expect(tasks).toBe(2 + 1 + streams * (2 * turns + 1))
  expect(statSync(paths.db).size / (streams * turns)).toBeLessThan(turnBytesMax)
}, 120_000)

const answerBytes = 32 * 1024
const pieces = 2_400

const pageBytes = 1024
const frameHeadBytes = 24

/** How many pages a log holds behind `from`: each is written into the file once, when the log is moved there. */
function pagesIn(path: string, from: number): number {
  const log = readFileSync(path)
  const pages = new Set<number>()
  for (let at = from; at < log.length; at += frameHeadBytes + pageBytes) pages.add(log.readUInt32BE(at))
  return pages.size
}

/** A short answer, and then one that comes in many small pieces over ten seconds. */
class Streaming extends ScriptedModel {
  override readonly api: Api = {
    name: "openai-completions",
    encoder: 1,
    encode: () => ({ path: "/test", body: {} }),
    call: async ({ messages }, _encoded, { onDelta, clock, signal }) => {
      const text = messages.length === 1 ? "short" : "x".repeat(answerBytes)
      const size = Math.ceil(answerBytes / pieces)
      onDelta({ type: "text_start", contentIndex: 0 })
      for (let at = 0; at < text.length; at += size) {
        onDelta({ type: "text_delta", contentIndex: 0, delta: text.slice(at, at + size) })
        await sleep(clock, 10_000 / pieces, signal)
      }
      const part = { type: "text", text } as const
      onDelta({ type: "text_end", contentIndex: 0, part })
      return { content: [part], stopReason: "stop", usage: noUsage }
    },
  }
}

test("an answer of 32 KB in 2,400 pieces writes at most six times its size", async () => {
  const { ledger, clock, paths } = await inFile()
  let spool = 0
  const at = (moment: string): void => {
    if (moment === "answered") spool = spooled(paths)
  }
  const agent = openAgent({ ledger, clock, model: new Streaming([]), at })
  await agent.say("go")
  while (agent.engine.busy()) await clock.advance(1_000)
  const before = { log: statSync(paths.wal).size, seq: ledger.seq }
  await agent.say("on")
  while (agent.engine.busy()) await clock.advance(1_000)
  // The log only grows until it is moved into the file: its length is what was written to it.
  const log = statSync(paths.wal).size - before.log
  const marks = (ledger.seq - before.seq) * 64
  const moved = pagesIn(paths.wal, before.log) * pageBytes
  await agent.engine.close()
  expect(spool).toBeGreaterThan(answerBytes)
  expect(log).toBeGreaterThan(answerBytes)
  expect(spool + log + moved + marks).toBeLessThan(6 * answerBytes)
  await noSpool(paths)
}, 60_000)
