/** The seams of the loop: what a hook can change, and that one which fails changes nothing and is named. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import { textOf, type Message } from "../../src/message/message.ts"
import { seams, type Hooks, type Seam } from "../../src/protocol/hooks.ts"
import { queueOf, runOf } from "../../src/protocol/view.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
let clock = new ManualClock()
let open: Agent[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-hooks-"))
  clock = new ManualClock()
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})

type Given = { readonly script: ModelScript; readonly hooks: readonly Hooks[]; readonly tools?: readonly Tool[] }

async function agentWith({ script, hooks, tools = [echo] }: Given): Promise<Agent> {
  const settings = { compaction: { enabled: true, keep: 1 } }
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script, hooks, tools, settings })
  open.push(agent)
  return agent
}

async function said(agent: Agent, text = "go"): Promise<string> {
  await agent.say(text)
  await agent.idle()
  return agent.transcript()
}

/** Says what it was given. */
const echo: Tool = defineTool({
  name: "echo",
  description: "echoes",
  parameters: Type.Object({ word: Type.String() }),
  version: 1,
  effect: "pure",
  title: () => "echo",
  execute: async ({ word }) => textResult(`heard ${word}`),
})

const call = { calls: [{ id: "a", name: "echo", args: { word: "this" } }] }
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }], timestamp: 0 })
const asked = (agent: Agent, n = -1): string =>
  (agent.model.requests.at(n)?.messages ?? []).map((message) => `${message.role} ${textOf(message)}`).join(", ")

describe("a hook", () => {
  test("changes what one request tells the model, and nothing of it stays", async () => {
    const hook: Hooks = {
      name: "note",
      context: async ({ system, messages }) =>
        messages.length === 1 ? { system: `${system} Be brief.`, messages: [user("before"), ...messages] } : undefined,
    }
    const agent = await agentWith({ script: [{ text: "a" }, { text: "b" }], hooks: [hook] })
    await said(agent, "one")
    await said(agent, "two")
    expect(agent.model.requests.map(({ system }) => system)).toEqual(["You are a test. Be brief.", "You are a test."])
    expect([asked(agent, 0), asked(agent, 1)]).toEqual(["user before, user one", "user one, assistant a, user two"])
    expect(agent.transcript()).toBe("user: one\nassistant: a\nuser: two\nassistant: b")
  })

  test("builds on what the one before it made of the context", async () => {
    const adds = (text: string): Hooks => ({
      name: text,
      context: async ({ messages }) => ({ messages: [...messages, user(text)] }),
    })
    const agent = await agentWith({ script: [{ text: "a" }], hooks: [adds("x"), adds("y")] })
    await said(agent)
    expect(asked(agent)).toBe("user go, user x, user y")
  })

  test("chooses thinking and tools for one turn, and the conversation keeps its own choice", async () => {
    const hook: Hooks = {
      name: "planner",
      nextTurn: async ({ turn }) => (turn === 1 ? { thinking: "high", tools: [] } : undefined),
    }
    const agent = await agentWith({ script: [call, { text: "b" }], hooks: [hook] })
    expect(await said(agent)).toContain("echo (failed): There is no tool named echo.")
    const turns = agent.model.requests.map(({ thinking, tools }) => `${thinking} ${tools.length}`)
    expect(turns).toEqual(["high 0", "off 1"])
    expect(agent.ledger.live.document(1, "agent")?.value).toMatchObject({ thinking: "off", tools: ["echo"] })
  })

  test("ends the run after a turn, and says why", async () => {
    const hook: Hooks = {
      name: "budget",
      stopAfterTurn: async ({ turn, results }) => (turn === 1 ? `${results.map(textOf).join()} is enough` : undefined),
    }
    const agent = await agentWith({ script: [call, { text: "next" }], hooks: [hook] })
    expect(await said(agent)).toBe(
      "user: go\nassistant: [echo a]\necho (done): heard this\nnotice: budget ended the run after this turn: heard this is enough",
    )
    expect(runOf(agent.view(), 1)).toBeUndefined()
    expect(await said(agent, "on")).toEndWith("user: on\nassistant: next")
  })

  test("rewrites the arguments of a call, and the next one sees them rewritten", async () => {
    const upper: Hooks = { name: "upper", beforeCall: async ({ args }) => ({ args: { word: `${args["word"]}!` } }) }
    const agent = await agentWith({ script: [call, { text: "b" }], hooks: [upper, upper] })
    expect(await said(agent)).toContain("echo (done): heard this!!")
  })

  test("blocks a call, and the model is told by whom and why", async () => {
    const runs: string[] = []
    const tool: Tool = { ...echo, execute: async () => (runs.push("ran"), textResult("ran")) }
    const guard: Hooks = { name: "gate", beforeCall: async ({ tool: name }) => ({ block: `${name} is not for today` }) }
    const agent = await agentWith({ script: [call, { text: "b" }], hooks: [guard], tools: [tool] })
    expect(await said(agent)).toContain("echo (failed): Blocked by gate: echo is not for today")
    expect(runs).toEqual([])
  })

  test("replaces what a call gave", async () => {
    const hook: Hooks = {
      name: "censor",
      afterCall: async ({ result, outcome }) => ({
        content: [{ type: "text", text: `${outcome}: ${textOf(result)}`.replace("this", "…") }],
        isError: false,
      }),
    }
    const agent = await agentWith({ script: [call, { text: "b" }], hooks: [hook] })
    expect(await said(agent)).toContain("echo (done): done: heard …")
  })

  test("goes on with a run that would end, and the run is one", async () => {
    const hook: Hooks = {
      name: "checker",
      continueRun: async ({ answer }) => (textOf(answer) === "first" ? "Check it once more." : undefined),
    }
    const agent = await agentWith({ script: [{ text: "first" }, { text: "second" }], hooks: [hook] })
    expect(await said(agent)).toBe("user: go\nassistant: first\nuser: Check it once more.\nassistant: second")
    expect([...agent.view().submissions.values()].map(({ status }) => status)).toEqual(["done", "done"])
  })

  test("that never has enough is let go on so often and no further", async () => {
    const hook: Hooks = { name: "endless", continueRun: async () => "More." }
    const agent = await agentWith({ script: () => ({ text: "again" }), hooks: [hook] })
    expect(await said(agent)).toContain("endless failed at continueRun: the run was made to go on 25 times")
    expect(agent.model.requests).toHaveLength(26)
  })

  test("is not asked to go on where an input waits anyway", async () => {
    const gate = Promise.withResolvers<void>()
    const hook: Hooks = { name: "checker", continueRun: async ({ turn }) => (turn === 1 ? "Never asked." : undefined) }
    const agent = await agentWith({ script: [{ text: "first", until: gate.promise }, { text: "b" }], hooks: [hook] })
    await agent.say("go")
    await agent.say("steer")
    gate.resolve()
    await agent.idle()
    expect(agent.transcript()).toBe("user: go\nassistant: first\nuser: steer\nassistant: b")
  })

  test("supplies the summary of a compaction, or declines it", async () => {
    const long = new ProviderError("overflow", "context_length", "Too long.")
    const script = [{ text: "a" }, { error: long }, { text: "c" }]
    const supplies: Hooks = { name: "own", compaction: async ({ messages }) => ({ summary: `all ${messages.length}` }) }
    const first = await agentWith({ script, hooks: [supplies] })
    await said(first, "one")
    await said(first, "two")
    expect(asked(first)).toStartWith("user Summary of the conversation so far:\n\nall 2")
    const declines: Hooks = { name: "own", compaction: async () => ({ decline: "not now" }) }
    const second = await agentWith({ script: [{ text: "a" }, { error: long }, { error: long }], hooks: [declines] })
    await said(second, "one")
    expect(await said(second, "two")).toContain("notice: own declined to compact: not now")
    expect(second.model.requests).toHaveLength(3)
  })

  test("runs off the commit line: it may use the session itself", async () => {
    const hook: Hooks = {
      name: "namer",
      beforeCall: async () => void (await agent.engine.port.request({ type: "title", title: "named by a hook" })),
    }
    const agent = await agentWith({ script: [call, { text: "b" }], hooks: [hook] })
    await said(agent)
    expect(agent.ledger.live.document(0, "session")?.value).toMatchObject({ title: "named by a hook" })
  })
})

/** A hook that does the same at every seam. */
function everywhere(does: () => Promise<never>): Hooks {
  return { name: "broken", ...Object.fromEntries(seams.map((seam) => [seam, does])) }
}

/** A run that comes by every seam. */
const whole: ModelScript = [
  { text: "a" },
  { error: new ProviderError("overflow", "context_length", "Too long.") },
  { text: "A summary." },
  call,
  { text: "b" },
]

const failures = (agent: Agent): readonly string[] =>
  agent
    .transcript()
    .split("\n")
    .filter((line) => line.startsWith("notice: "))
    .map((line) => line.slice("notice: ".length))

const atAll = (problem: string): readonly string[] =>
  seams.map((seam: Seam) => `The extension broken failed at ${seam}: ${problem}`).sort()

test.each<[how: string, does: () => Promise<never>, problem: string]>([
  ["throws", () => Promise.reject(new Error("it fell over")), "it fell over"],
  ["answers nonsense", async () => 7 as never, "its answer is not of the shape that this seam takes"],
])(
  "a hook that %s is named once for each seam and changes nothing, but that a guard blocks",
  async (_, does, problem) => {
    const plain = await agentWith({ script: whole, hooks: [] })
    await said(plain, "one")
    await said(plain, "two")
    const broken = await agentWith({ script: whole, hooks: [everywhere(does)] })
    await said(broken, "one")
    await said(broken, "two")
    expect(failures(broken).toSorted()).toEqual(atAll(problem) as string[])
    const without = broken
      .transcript()
      .split("\n")
      .filter((line) => !line.startsWith("notice: "))
      .join("\n")
    expect(without).toBe(
      plain.transcript().replace("echo (done): heard this", `echo (failed): Blocked: broken failed: ${problem}`),
    )
  },
)

test("a guard whose arguments do not fit the tool blocks, and is named", async () => {
  const hook: Hooks = { name: "guard", beforeCall: async () => ({ args: { word: { not: "a text" } } }) }
  const agent = await agentWith({ script: [call, { text: "b" }], hooks: [hook] })
  expect(await said(agent)).toContain("echo (failed): Blocked: guard gave arguments that do not fit")
})

test("a stop waits for no hook", async () => {
  for (const seam of seams) {
    const hook: Hooks = { name: "slow", [seam]: () => new Promise<never>(() => {}) }
    const agent = await agentWith({ script: whole, hooks: [hook] })
    await agent.say("one")
    await agent.settle()
    if (!agent.engine.busy()) await agent.say("two")
    await agent.settle()
    expect({ seam, busy: agent.engine.busy() }).toEqual({ seam, busy: true })
    await agent.stop()
    await agent.idle()
    expect(runOf(agent.view(), 1)).toBeUndefined()
    expect(queueOf(agent.view(), 1)).toEqual([])
  }
})

describe("after a crash", () => {
  async function restarted(first: Agent, given: Given): Promise<Agent> {
    await first.engine.close()
    return onDisk(given, true)
  }
  const id = uuidv7(1_700_000_000_000)
  async function onDisk({ script, hooks, tools = [echo] }: Given, again = false): Promise<Agent> {
    const ledger = await (again ? openSession : createSession)({ dataDir, id, clock })
    const agent = openAgent({ ledger, clock, script, hooks, tools })
    open.push(agent)
    await agent.settle()
    return agent
  }

  test("a request is asked again as hooks had made it, without asking them", async () => {
    let asks = 0
    const hook: Hooks = {
      name: "note",
      context: async ({ messages }) => ({ system: "Other.", messages: [...messages, user(`ask ${++asks}`)] }),
    }
    const first = await onDisk({ script: [{ text: "half", hang: true }], hooks: [hook] })
    await first.say("go")
    const second = await restarted(first, { script: [{ text: "whole" }], hooks: [hook] })
    await second.idle()
    expect(asks).toBe(1)
    expect([second.model.requests[0]?.system, asked(second, 0)]).toEqual(["Other.", "user go, user ask 1"])
    const answer = second.view().entries.findLast(({ data }) => data.kind === "assistant")
    const command = { type: "request", entry: answer?.id ?? 0, from: 0, to: 10_000 } as const
    expect(await second.engine.port.request(command)).toMatchObject({ standing: "identical" })
  })

  test("whoever was asked whether the run goes on is asked again, and the answer stands", async () => {
    const never: Hooks = { name: "checker", continueRun: () => new Promise(() => {}) }
    const first = await onDisk({ script: [{ text: "first" }], hooks: [never] })
    await first.say("go")
    const asks: string[] = []
    const once: Hooks = {
      name: "checker",
      continueRun: async ({ answer }) => (asks.push(textOf(answer)), asks.length === 1 ? "More." : undefined),
    }
    const second = await restarted(first, { script: [{ text: "second" }], hooks: [once] })
    await second.idle()
    expect(asks).toEqual(["first", "second"])
    expect(second.transcript()).toBe("user: go\nassistant: first\nuser: More.\nassistant: second")
  })

  test("a guard is asked again for a call that had not begun, and not for one that had", async () => {
    const runs: string[] = []
    const tool: Tool = {
      ...echo,
      execute: async ({ word }, _intent, { signal }) => {
        runs.push(String(word))
        if (runs.length > 1) return textResult(`heard ${word}`)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
        return textResult("cut off")
      },
    }
    const asks: string[] = []
    const hook: Hooks = {
      name: "guard",
      beforeCall: async ({ args }) => (asks.push(String(args["word"])), { args: { word: "that" } }),
    }
    const given = { script: [call], hooks: [hook], tools: [tool] }
    const first = await onDisk(given)
    await first.say("go")
    const second = await restarted(first, { ...given, script: [{ text: "b" }] })
    await second.idle()
    expect([runs, asks]).toEqual([["that", "that"], ["this"]])
    expect(second.transcript()).toContain("echo (done): heard that")
  })
})
