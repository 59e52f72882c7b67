import { expect, test } from "bun:test"
import type { AssistantPart, Message } from "../../src/message/message.ts"
import { orderMessages } from "../../src/message/order.ts"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import { anthropicIds, historyFor, imagePlaceholder, nineIds, plainIds } from "../../src/providers/history.ts"
import { findModel } from "../../src/providers/catalog.ts"
import type { Model } from "../../src/providers/model.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import { encodeGoogle } from "../../src/providers/google-generative-ai/encode.ts"
import { encodeResponses } from "../../src/providers/openai-responses/encode.ts"
import type { Encoded, ModelRequest } from "../../src/providers/provider.ts"
import { checkRequest, type VendorRules } from "../support/model-check.ts"
import type { Format } from "../support/model-script.ts"
import { signatureFor } from "../support/model-stream.ts"
import { vendors } from "../support/model-vendors.ts"
import { assistant, call, image, model, request, result, text, user } from "./support.ts"

const chat = model({ id: "chat", thinking: { off: "", high: "high" } })
const claude = model({
  id: "claude",
  provider: "acme",
  api: "anthropic-messages",
  thinking: { off: "", high: "high" },
  maxTokens: 32_000,
})
const blind = model({ id: "blind", input: ["text"] })

const gpt = model({ id: "gpt", api: "openai-responses", thinking: { off: "none", high: "high" } })
const gemini = model({ id: "gemini", api: "google-generative-ai", thinking: { low: "low", high: "high" } })

const encrypted: AssistantPart = {
  type: "thinking",
  thinking: "hm",
  thinkingSignature: JSON.stringify({
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "hm" }],
    encrypted_content: signatureFor("gpt", "hm"),
  }),
}
const unencrypted: AssistantPart = {
  ...encrypted,
  thinkingSignature: JSON.stringify({ type: "reasoning", id: "rs_1", summary: [] }),
}
const itemCall: AssistantPart = { type: "toolCall", id: "a", name: "read", arguments: {}, thoughtSignature: "fc_1" }
const signedCall: AssistantPart = {
  type: "toolCall",
  id: "a",
  name: "read",
  arguments: {},
  thoughtSignature: signatureFor("gemini", "a"),
}
const itemText: AssistantPart = {
  type: "text",
  text: "x",
  textSignature: JSON.stringify({ id: "msg_1", phase: "commentary" }),
}

const thought: AssistantPart = { type: "thinking", thinking: "hm", thinkingSignature: "reasoning_content" }
const signed: AssistantPart = { type: "thinking", thinking: "hm", thinkingSignature: signatureFor("claude", "hm") }
const redacted: AssistantPart = { type: "thinking", thinking: "", thinkingSignature: "blob", redacted: true }

/** Everything that goes wrong in a conversation, said by all formats. */
const histories: readonly [string, readonly Message[]][] = [
  ["a plain one", [user("hi"), assistant(chat, text("hello")), user("go")]],
  [
    "two calls and their results",
    [user("hi"), assistant(chat, call("a"), call("b")), result("a", "1"), result("b", "2")],
  ],
  ["reasoning of chat completions", [user("hi"), assistant(chat, thought, text("x"), call("a")), result("a", "1")]],
  ["signed thinking", [user("hi"), assistant(claude, signed, text("x"), call("a")), result("a", "1")]],
  ["redacted thinking", [user("hi"), assistant(claude, signed, redacted, call("a")), result("a", "1")]],
  [
    "thinking of both (field report 93)",
    [
      user("hi"),
      assistant(chat, thought, call("a")),
      result("a", "1"),
      assistant(claude, signed, call("b")),
      result("b", "2"),
    ],
  ],
  [
    "encrypted reasoning and item ids",
    [user("hi"), assistant(gpt, encrypted, itemText, itemCall, call("b")), result("a", "1"), result("b", "2")],
  ],
  [
    "reasoning that was not encrypted (field report 96)",
    [user("hi"), assistant(gpt, unencrypted, itemText, itemCall), result("a", "1")],
  ],
  [
    "signed calls (field report 89)",
    [user("hi"), assistant(gemini, signedCall, call("b")), result("a", "1"), result("b", "2")],
  ],
  [
    "a signature on an empty text",
    [user("hi"), assistant(gemini, text("x"), { type: "text", text: "", textSignature: "s" }), user("go")],
  ],
  [
    "calls of all in the current turn",
    [
      user("hi"),
      assistant(gemini, signedCall),
      result("a", "1"),
      assistant(gpt, encrypted, itemCall),
      result("a", "2"),
      assistant(chat, call("c")),
      result("c", "3"),
    ],
  ],
  ["thinking alone", [user("hi"), assistant(claude, signed), user("go")]],
  ["an interrupted batch", [user("hi"), assistant(chat, call("a"), call("b")), result("a", "1"), user("go")]],
  ["what was typed while tools ran", [user("hi"), assistant(chat, call("a")), user("wait"), result("a", "1")]],
  [
    "an aborted answer (field report 95)",
    [user("hi"), { ...assistant(chat, text("par ")), stopReason: "aborted" }, user("go")],
  ],
  [
    "a failed answer with half a call",
    [user("hi"), { ...assistant(chat, call("a")), stopReason: "error" }, user("go")],
  ],
  [
    "arguments that were no JSON",
    [
      user("hi"),
      assistant(chat, { type: "toolCall", id: "a", name: "read", arguments: {}, argumentsError: '{"pa' }),
      result("a", "cut"),
    ],
  ],
  [
    "ids of other hosts (field report 88)",
    [
      user("hi"),
      assistant(chat, call("call_Ab0-long_enough_to_fail_12|fc_99999999999999999999"), call("functions.read:0")),
      result("call_Ab0-long_enough_to_fail_12|fc_99999999999999999999", "1"),
      result("functions.read:0", "2"),
    ],
  ],
  [
    "ids used again (field report 65)",
    [
      user("hi"),
      assistant(chat, call("read:0")),
      result("read:0", "1"),
      assistant(chat, call("read:0"), call("read:0")),
      result("read:0", "2"),
      result("read:0", "3"),
    ],
  ],
  ["empty ids", [user("hi"), assistant(chat, call(""), call("")), result("", "1"), result("", "2")]],
  [
    "pictures in results (field report 37)",
    [user("look", image), assistant(chat, call("a"), call("b")), result("a", "one", image), result("b", image)],
  ],
  ["a picture in an error", [user("hi"), assistant(chat, call("a")), { ...result("a", "bad", image), isError: true }]],
  [
    "blank and empty things (field report 37)",
    [user("hi"), assistant(chat, text(" \n")), user(" "), user(), assistant(chat, text(""), call("a")), result("a")],
  ],
  [
    "half of a pair",
    [user("cut \ud83d"), assistant(chat, call("a", "read", { path: "\ude00x" })), result("a", "\ud83d")],
  ],
  ["an assistant's word at the end", [user("hi"), assistant(chat, text("hello "))]],
  ["three users in a row", [user("a"), user("b", image), user("c")]],
  ["two answers in a row", [user("a"), assistant(chat, text("x")), assistant(chat, text("y")), user("c")]],
  ["text behind a call", [user("a"), assistant(chat, call("a"), text("said after")), result("a", "1")]],
  ["a tool with an odd name", [user("a"), assistant(chat, call("a", "functions.read file")), result("a", "1")]],
  ["results alone", [result("z", "1"), user("hi")]],
]

type Target = readonly [string, Model, VendorRules]

/** What a vendor wants back of its own turns is another test's. */
const vendorTargets = vendors.map(({ name, model: [provider, id], address, rules }): Target => {
  const known = findModel(provider, id) ?? model({ provider, id, thinking: { off: "none", high: "high" } })
  const at = address === undefined ? {} : { baseUrl: address }
  return [name, { ...known, ...at, api: "openai-completions", input: ["text", "image"] }, { ...rules, also: () => [] }]
})

const targets: readonly Target[] = [
  ...vendorTargets,
  ["chat completions", chat, {}],
  ["a model without eyes", blind, {}],
  ["Anthropic", claude, {}],
  ["responses", gpt, {}],
  ["responses of another model", { ...gpt, id: "gpt-2" }, {}],
  ["Gemini", gemini, {}],
  ["an older Gemini", { ...gemini, id: "old", quirks: { oldGemini: true } }, {}],
  ["another host of messages", model({ id: "other", api: "anthropic-messages", provider: "minimax" }), {}],
]

function problems(
  target: Model,
  rules: VendorRules,
  messages: readonly Message[],
  more: Partial<ModelRequest> = {},
): readonly string[] {
  const wanted = request(target, messages, { cacheKey: "session", ...more })
  const [format, encode] = formats[target.api] ?? ["completions", encodeCompletions]
  const { body } = encode(wanted)
  // The strict Google asks for signatures, which older models do not know.
  const known = target.quirks.oldGemini === true ? [/thought_signature/] : []
  return checkRequest(format, JSON.stringify(body), rules, target.id).filter(
    (problem) => !known.some((text) => text.test(problem)),
  )
}

const formats: Readonly<Record<string, readonly [Format, (request: ModelRequest) => Encoded]>> = {
  "openai-responses": ["responses", encodeResponses],
  "anthropic-messages": ["anthropic", encodeAnthropic],
  "google-generative-ai": ["google", encodeGoogle],
}

for (const [name, target, rules] of targets)
  test.each([...histories])(`${name} takes %s`, (_, messages) => {
    expect(problems(target, rules, messages)).toEqual([])
    expect(problems(target, rules, messages, { thinking: "high" })).toEqual([])
  })

test("every way through four models in any order is taken by all", () => {
  const pieces = [
    user("a"),
    assistant(chat, thought, call("x")),
    result("x", "1"),
    assistant(claude, signed, call("x")),
    user("b"),
    assistant(chat, text("y")),
  ]
  for (let mask = 1; mask < 2 ** pieces.length; mask++) {
    const chosen = pieces.filter((_, place) => (mask >> place) % 2 === 1)
    const messages = chosen.every((message) => message.role !== "user") ? [user("first"), ...chosen] : chosen
    const begun = messages[0]?.role === "user" ? messages : [user("first"), ...messages]
    for (const [, target, rules] of targets) expect(problems(target, rules, begun)).toEqual([])
  }
})

test("a longer conversation is seen with the same beginning: caches keep their hits", () => {
  for (const [, messages] of histories)
    for (const rule of [plainIds, anthropicIds, nineIds]) {
      const all = historyFor(messages, chat, rule)
      const whole = orderMessages(messages)
      for (let size = 1; size < whole.length; size++) {
        const part = historyFor(whole.slice(0, size), chat, rule)
        const stable = part.filter((message) => message.role === "assistant" && message.content.length > 0)
        expect<unknown>(all.filter((message) => message.role === "assistant").slice(0, stable.length)).toEqual(stable)
      }
    }
})

test("the stored messages are not touched", () => {
  for (const [, messages] of histories) {
    const before = structuredClone(messages)
    for (const [, target, rules] of targets) problems(target, rules, messages)
    expect(messages).toEqual(before)
  }
})

test("own thinking goes back byte for byte at its place, foreign thinking not at all (field report 93)", () => {
  const messages = [user("hi"), assistant(claude, signed, redacted, text("x "), call("a")), result("a", "1")]
  const { body } = encodeAnthropic(request(claude, messages, { thinking: "high" }))
  expect(JSON.stringify(body)).toContain(
    JSON.stringify([
      { type: "thinking", thinking: "hm", signature: signatureFor("claude", "hm") },
      { type: "redacted_thinking", data: "blob" },
      { type: "text", text: "x " },
      { type: "tool_use", id: "a", name: "read", input: { path: "a" } },
    ]),
  )
  const other = { ...claude, id: "claude-2" }
  expect(JSON.stringify(encodeAnthropic(request(other, messages)).body)).not.toContain("signature")
  expect(JSON.stringify(encodeCompletions(request(chat, messages)).body)).not.toContain("hm")
})

test("ids of items go back with the reasoning that they belong to, and not without any (field report 96)", () => {
  const items = (...content: readonly AssistantPart[]): string =>
    JSON.stringify(encodeResponses(request(gpt, [user("hi"), assistant(gpt, ...content), result("a", "1")])).body.input)
  expect(items(encrypted, itemText, itemCall)).toContain('"rs_1"')
  expect(items(encrypted, itemText, itemCall)).toMatch(/"msg_1".*"fc_1"/)
  for (const without of [items(itemText, itemCall), items(unencrypted, itemText, itemCall)])
    expect(without).not.toMatch(/rs_1|msg_1|fc_1/)
})

test("reasoning goes back in the field that it came in, and to DeepSeek in every message (field report 87)", () => {
  const messages = [
    user("hi"),
    assistant(chat, { ...thought, thinkingSignature: "reasoning" }, call("a")),
    result("a", "1"),
  ]
  expect(encodeCompletions(request(chat, messages)).body.messages).toMatchObject([{}, {}, { reasoning: "hm" }, {}])
  const deepseek = model({ provider: "deepseek", id: "d" })
  const own = [
    user("hi"),
    assistant(deepseek, thought, call("a")),
    result("a", "1"),
    assistant(chat, text("x")),
    user("go"),
  ]
  expect(encodeCompletions(request(deepseek, own)).body.messages).toMatchObject([
    {},
    {},
    { reasoning_content: "hm" },
    {},
    { reasoning_content: "" },
    {},
  ])
})

test("reasoning_details go back as they came", () => {
  const details = [{ type: "reasoning.encrypted", index: 0, data: "zz" }]
  const router = model({ provider: "openrouter" })
  const part: AssistantPart = {
    type: "thinking",
    thinking: "",
    thinkingSignature: `reasoning_details:${JSON.stringify(details)}`,
  }
  const { body } = encodeCompletions(
    request(router, [user("hi"), assistant(router, part, call("a")), result("a", "1")]),
  )
  expect(body.messages).toMatchObject([{}, {}, { reasoning_details: details }, {}])
})

test("a model without eyes is told that a picture was there, once for neighbours", () => {
  const { body } = encodeCompletions(request(blind, [user("look", image, image, "here")]))
  expect(body.messages).toMatchObject([{}, { role: "user", content: `look\n\n${imagePlaceholder}\n\nhere` }])
})

test("pictures of results come after all results of the batch", () => {
  const messages = [user("hi"), assistant(chat, call("a"), call("b")), result("a", "one", image), result("b", "two")]
  expect(encodeCompletions(request(chat, messages)).body.messages).toMatchObject([
    {},
    {},
    {},
    { role: "tool", content: "one" },
    { role: "tool", content: "two" },
    { role: "user", content: [{ type: "text" }, { type: "image_url" }] },
  ])
})

test("one system message, first, and none where there is no prompt (field report 97)", () => {
  const roles = (system: string): unknown => {
    const { messages } = encodeCompletions(request(chat, [user("hi")], { system })).body
    return (messages as readonly { role: string }[]).map(({ role }) => role)
  }
  expect(roles("You help.")).toEqual(["system", "user"])
  expect(roles(" ")).toEqual(["user"])
})
