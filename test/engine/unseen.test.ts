import { expect, test } from "bun:test"
import { rootConversation } from "../../src/engine/engine.ts"
import { memorySession } from "../../src/ledger/open.ts"
import type { Model } from "../../src/providers/model.ts"
import { openAgent } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

test("a person is told once of images that the model cannot see, and again when it gets more or another such model comes", async () => {
  const clock = new ManualClock()
  let model: Partial<Model> = {}
  const ledger = await memorySession({ clock })
  await using agent = Object.assign(openAgent({ ledger, clock, modelFields: () => model }), {
    async [Symbol.asyncDispose]() {
      await agent.engine.close()
    },
  })
  const send = async (images: number): Promise<readonly string[]> => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const
    const content = [{ type: "text", text: "look" } as const, ...Array.from({ length: images }, () => image)]
    const requestId = crypto.randomUUID()
    await agent.engine.port.request({
      type: "submit",
      conversation: rootConversation,
      requestId,
      content,
      mode: "steer",
    })
    await agent.idle()
    return agent
      .transcript()
      .split("\n")
      .filter((line) => line.startsWith("notice: "))
  }
  expect(await send(0)).toEqual([])
  const first = await send(1)
  expect(first).toEqual([
    "notice: test/model takes no images: it is told that an image was there, and nothing of what it shows. Choose a model that sees with /model.",
  ])
  expect(await send(0)).toEqual(first)
  expect(await send(2)).toHaveLength(2)
  expect((await send(0)).at(-1)).toContain("3 images were there, and nothing of what they show")
  model = { input: ["text", "image"] }
  expect(await send(1)).toHaveLength(2)
  model = { id: "blind" }
  expect((await send(0)).at(-1)).toContain("test/blind takes no images: it is told that 4 images were there")
})
