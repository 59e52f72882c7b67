import { expect, test } from "bun:test"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import { encodeGoogle } from "../../src/providers/google-generative-ai/encode.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import { encodeResponses } from "../../src/providers/openai-responses/encode.ts"
import { outputFloor, outputLimit } from "../../src/providers/output-limit.ts"
import { model, request, user } from "./support.ts"

const long = user("x".repeat(40_000))

const limits: readonly [string, number | undefined, number | undefined, number | undefined, number | undefined][] = [
  ["no limit and no window", undefined, undefined, undefined, undefined],
  ["a limit and no window", undefined, 8_000, undefined, 8_000],
  ["room enough", 200_000, 8_000, undefined, 8_000],
  ["what the request asks for", 200_000, 8_000, 500, 500],
  ["less than the floor, asked for", 200_000, 8_000, 16, 16],
  ["a window that is nearly full (field report 104)", 10_500, 8_000, undefined, outputFloor],
]

test.each([...limits])("the output's limit with %s", (_, contextWindow, maxTokens, asked, limit) => {
  const to = model({
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  })
  const more = asked === undefined ? {} : { maxTokens: asked }
  expect(outputLimit(request(to, [long], more))).toBe(limit)
})

test("a model whose limit is its whole window gets what the input leaves, in every format", () => {
  const to = model({ contextWindow: 32_768, maxTokens: 32_768 })
  const wanted = request(to, [long])
  const limit = outputLimit(wanted) ?? 0
  expect(limit).toBeGreaterThan(15_000)
  expect(limit).toBeLessThan(32_768 - 10_000)
  expect(encodeCompletions(wanted).body.max_tokens).toBe(limit)
  expect(encodeResponses(wanted).body.max_output_tokens).toBe(limit)
  expect(encodeAnthropic(wanted).body.max_tokens).toBe(limit)
  expect(encodeGoogle(wanted).body.generationConfig).toEqual({ maxOutputTokens: limit })
})
