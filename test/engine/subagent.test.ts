/** Subagents: conversations that a call owns. Stops flow down to them, answers come up, and a crash doubles neither. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { brokenInvariants } from "../../src/engine/invariants.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { readWhole } from "../../src/ledger/peek.ts"
import type { ModelRequest } from "../../src/providers/provider.ts"
import { textOf } from "../../src/message/message.ts"
import { defineTool, errorResult, textResult, type Effect, type Tool } from "../../src/tools/tool.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Agent, type ModelScript, type Reply } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

let world = scratch()
let clock = new ManualClock()
let id = ""
let open: Agent[] = []

beforeEach(() => {
  world = scratch()
  clock = new ManualClock()
  id = uuidv7(clock.now())
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  world.remove()
})

function ask(effect: Effect = "keyed"): Tool {
  return defineTool({
    name: "ask",
    version: 1,
    description: "",
    parameters: Type.Object({ prompts: Type.Array(Type.String()) }),
    effect,
    title: () => "ask",
    async execute({ prompts }, _intent, { subagent }) {
      if (subagent === undefined) return errorResult("no subagents here")
      const answers = await Promise.all(prompts.map((prompt, n) => subagent({ prompt, name: String(n) })))
      return textResult(answers.map((one) => (one.status === "answered" ? one.text : `(${one.reason})`)).join(", "))
    },
  }) as Tool
}

const note = defineTool({
  name: "note",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "pure",
  title: () => "note",
  execute: async () => textResult("noted"),
}) as Tool

const asking = (...prompts: string[]): Reply => ({ calls: [{ id: "a", name: "ask", args: { prompts } }] })
const lastOf = (request: ModelRequest): string => {
  const last = request.messages.at(-1)
  return last === undefined ? "" : textOf(last)
}

/** The parent asks what `prompts` say and tells what it heard; a child notes first, then answers; `hang` never does. */
function script(prompts: readonly string[], hanging = true): ModelScript {
  return (request) => {
    const [first] = request.messages
    const asked = first === undefined ? "" : textOf(first)
    if (asked === "go") return request.messages.length === 1 ? asking(...prompts) : { text: `heard ${lastOf(request)}` }
    if (asked === "hang" && hanging) return { text: "…", hang: true }
    return request.messages.length === 1 ? { calls: [{ id: "n", name: "note" }] } : { text: `re ${asked}` }
  }
}

type Given = { readonly prompts: readonly string[]; readonly hanging?: boolean; readonly effect?: Effect }

async function start({ prompts, hanging, effect }: Given, again = false): Promise<Agent> {
  const place = { dataDir: world.dataDir, id, clock }
  const ledger = again ? await openSession(place) : await createSession(place)
  const agent = openAgent({ ledger, clock, script: script(prompts, hanging), tools: [ask(effect), note] })
  open.push(agent)
  await agent.settle()
  return agent
}

async function restart(agent: Agent, given: Given): Promise<Agent> {
  await agent.engine.close()
  return start(given, true)
}

async function sound(agent: Agent): Promise<void> {
  await agent.engine.close()
  const whole = readWhole({ dataDir: world.dataDir, id })
  expect(whole.state === "ok" ? brokenInvariants(whole.records) : whole.note).toEqual([])
}

const children = (agent: Agent) => [...agent.ledger.live.conversations.values()].filter(({ owner }) => owner !== null)

test("a call asks agents of its own, which work with their own tools, and its model hears their answers", async () => {
  const agent = await start({ prompts: ["one", "two"] })
  await agent.say("go")
  await agent.idle()
  expect(agent.transcript()).toContain("assistant: heard re one, re two")
  const owned = children(agent)
  expect(owned.map(({ owner }) => owner?.conversation)).toEqual([1, 1])
  const asked = agent.model.requests.find((request) => lastOf(request) === "one")
  expect(asked?.tools.map(({ name }) => name)).toEqual(["note"])
  const said = await agent.ledger.entries({ conversation: owned[0]?.id ?? 0 })
  expect(said.map(({ kind }) => kind)).toEqual(["user", "prompt", "assistant", "toolResult", "assistant"])
  await sound(agent)
})

test("a stop of the conversation stops its children too, and all is idle", async () => {
  const agent = await start({ prompts: ["hang"] })
  await agent.say("go")
  await settle()
  expect(agent.engine.busy()).toBe(true)
  await agent.stop()
  await agent.idle()
  expect(agent.ledger.live.tasks.size).toBe(0)
  expect(agent.transcript()).toMatch(/ask \(.*\): \(aborted\)/)
  // The next input is taken as ever.
  await agent.say("hello")
  await agent.idle()
  expect(agent.transcript()).toEndWith("assistant: heard hello")
  await sound(agent)
})

test("T31: a crash while a child works costs nothing: it is the same child, asked once, and one answer is heard", async () => {
  const first = await start({ prompts: ["hang", "one"] })
  await first.say("go")
  await settle()
  const before = children(first).map(({ id: child }) => child)
  expect(before).toHaveLength(2)
  // Whoever watches sees the tree: a turn, its call, and a turn in each conversation that the call owns.
  const tasks = [...first.view().tasks.values()]
  const turn = tasks.find(({ conversation, owner }) => conversation === 1 && owner === undefined)
  const call = tasks.find(({ owner }) => owner === turn?.id)
  expect(call?.work.kind).toBe("toolCall")
  for (const child of before) expect(first.view().conversations.get(child)?.owner?.task).toBe(call?.id ?? 0)
  const second = await restart(first, { prompts: ["hang", "one"], hanging: false })
  await second.idle()
  expect(children(second).map(({ id: child }) => child)).toEqual(before)
  expect(second.transcript()).toContain("assistant: heard re hang, re one")
  for (const child of before) {
    const inputs = (await second.ledger.entries({ conversation: child })).filter(({ kind }) => kind === "user")
    expect(inputs).toHaveLength(1)
  }
  await sound(second)
})

test("a crash after the answer and before its result: nobody is asked again", async () => {
  const first = await start({ prompts: ["one", "hang"] })
  await first.say("go")
  const [one] = children(first)
  const idle = (): boolean => first.ledger.live.document(one?.id ?? 0, "run") === undefined
  await eventually(idle, () => "the first child answers")
  const second = await restart(first, { prompts: ["one", "hang"], hanging: false })
  await second.idle()
  expect(second.model.requests.some((request) => textOf(request.messages[0] ?? { content: [] }) === "one")).toBe(false)
  expect(second.transcript()).toContain("assistant: heard re one, re hang")
  await sound(second)
})

test("a child whose call is not run again after a crash is stopped", async () => {
  const first = await start({ prompts: ["hang"], effect: "unsafe" })
  await first.say("go")
  await settle()
  const second = await restart(first, { prompts: ["hang"], effect: "unsafe" })
  await second.idle()
  expect(second.ledger.live.tasks.size).toBe(0)
  expect(second.transcript()).toContain("ask (unknown)")
  await sound(second)
})

test("a stop that a crash cuts short is carried on at the next opening", async () => {
  const first = await start({ prompts: ["hang"] })
  await first.say("go")
  await settle()
  // Marked and not yet heard: the process goes.
  first.ledger.commit("flushed", (tx) => {
    for (const task of tx.live.tasks.values())
      if (task.conversation === 1) tx.setTask(task.id, { abort: { reason: "stopped" } })
  })
  const second = await restart(first, { prompts: ["hang"] })
  await second.idle()
  expect(second.ledger.live.tasks.size).toBe(0)
  await sound(second)
})

test("a model that a child has not got is its answer, and subagents of subagents end somewhere", async () => {
  const deep = defineTool({
    name: "deep",
    version: 1,
    description: "",
    parameters: Type.Object({}),
    effect: "keyed",
    title: () => "deep",
    async execute(_args, _intent, { subagent }) {
      const answer = await subagent?.({ prompt: "deeper", tools: ["deep"] })
      return textResult(answer?.status === "answered" ? answer.text : `(${answer?.reason ?? ""})`)
    },
  }) as Tool
  const ledger = await createSession({ dataDir: world.dataDir, id, clock })
  const replies: ModelScript = (request) =>
    request.messages.length === 1 ? { calls: [{ id: "d", name: "deep" }] } : { text: lastOf(request) }
  const agent = openAgent({ ledger, clock, script: replies, tools: [deep] })
  open.push(agent)
  await agent.say("go")
  await agent.idle()
  expect(agent.transcript()).toEndWith("assistant: (subagents go 3 deep at most)")
  expect(children(agent)).toHaveLength(3)
  await sound(agent)
})
