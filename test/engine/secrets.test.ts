/** What the person wants taken out is in nothing that is stored, sent to a model or shown: typed, answered, printed. */
import { afterEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { memorySession } from "../../src/ledger/open.ts"
import type { AssistantPart } from "../../src/message/message.ts"
import { cleanPartial, cleanParts } from "../../src/engine/secrets.ts"
import { makeRedact } from "../../src/std/redact.ts"
import { defineTool, textResult, type Tool, type ToolContext } from "../../src/tools/tool.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const redact = makeRedact([/tok_\w+/gu], () => ["a-key-of-mine"])

const open: Agent[] = []
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

async function agentWith(script: ModelScript, tools: readonly Tool[] = []): Promise<Agent> {
  const clock = new ManualClock()
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script, tools, redact })
  open.push(agent)
  return agent
}

/** Everything that watchers heard and that the model was asked. */
function all(agent: Agent): string {
  return JSON.stringify([agent.frames, agent.model.requests, [...agent.view().submissions.values()]])
}

test("what a person types is stored, sent and shown without it", async () => {
  const agent = await agentWith([{ hang: true }, { text: "yes" }])
  await agent.say("use tok_typed and a-key-of-mine")
  const queued = await agent.say("then tok_queued", "followUp")
  const content = [{ type: "text" as const, text: "then tok_amended" }]
  await agent.engine.port.request({ type: "amend", submission: queued, content })
  await agent.engine.port.request({ type: "title", title: "about tok_title" })
  await agent.stop()
  expect(agent.transcript()).toContain("user: use [redacted] and [redacted]")
  expect(all(agent)).toContain("then [redacted]")
  expect(all(agent)).toContain("about [redacted]")
  expect(all(agent)).not.toMatch(/tok_|a-key-of-mine/)
})

test("an answer becomes an entry without it", async () => {
  const agent = await agentWith([{ text: "it is tok_answered" }, { text: "half tok_half", hang: true }])
  await agent.say("hi")
  await agent.say("on")
  await agent.stop()
  expect(agent.transcript()).toContain("assistant: it is [redacted]")
  expect(agent.transcript()).toContain("attempt (aborted): half [redacted]")
  expect(JSON.stringify(agent.model.requests)).not.toContain("tok_")
})

test("live output is shown without it, at its place among the bytes", async () => {
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
      return textResult("printed tok_result")
    },
  }) as Tool
  const agent = await agentWith([{ calls: [{ id: "a", name: "print" }] }, { text: "done" }], [tool])
  await agent.say("go")
  const context = await started.promise
  const line = "key tok_abcdefghijklmnop\n"
  context.progress(line)
  await agent.clock.advance(50)
  const [progress] = [...agent.view().progress.values()].filter(({ kind }) => kind === "output")
  expect(progress).toMatchObject({ text: "key [redacted]\n", size: line.length })
  over.resolve()
  await agent.idle()
  expect(all(agent)).not.toContain("tok_")
})

const sealed: readonly AssistantPart[] = [
  { type: "thinking", thinking: "about tok_x", thinkingSignature: "of these very words" },
  { type: "thinking", thinking: "nothing", thinkingSignature: "of these" },
  { type: "text", text: "tok_x", textSignature: "s" },
  { type: "toolCall", id: "a", name: "bash", arguments: { command: "echo tok_x" } },
]

test("a seal goes with the words that it is of; what runs stays as it is", () => {
  const clean: readonly AssistantPart[] = [
    { type: "thinking", thinking: "about [redacted]" },
    { type: "thinking", thinking: "nothing", thinkingSignature: "of these" },
    { type: "text", text: "[redacted]" },
    { type: "toolCall", id: "a", name: "bash", arguments: { command: "echo tok_x" } },
  ]
  expect(cleanParts(sealed, redact)).toEqual(clean)
  const partial = { parts: sealed.map((part) => ({ part, ended: true })) }
  expect<unknown>(cleanPartial(partial, redact).parts.map(({ part }) => part)).toEqual(clean)
})
