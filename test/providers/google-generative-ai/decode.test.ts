import { expect, test } from "bun:test"
import { StreamFailure } from "../../../src/providers/decoder.ts"
import { GoogleDecoder } from "../../../src/providers/google-generative-ai/decode.ts"
import { encodeGoogle } from "../../../src/providers/google-generative-ai/encode.ts"
import type { ThinkingLevel } from "../../../src/message/message.ts"
import { usualThinking } from "../../../src/providers/thinking.ts"
import type { Json } from "../../../src/std/json.ts"
import {
  assistant,
  call,
  decodeWith,
  dialectsOf,
  image,
  model,
  request,
  result,
  thrown,
  user,
  type Decoded,
} from "../support.ts"

const decode = (events: readonly Json[]): Decoded => decodeWith((input) => new GoogleDecoder(input), events)

test.each(dialectsOf("google-dialects"))("%s", (_, dialect) => {
  const { response } = decode(dialect.events)
  expect<unknown>(response.content).toEqual(dialect.content)
  expect(response.stopReason as string).toBe(dialect.stopReason)
  expect(response.usage).toMatchObject({ input: 112, cacheRead: 800, output: 60, reasoning: 40, totalTokens: 972 })
})

const chunk = (text: string, finishReason?: string): Json => ({
  candidates: [{ content: { parts: [{ text }] }, ...(finishReason === undefined ? {} : { finishReason }) }],
})

const failures: readonly [string, readonly Json[], object][] = [
  ["a stream without a finish", [chunk("x")], { kind: "retry", reason: "cut" }],
  ["an empty answer", [chunk("", "STOP")], { kind: "retry", reason: "empty" }],
  ["a blocked prompt", [{ promptFeedback: { blockReason: "SAFETY" } }], { kind: "refused" }],
  ["a filter", [chunk("x", "RECITATION")], { kind: "refused" }],
  ["a malformed call", [chunk("", "MALFORMED_FUNCTION_CALL")], { kind: "retry", reason: "malformed_function_call" }],
]

test.each([...failures])("%s is no answer", (_, events, error) => {
  expect(thrown(() => decode(events))).toMatchObject(error)
})

test("an error inside the stream is a failure with its status", () => {
  const error = thrown(() =>
    decode([chunk("x"), { error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }]),
  )
  expect(error instanceof StreamFailure && error.status).toBe(503)
})

test("newer models take a level, older ones a budget, never both", () => {
  const config = (quirks: object, thinking: ThinkingLevel): unknown => {
    const to = model({ api: "google-generative-ai", thinking: usualThinking, quirks: { ...quirks } })
    return (
      encodeGoogle(request(to, [user("hi")], { thinking })).body.generationConfig as
        { thinkingConfig?: unknown } | undefined
    )?.thinkingConfig
  }
  expect(config({}, "high")).toEqual({ includeThoughts: true, thinkingLevel: "HIGH" })
  expect(config({}, "off")).toBeUndefined()
  expect(config({ oldGemini: true }, "high")).toEqual({ includeThoughts: true, thinkingBudget: 24_576 })
  expect(config({ oldGemini: true }, "off")).toEqual({ includeThoughts: false, thinkingBudget: 0 })
})

test("pictures of results stand inside them, or in the next turn for older models", () => {
  const parts = (quirks: object): unknown => {
    const to = model({ api: "google-generative-ai", quirks: { ...quirks } })
    const { body } = encodeGoogle(request(to, [user("hi"), assistant(to, call("a")), result("a", "one", image)]))
    return (body.contents as readonly { parts: readonly object[] }[])
      .slice(2)
      .map((turn) => turn.parts.flatMap((part) => Object.keys(part)))
  }
  expect(parts({})).toEqual([["functionResponse"]])
  expect(parts({ oldGemini: true })).toEqual([["functionResponse"], ["inlineData"]])
})

test("a model's name cannot leave the path", () => {
  const to = model({ api: "google-generative-ai", id: "../../evil?x" })
  expect(encodeGoogle(request(to, [user("hi")])).path).toBe("/models/..%2F..%2Fevil%3Fx:streamGenerateContent?alt=sse")
})
