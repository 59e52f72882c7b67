import { expect, test } from "bun:test"
import { memorySession } from "../../src/ledger/open.ts"
import { builtinTools } from "../../src/tools/registry.ts"
import { openAgent } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

test("what a model is offered follows how it changes files, from the next request on", async () => {
  const clock = new ManualClock()
  let edits: "replace" | "whole" = "whole"
  const call = { id: "1", name: "edit", args: { path: "a", edits: [{ oldText: "a", newText: "b" }] } }
  const script = [{ calls: [call] }, { text: "as you like" }, { text: "and now" }]
  const ledger = await memorySession({ clock })
  const agent = openAgent({ ledger, clock, script, tools: builtinTools(), modelFields: () => ({ edits }) })
  const offered = (n: number) => agent.model.requests[n]?.tools.map(({ name }) => name)
  await agent.say("change it")
  await agent.idle()
  expect(offered(0)).toEqual(["read", "bash", "write", "grep", "find", "ls"])
  const write = agent.model.requests[0]?.tools.find(({ name }) => name === "write")
  expect(write?.description).toContain("To change a file, read it, then write all of it")
  expect(agent.transcript()).toContain(
    "edit (failed): There is no tool named edit. The tools are: read, bash, write, grep, find, ls.",
  )
  const told = await agent.engine.port.request({ type: "context", conversation: 1 })
  const tools = told.parts.filter(({ kind }) => kind === "tool").map(({ name }) => name)
  expect(tools).toEqual(["read", "bash", "write", "grep", "find", "ls"])
  edits = "replace"
  await agent.say("again")
  await agent.idle()
  expect(offered(2)).toEqual(["read", "bash", "edit", "write", "grep", "find", "ls"])
  await agent.engine.close()
})
