/** Live output of calls as a client gets it: one stretch up to a known byte, however much there is and however fast it comes. */
import { afterEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { memorySession } from "../../src/ledger/open.ts"
import type { Frame } from "../../src/protocol/port.ts"
import { applyFrame, emptyView, liveOutputMax } from "../../src/protocol/view.ts"
import { defineTool, textResult, type Tool, type ToolContext } from "../../src/tools/tool.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { openAgent, type Agent } from "../support/agent.ts"

const open: Agent[] = []
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

type Progress = Extract<Frame, { type: "progress" }>

/** An agent whose model calls a tool once; the tool tells its progress when the test says so. */
async function calling(): Promise<{
  agent: Agent
  clock: ManualClock
  tell: ToolContext["progress"]
  told(): readonly Progress[]
  end(): Promise<void>
}> {
  const clock = new ManualClock()
  const started = Promise.withResolvers<ToolContext>()
  const over = Promise.withResolvers<void>()
  const tool = defineTool({
    name: "print",
    description: "prints",
    parameters: Type.Object({}),
    version: 1,
    effect: "pure",
    title: () => "",
    async execute(_args, _intent, context) {
      started.resolve(context)
      await over.promise
      return textResult("printed")
    },
  }) as Tool
  const script = [{ calls: [{ id: "a", name: "print" }] }, { text: "done" }]
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, tools: [tool], script })
  open.push(agent)
  await agent.say("go")
  const context = await started.promise
  await agent.settle()
  const isCall = (frame: Frame): frame is Progress =>
    frame.type === "progress" && agent.view().tasks.get(frame.task)?.work.kind === "toolCall"
  return {
    agent,
    clock,
    tell: (text, place) => context.progress(text, place),
    told: () => agent.frames.filter(isCall),
    async end() {
      over.resolve()
      await agent.idle()
    },
  }
}

const shown = (agent: Agent) => {
  const [progress] = [...agent.view().progress.values()].filter(({ kind }) => kind === "output")
  return progress?.kind === "output" ? { text: progress.text, size: progress.size } : null
}

test("what comes within one frame is one piece, no longer than a client keeps, at its place in the output (48)", async () => {
  const { agent, clock, tell, told, end } = await calling()
  tell("first\n")
  const line = "a line of output\n"
  for (let count = 0; count < 100_000; count++) tell(line)
  await clock.advance(33)
  const size = 6 + 100_000 * line.length
  expect(told().map(({ at }) => at)).toEqual([0, size - liveOutputMax])
  expect(told()[1]?.text.length).toBe(liveOutputMax)
  expect(shown(agent)).toEqual({ text: told()[1]?.text ?? "", size })
  await end()
})

test("what was passed over is not joined to what comes behind it, for old and new clients alike", async () => {
  const { agent, clock, tell, told, end } = await calling()
  tell("the beginning\n")
  await clock.advance(33)
  tell("the end\n", { at: 5_000, bytes: 8 })
  await clock.advance(33)
  tell("and on\n")
  await clock.advance(33)
  expect(told().map(({ at, text }) => [at, text])).toEqual([
    [0, "the beginning\n"],
    [5_000, "the end\n"],
    [5_008, "and on\n"],
  ])
  const stretch = { text: "the end\nand on\n", size: 5_015 }
  expect(shown(agent)).toEqual(stretch)
  let view = emptyView
  const unwatch = agent.engine.port.watch((frame) => (view = applyFrame(view, frame)))
  await agent.settle()
  unwatch()
  expect([...view.progress.values()].filter(({ kind }) => kind === "output")).toMatchObject([stretch])
  await end()
})

test("broken bytes count as what they are, not as the characters that stand for them (51)", async () => {
  const { agent, clock, tell, told, end } = await calling()
  tell("\ufffd\ufffd\n", { at: 0, bytes: 3 })
  await clock.advance(33)
  tell("x\n", { at: 3, bytes: 2 })
  await clock.advance(33)
  expect(told().map(({ at, bytes }) => [at, bytes])).toEqual([
    [0, 3],
    [3, undefined],
  ])
  expect(shown(agent)).toEqual({ text: "\ufffd\ufffd\nx\n", size: 5 })
  await end()
})
