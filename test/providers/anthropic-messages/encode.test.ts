import { expect, test } from "bun:test"
import type { Message, ThinkingLevel } from "../../../src/message/message.ts"
import { encodeAnthropic } from "../../../src/providers/anthropic-messages/encode.ts"
import { getModel } from "../../../src/providers/catalog.ts"
import type { JsonObject } from "../../../src/std/json.ts"
import { usualThinking } from "../../../src/providers/thinking.ts"
import { assistant, call, image, model, request, result, text, user } from "../support.ts"

const claude = model({ api: "anthropic-messages", thinking: usualThinking, maxTokens: 32_000 })
const adaptive = { ...claude, quirks: { adaptiveThinking: true } }

const levels: readonly [string, ThinkingLevel, object][] = [
  ["a budget, off", "off", {}],
  ["a budget, high", "high", { thinking: { type: "enabled", budget_tokens: 20_480 } }],
  ["a budget, more than the model has", "max", { thinking: { type: "enabled", budget_tokens: 20_480 } }],
]

test.each([...levels])("thinking with %s", (_, thinking, fields) => {
  const { body } = encodeAnthropic(request(claude, [user("hi")], { thinking }))
  expect(body).toMatchObject(fields)
  expect("thinking" in body).toBe("thinking" in fields)
})

test("adaptive thinking has an effort and no budget, and its lowest effort is low", () => {
  const at = (thinking: ThinkingLevel): unknown => encodeAnthropic(request(adaptive, [user("hi")], { thinking })).body
  expect(at("high")).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } })
  expect(at("minimal")).toMatchObject({ output_config: { effort: "low" } })
  expect(at("off")).toMatchObject({ thinking: { type: "disabled" } })
})

test("a budget leaves room for the answer, and goes where there is none", () => {
  const small = (maxTokens: number): unknown =>
    encodeAnthropic(request(claude, [user("hi")], { thinking: "high", maxTokens })).body.thinking
  expect(small(4_096)).toEqual({ type: "enabled", budget_tokens: 3_072 })
  expect(small(1_500)).toBeUndefined()
})

const signed = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const

/** Whether thinking is asked for, and whether any of before goes along. */
function thinkingIn(messages: readonly Message[], thinking: ThinkingLevel = "high", to = claude): readonly boolean[] {
  const { body } = encodeAnthropic(request(to, messages, { thinking }))
  return [
    JSON.stringify(body.thinking ?? {}).includes("enabled"),
    JSON.stringify(body.messages).includes('"signature"'),
  ]
}

test("a turn that another model began goes on without thinking, and the next one has it again", () => {
  const begun = [user("a"), assistant({ ...claude, id: "other" }, call("1")), result("1", "r")]
  const went = [...begun, assistant(claude, signed, call("2")), result("2", "r")]
  expect(thinkingIn(begun)).toEqual([false, false])
  expect(thinkingIn(went)).toEqual([false, false])
  expect(thinkingIn([...went, user("wait")])).toEqual([false, false])
  expect(thinkingIn([...went, assistant(claude, text("done")), user("on")])).toEqual([true, true])
  // A model that adapts has no such rule.
  const { body } = encodeAnthropic(request(adaptive, begun, { thinking: "high" }))
  expect(body.thinking).toMatchObject({ type: "adaptive" })
})

test("a turn that began with thinking has it to its end, whatever comes later in it", () => {
  const own = [user("a"), assistant(claude, signed, call("1")), result("1", "r"), assistant(claude, call("2"))]
  expect(thinkingIn([...own, result("2", "r")])).toEqual([true, true])
  const redacted = { type: "thinking", thinking: "", thinkingSignature: "blob", redacted: true } as const
  expect(thinkingIn([user("a"), assistant(claude, redacted, call("1")), result("1", "r")])[0]).toBe(true)
})

test("where thinking is off, none of before is sent", () => {
  const own = [user("a"), assistant(claude, signed, call("1")), result("1", "r")]
  expect(thinkingIn(own, "off")).toEqual([false, false])
  expect(thinkingIn(own, "off", adaptive)).toEqual([false, false])
  // A model of which nobody said that it thinks, and which does, takes it back.
  expect(thinkingIn(own, "off", { ...claude, thinking: {} })).toEqual([false, true])
})

test("cache marks: the last tool, the system prompt and the two newest messages of the user", () => {
  const messages = [user("a"), assistant(claude, text("x")), user("b"), assistant(claude, call("1")), result("1", "r")]
  const marks = JSON.stringify(encodeAnthropic(request(claude, messages)).body).split("cache_control").length - 1
  expect(marks).toBe(4)
  const fireworks = { ...claude, provider: "fireworks" }
  expect(JSON.stringify(encodeAnthropic(request(fireworks, messages)).body.tools)).not.toContain("cache_control")
})

test("what is marked can be kept for an hour", () => {
  const marks = (quirks: JsonObject): readonly string[] =>
    JSON.stringify(encodeAnthropic(request({ ...claude, quirks }, [user("a")])).body).match(
      /"cache_control":\{[^}]*\}/g,
    ) ?? []
  expect(new Set(marks({}))).toEqual(new Set(['"cache_control":{"type":"ephemeral"}']))
  const hour = marks({ cacheTtl: "1h" })
  expect(hour.length).toBe(3)
  expect(new Set(hour)).toEqual(new Set(['"cache_control":{"type":"ephemeral","ttl":"1h"}']))
})

test("an error result is text, and its pictures stand behind all results", () => {
  const messages = [
    user("a"),
    assistant(claude, call("1"), call("2")),
    { ...result("1", "bad", image), isError: true },
    result("2", "ok"),
  ]
  const { body } = encodeAnthropic(request(claude, messages))
  const last = (body.messages as readonly { content: readonly { type: string }[] }[]).at(-1)
  expect(last?.content.map(({ type }) => type)).toEqual(["tool_result", "tool_result", "image"])
})

test("the same request gives the same bytes", () => {
  const wanted = request(getModel("anthropic", "claude-sonnet-5-5"), [
    user("hi"),
    assistant(claude, call("x|y")),
    result("x|y", "r"),
  ])
  expect(JSON.stringify(encodeAnthropic(wanted))).toBe(JSON.stringify(encodeAnthropic(structuredClone(wanted))))
})
