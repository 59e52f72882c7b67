import { expect, test } from "bun:test"
import { StreamFailure } from "../../../src/providers/decoder.ts"
import { ResponsesDecoder } from "../../../src/providers/openai-responses/decode.ts"
import type { Json } from "../../../src/std/json.ts"
import { decodeWith, dialectsOf, thrown, type Decoded } from "../support.ts"

const decode = (events: readonly Json[]): Decoded => decodeWith((input) => new ResponsesDecoder(input), events)

test.each(dialectsOf("responses-dialects"))("%s", (_, dialect) => {
  const { response } = decode(dialect.events)
  expect<unknown>(response.content).toEqual(dialect.content)
  expect(response.stopReason as string).toBe(dialect.stopReason)
  expect(response.responseId).toBe("resp_1")
})

test("counts leave out of the input what was cached or written to the cache", () => {
  const usage = {
    input_tokens: 900,
    input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    output_tokens: 60,
    output_tokens_details: { reasoning_tokens: 40 },
  }
  const item = { type: "message", content: [{ type: "output_text", text: "x" }] }
  const end = { type: "response.completed", response: { output: [item], usage } }
  expect(decode([end]).response.usage).toMatchObject({
    input: 50,
    cacheRead: 800,
    cacheWrite: 50,
    output: 60,
    reasoning: 40,
    totalTokens: 960,
  })
  expect(decode([{ ...end, response: { output: [item] } }]).response.usage).toMatchObject({
    input: 100,
    estimated: true,
  })
})

const text = { type: "response.output_text.delta", output_index: 0, delta: "x" }
const incomplete = {
  type: "response.incomplete",
  response: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
}

const failures: readonly [string, readonly Json[], object][] = [
  ["a stream without its last event", [text], { kind: "retry", reason: "cut" }],
  [
    "an empty answer",
    [{ type: "response.completed", response: { status: "completed", output: [] } }],
    { kind: "retry", reason: "empty" },
  ],
  ["a filter", [text, incomplete], { kind: "refused" }],
]

test.each([...failures])("%s is no answer", (_, events, error) => {
  expect(thrown(() => decode(events))).toMatchObject(error)
})

test("a failed response and an error event are failures with the vendor's words", () => {
  const failed = {
    type: "response.failed",
    response: { status: "failed", error: { code: "server_error", message: "broke" } },
  }
  for (const event of [failed, { type: "error", code: "rate_limit_exceeded", message: "slow" }]) {
    const error = thrown(() => decode([text, event]))
    expect(error).toBeInstanceOf(StreamFailure)
    expect(error instanceof StreamFailure && error.body).toMatch(/broke|slow/)
  }
})
