/** What is told of an output whose head was freed while its command runs. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { createSession } from "../../src/ledger/open.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { freedFact } from "../../src/tools/bash-growth.ts"
import { defineTool, textResult } from "../../src/tools/tool.ts"
import { openAgent } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "cairn-live-"))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test("who reads the head of an output that was freed is told that it is gone, and a search finds nothing in it", async () => {
  const go = Promise.withResolvers<void>()
  const tool = defineTool({
    name: "long",
    description: "long",
    parameters: Type.Object({}),
    version: 1,
    effect: "unsafe",
    title: () => "long",
    async execute(_args, _intent, { files, remember }) {
      if (files === null) throw new Error("this session has a disk")
      writeFileSync(files.output, `${"needle".padEnd(4_999, ".")}\n${"straw".padEnd(4_999, ".")}\n`)
      await remember({ [freedFact]: 5_000 })
      await go.promise
      return textResult("done")
    },
  })
  const clock = new ManualClock()
  const ledger = await createSession({ dataDir, id: uuidv7(clock.now()), clock })
  const agent = openAgent({ ledger, clock, tools: [tool], script: [{ text: "", calls: [{ id: "a", name: "long" }] }] })
  await agent.say("go on")
  await agent.settle()
  const { port } = agent.engine
  const [task = 0] = [...agent.view().tasks.values()].filter(({ work }) => work.kind === "toolCall").map(({ id }) => id)
  const read = (from: number, to: number) => port.request({ type: "output", task, from, to })
  const gone = "[… the first 5.0 kB of this output are not kept …]\n"
  expect(await read(0, 3_000)).toEqual({ text: gone, from: 5_000, bytes: 0, size: 10_000, ended: false })
  expect((await read(4_000, 5_005)).text).toBe(`${gone}straw`)
  expect((await read(5_000, 5_005)).text).toBe("straw")
  const search = { type: "search", client: "main", conversation: 1, regex: false, limit: 9 } as const
  const hits = async (query: string): Promise<number> => (await port.request({ ...search, query })).hits.length
  expect([await hits("needle"), await hits("straw.")]).toEqual([0, 1])
  go.resolve()
  await agent.settle()
  await agent.engine.close()
})
