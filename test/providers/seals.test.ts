/** What vendors want back of their own answers, and what of it would be refused. */
import { expect, test } from "bun:test"
import type { AssistantPart } from "../../src/message/message.ts"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import { encodeGoogle } from "../../src/providers/google-generative-ai/encode.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import { encodeResponses } from "../../src/providers/openai-responses/encode.ts"
import type { ApiName } from "../../src/providers/provider.ts"
import { assistant, model, request, result, user } from "./support.ts"

const thinking = { off: "none", high: "high" }
const gpt = model({ id: "gpt", api: "openai-responses", thinking })

const encrypted: AssistantPart = {
  type: "thinking",
  thinking: "hm",
  thinkingSignature: JSON.stringify({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" }),
}
const itemText: AssistantPart = { type: "text", text: "x", textSignature: JSON.stringify({ id: "msg_1" }) }

test("reasoning that led to nothing, as where an answer was cut in it, does not go back", () => {
  const inputOf = (...content: readonly AssistantPart[]): unknown =>
    encodeResponses(request(gpt, [user("hi"), assistant(gpt, ...content), user("on")])).body.input
  const kept = [{ role: "user" }, { type: "reasoning" }, { type: "message", id: "msg_1" }, { role: "user" }]
  expect(inputOf(encrypted, itemText, encrypted)).toMatchObject(kept)
  expect(inputOf(encrypted, itemText)).toMatchObject(kept)
})

const encoders = [
  ["openai-completions", encodeCompletions],
  ["openai-responses", encodeResponses],
  ["anthropic-messages", encodeAnthropic],
  ["google-generative-ai", encodeGoogle],
] as const satisfies readonly (readonly [ApiName, unknown])[]

/** Every string in a JSON text that is no whole text. */
function broken(json: string): readonly string[] {
  const found: string[] = []
  JSON.parse(json, (key, value: unknown) => {
    if (!key.isWellFormed()) found.push(key)
    if (typeof value === "string" && !value.isWellFormed()) found.push(value)
    return value
  })
  return found
}

const half = "\ud83d"
const item = { type: "reasoning", id: `rs${half}`, summary: [{ text: half }], encrypted_content: half }
const seals = [
  half,
  JSON.stringify(item),
  `reasoning_details:${JSON.stringify([{ type: "reasoning.text", text: half }])}`,
  `reasoning_opaque:${JSON.stringify({ field: "reasoning_text", opaque: half })}`,
]

test.each([...encoders])("%s: half of a pair in what a vendor wants back does not go back", (api, encode) => {
  const to = model({ id: "m", api, thinking, maxTokens: 32_000 })
  for (const thinkingSignature of seals) {
    const said = assistant(
      to,
      { type: "thinking", thinking: "hm", thinkingSignature },
      { type: "text", text: "x", textSignature: JSON.stringify({ id: half, phase: half }) },
      { type: "text", text: "y", textSignature: half },
      { type: "toolCall", id: "a", name: "read", arguments: {}, thoughtSignature: half },
    )
    const { body } = encode(request(to, [user("hi"), said, result("a", "1")], { thinking: "high" }))
    expect(broken(JSON.stringify(body))).toEqual([])
  }
})
