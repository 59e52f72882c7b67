import { expect, test } from "bun:test"
import { StreamFailure } from "../../../src/providers/decoder.ts"
import { decodeEvents, thrown } from "../support.ts"

type Event = { readonly type: string; readonly [field: string]: unknown }

const start = (usage: object = { input_tokens: 12, cache_read_input_tokens: 800, output_tokens: 1 }): Event => ({
  type: "message_start",
  message: { id: "msg_1", model: "m", content: [], usage },
})
const open = (index: number, content_block: object): Event => ({ type: "content_block_start", index, content_block })
const more = (index: number, delta: object): Event => ({ type: "content_block_delta", index, delta })
const close = (index: number): Event => ({ type: "content_block_stop", index })
const delta = (stop_reason: string, usage: object = { output_tokens: 60 }): Event => ({
  type: "message_delta",
  delta: { stop_reason },
  usage,
})
const end: Event = { type: "message_stop" }

const say = (text: string): readonly Event[] => [
  open(0, { type: "text", text: "" }),
  more(0, { type: "text_delta", text }),
  close(0),
]
const calls = (index: number, id: string, ...args: readonly string[]): readonly Event[] => [
  open(index, { type: "tool_use", id, name: "read", input: {} }),
  ...args.map((partial_json) => more(index, { type: "input_json_delta", partial_json })),
  close(index),
]

test("thinking with its signature, redacted thinking, text and calls come in their order", () => {
  const { response } = decodeEvents([
    start(),
    { type: "ping" },
    open(0, { type: "thinking", thinking: "", signature: "" }),
    more(0, { type: "thinking_delta", thinking: "hm" }),
    more(0, { type: "signature_delta", signature: "si" }),
    more(0, { type: "signature_delta", signature: "g" }),
    close(0),
    open(1, { type: "redacted_thinking", data: "blob" }),
    close(1),
    open(2, { type: "text", text: "" }),
    more(2, { type: "text_delta", text: "yes" }),
    close(2),
    ...calls(3, "toolu_1", '{"pa', 'th":"a"}'),
    ...calls(4, "toolu_2"),
    delta("tool_use"),
    end,
  ])
  expect(response.content).toEqual([
    { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
    { type: "thinking", thinking: "", thinkingSignature: "blob", redacted: true },
    { type: "text", text: "yes" },
    { type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a" } },
    { type: "toolCall", id: "toolu_2", name: "read", arguments: {} },
  ])
  expect(response).toMatchObject({ stopReason: "toolUse", rawStopReason: "tool_use", responseId: "msg_1" })
  expect(response.usage).toMatchObject({ input: 12, cacheRead: 800, output: 60, totalTokens: 872 })
})

test("two blocks of text and two of thinking stay apart", () => {
  const think = (index: number, signature: string): readonly Event[] => [
    open(index, { type: "thinking", thinking: "" }),
    more(index, { type: "thinking_delta", thinking: "hm" }),
    more(index, { type: "signature_delta", signature }),
    close(index),
  ]
  const { response } = decodeEvents([
    start(),
    ...think(0, "a"),
    ...think(1, "b"),
    ...say("x"),
    ...say("y"),
    delta("end_turn"),
    end,
  ])
  expect(
    response.content.map((part) =>
      part.type === "thinking" ? part.thinkingSignature : part.type === "text" && part.text,
    ),
  ).toEqual(["a", "b", "x", "y"])
})

test("later counts replace earlier ones field by field, and an hour's cache writes are told apart", () => {
  const last = {
    output_tokens: 9,
    cache_creation_input_tokens: 90,
    cache_creation: { ephemeral_1h_input_tokens: 40 },
    cache_read_input_tokens: null,
  }
  const { usage } = decodeEvents([start(), ...say("x"), delta("end_turn", last), end]).response
  expect(usage).toMatchObject({ input: 12, cacheRead: 800, cacheWrite: 90, cacheWrite1h: 40, output: 9 })
})

test("counts that never come are estimated and say so", () => {
  expect(decodeEvents([start({}), ...say("hello"), delta("end_turn", {}), end]).response.usage).toMatchObject({
    input: 100,
    output: 2,
    estimated: true,
  })
})

const proxies: readonly [string, readonly Event[]][] = [
  ["message_start twice", [start(), start(), ...say("x"), delta("end_turn"), end]],
  ["an event nobody knows", [start(), { type: "vendor_status" }, ...say("x"), delta("end_turn"), end]],
  ["no message_stop", [start(), ...say("x"), delta("end_turn")]],
  ["no stop reason", [start(), ...say("x"), end]],
  ["text in the block's start", [start(), open(0, { type: "text", text: "x" }), close(0), delta("end_turn"), end]],
  [
    "a whole message that was not streamed",
    [
      {
        type: "message",
        id: "m",
        content: [{ type: "text", text: "x" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    ],
  ],
]

test.each([...proxies])("a proxy with %s is understood", (_, events) => {
  expect(decodeEvents(events).response).toMatchObject({ content: [{ type: "text", text: "x" }], stopReason: "stop" })
})

test("input that comes whole with the block's start is taken", () => {
  const block = open(0, { type: "tool_use", id: "t", name: "read", input: { path: "a" } })
  expect(decodeEvents([start(), block, close(0), delta("tool_use"), end]).response.content[0]).toMatchObject({
    arguments: { path: "a" },
  })
})

test("arguments that were cut are kept as an error, never completed (field reports 61, 63)", () => {
  const { response } = decodeEvents([start(), ...calls(0, "t", '{"content":"li'), delta("max_tokens"), end])
  expect(response).toMatchObject({
    stopReason: "length",
    content: [{ arguments: {}, argumentsError: '{"content":"li' }],
  })
})

const failures: readonly [string, readonly Event[], object][] = [
  ["a stream without an end", [start(), ...say("x")], { kind: "retry", reason: "cut" }],
  ["an empty answer", [start(), delta("end_turn"), end], { kind: "retry", reason: "empty" }],
  ["a refusal", [start(), ...say("x"), delta("refusal"), end], { kind: "refused" }],
  ["a full window", [start(), delta("model_context_window_exceeded"), end], { kind: "overflow" }],
]

test.each([...failures])("%s is no answer", (_, events, error) => {
  expect(thrown(() => decodeEvents(events))).toMatchObject(error)
})

test("an error event is a failure", () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "busy" } }
  expect(thrown(() => decodeEvents([start(), error]))).toBeInstanceOf(StreamFailure)
})
