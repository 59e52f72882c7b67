/** Instructions that change while a conversation goes on: what was cached stays good, and the model knows what holds. */
import { afterEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { rootConversation } from "../../src/engine/engine.ts"
import { memorySession } from "../../src/ledger/open.ts"
import { textOf } from "../../src/message/message.ts"
import type { ModelRequest } from "../../src/providers/provider.ts"
import { defineTool, textResult } from "../../src/tools/tool.ts"
import { openAgent, type Agent } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const open: Agent[] = []
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

const tool = (name: string) =>
  defineTool({
    name,
    description: name,
    parameters: Type.Object({}),
    version: 1,
    effect: "pure",
    title: () => name,
    execute: async () => textResult("seen"),
  })

const lines = Array.from({ length: 40 }, (_, n) => `Rule ${n} stays as it is.`).join("\n")

async function talking(): Promise<{ readonly agent: Agent; say(system: string, text: string): Promise<ModelRequest> }> {
  const clock = new ManualClock()
  const ledger = await memorySession({ clock })
  let system = ""
  const agent = openAgent({ ledger, clock, tools: [tool("look"), tool("touch")], system: () => system })
  open.push(agent)
  return {
    agent,
    async say(now, text) {
      system = now
      await agent.say(text)
      await agent.idle()
      const request = agent.model.requests.at(-1)
      if (request === undefined) throw new Error("nothing was asked")
      return request
    },
  }
}

const said = ({ messages }: ModelRequest): readonly string[] =>
  messages.map((message) => `${message.role}: ${textOf(message)}`)

/** Whether all that was asked before is the beginning of what is asked now: what a cache needs. */
function goesOn(before: ModelRequest, now: ModelRequest): void {
  expect(now.system).toBe(before.system)
  expect(now.tools).toEqual(before.tools)
  expect(said(now).slice(0, before.messages.length)).toEqual([...said(before)])
}

test("a change is told where it came, before the input, and everything before it is as it was", async () => {
  const { agent, say } = await talking()
  const first = await say(`${lines}\nBe kind.`, "one")
  const second = await say(`${lines}\nBe short.`, "two")
  goesOn(first, second)
  const [change = "", input = ""] = said(second).slice(-2)
  expect(input).toBe("user: two")
  expect(change).toContain(
    "Your instructions were changed and hold as follows from here on; nothing is asked of you by this.",
  )
  expect(change).toContain("-Be kind.\n")
  expect(change).toContain("+Be short.\n")
  expect(change.length).toBeLessThan(lines.length)
  const third = await say(`${lines}\nBe short.`, "three")
  goesOn(second, third)
  expect(said(third).slice(-1)).toEqual(["user: three"])
  const fourth = await say("All of it is new.", "four")
  goesOn(third, fourth)
  expect(said(fourth).at(-2)).toEndWith("They are now:\n\nAll of it is new.")
  // Each of these requests can be made again, byte for byte.
  for (const entry of agent.view().entries) {
    if (entry.data.kind !== "assistant") continue
    const asked = { type: "request", entry: entry.id, from: 0, to: 10 } as const
    expect((await agent.engine.port.request(asked)).standing).toBe("identical")
  }
})

test("where tools change, which stand before everything, the new instructions lead, and old ones are not told", async () => {
  const { agent, say } = await talking()
  await say("Old.", "one")
  await say("Middle.", "two")
  const configure = { type: "configure", conversation: rootConversation } as const
  await agent.engine.port.request({ ...configure, tools: ["look"] })
  const request = await say("New.", "three")
  expect(request.system).toBe("New.")
  expect(request.tools.map(({ name }) => name)).toEqual(["look"])
  expect(said(request)).toEqual(["user: one", "assistant: done", "user: two", "assistant: done", "user: three"])
})

test("a summary begins with the instructions of its moment, and only what changes later is told", async () => {
  const { agent, say } = await talking()
  const long = "word ".repeat(30_000)
  for (const text of ["one", "two", "three"]) await say("Old.", `${text} ${long}`)
  await say("Middle.", "four")
  await agent.engine.port.request({ type: "compact", conversation: rootConversation })
  await agent.idle()
  const request = await say("Middle.", "five")
  expect(request.system).toBe("Middle.")
  expect(said(request).some((text) => text.includes("Your instructions were changed"))).toBe(false)
  const later = await say("New.", "six")
  goesOn(request, later)
  expect(said(later).at(-2)).toContain("New.")
})

test("a fork at a place before a change is led as its parent was there", async () => {
  const { agent, say } = await talking()
  const first = await say("Old.", "one")
  const at = agent.ledger.live.tail(rootConversation)
  await say("New.", "two")
  const { conversation } = await agent.engine.port.request({ type: "fork", conversation: rootConversation, entry: at })
  const content = [{ type: "text", text: "otherwise" } as const]
  await agent.engine.port.request({ type: "submit", conversation, requestId: "r", content, mode: "steer" })
  await agent.idle()
  const request = agent.model.requests.at(-1)
  if (request === undefined) throw new Error("nothing was asked")
  goesOn(first, request)
  expect(said(request).at(-2)).toContain("New.")
})
