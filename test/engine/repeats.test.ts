import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { repeatNote, repeatsMax } from "../../src/engine/repeats.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { textOf } from "../../src/message/message.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
const clock = new ManualClock()
const id = uuidv7(clock.now())
let open: Agent[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-repeats-"))
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Gives the same for the same word, but for `now`, which is another each time. */
function look(): Tool {
  let n = 0
  return defineTool({
    name: "look",
    description: "looks",
    parameters: Type.Object({ word: Type.String() }),
    version: 1,
    effect: "pure",
    title: () => "look",
    execute: async ({ word }) => textResult(word === "now" ? `it is ${++n}` : `nothing at ${word}`),
  })
}

/** Calls `look` with each word in turn, in a turn each, then answers. */
const turns =
  (words: readonly string[], from = 0): ModelScript =>
  (_request, n) => {
    const word = words[from + n]
    return word === undefined ? { text: "done" } : { calls: [{ id: `c${from + n}`, name: "look", args: { word } }] }
  }

async function agentOn(script: ModelScript, again = false): Promise<Agent> {
  const ledger = await (again ? openSession : createSession)({ dataDir, id, clock })
  const agent = openAgent({ ledger, clock, script, tools: [look()] })
  open.push(agent)
  return agent
}

/** In which result, counted from one, the model was told; and how often the person was. */
function told(agent: Agent): { readonly model: readonly number[]; readonly person: number } {
  const lines = agent.view().entries.map(({ data }) => data)
  const results = lines.filter((data) => data.kind === "toolResult" && "message" in data)
  const model = results.flatMap((data, at) =>
    "message" in data && textOf(data.message).includes(repeatNote) ? [at + 1] : [],
  )
  const person = lines.filter((data) => data.kind === "notice" && "code" in data && data.code === "repeated").length
  return { model, person }
}

const same = (count: number): readonly string[] => Array<string>(count).fill("a")

test("the same call with the same result five times: the person sees it, and the model is told once", async () => {
  const agent = await agentOn(turns(same(repeatsMax + 4)))
  await agent.say("go")
  await agent.idle()
  expect(told(agent)).toEqual({ model: [repeatsMax], person: 1 })
})

test("other calls between them change nothing about that; another result, or another run, does", async () => {
  const agent = await agentOn(turns(["a", "b", "a", "b", "a", "now", "a", "now", "now", "now", "now", "now", "a"]))
  await agent.say("go")
  await agent.idle()
  expect(told(agent)).toEqual({ model: [13], person: 1 })
})

test("four times in one run and four in the next are no circle", async () => {
  const words = [...same(4), ...same(4)]
  const agent = await agentOn((_request, n) => {
    if (n === 4 || n === 9) return { text: "done" }
    return { calls: [{ id: `c${n}`, name: "look", args: { word: words[n < 4 ? n : n - 1] ?? "" } }] }
  })
  await agent.say("one")
  await agent.idle()
  await agent.say("two")
  await agent.idle()
  expect(told(agent)).toEqual({ model: [], person: 0 })
})

test("a restart forgets no count, and tells nobody twice", async () => {
  for (const deaths of [[3], [repeatsMax + 1]] as const) {
    const words = same(repeatsMax + 3)
    const hang: ModelScript = (request, n) =>
      n === deaths[0] ? { text: "…", hang: true } : typeof script === "function" ? script(request, n) : { text: "" }
    const script = turns(words)
    const first = await agentOn(hang)
    await first.say("go")
    await eventually(
      () => first.model.requests.length > deaths[0],
      () => first.transcript(),
    )
    await first.engine.close()
    const second = await agentOn(turns(words, deaths[0]), true)
    await second.idle()
    expect(told(second)).toEqual({ model: [repeatsMax], person: 1 })
    await second.engine.close()
    rmSync(join(dataDir, "sessions"), { recursive: true })
  }
})
