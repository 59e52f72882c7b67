/**
 * Strict fakes of vendors that bend chat completions: what each refuses, and how each says a turn that thinks "hm" and calls `read` on "a".
 *
 * - A fake refuses what its vendor refuses, by the sources that `src/providers/vendors.ts` names; `needs` says that it refuses what is sent to a
 *   host that nobody knows, so that the vendor's row is seen to be of use.
 * - Every turn counts 100 tokens of input, 40 of them cached, and 20 of output, wherever and however the vendor puts that.
 */
import type { Json, JsonObject } from "../../src/std/json.ts"
import {
  booleanProblems,
  call,
  chunk,
  counts,
  mustReturn,
  pieces,
  switchProblems,
  usage,
  usual,
  whole,
  type Vendor,
} from "./model-dialects.ts"
import { object } from "./model-read.ts"
import { moreVendors } from "./model-vendors-more.ts"

const details: readonly JsonObject[] = [
  { type: "reasoning.text", text: "hm", format: "anthropic-claude-v1", index: 0, signature: "sig" },
  { type: "reasoning.encrypted", data: "zz", index: 1 },
]
const hosted: readonly Vendor[] = [
  {
    name: "OpenAI",
    model: ["openai", "chat"],
    address: "https://api.openai.com/v1",
    rules: {
      roles: ["developer", "user", "assistant", "tool"],
      refused: ["max_tokens"],
      fields: ["prompt_cache_key"],
      reasoningFields: [],
    },
    turn: [chunk({ role: "assistant", content: null }), ...pieces, chunk({}, "tool_calls"), counts()],
    needs: true,
  },
  {
    name: "Cerebras",
    model: ["cerebras", "qwen-3.8-27b"],
    rules: {
      reasoningFields: ["reasoning"],
      fields: ["prompt_cache_key"],
      refused: ["max_tokens"],
      efforts: ["none", "low", "medium", "high"],
    },
    turn: whole("reasoning"),
    needs: true,
  },
  {
    name: "xAI",
    model: ["xai", "grok-4.3"],
    rules: { refused: ["max_tokens"], efforts: ["none", "low", "medium", "high", "xhigh"] },
    headers: { "x-grok-conv-id": /./ },
    turn: [
      chunk({ role: "assistant", reasoning_content: "hm" }),
      chunk(call()),
      chunk({}, "tool_calls"),
      counts({ ...usage, completion_tokens: 15, cost_in_usd_ticks: 5_000_000_000 }),
    ],
    needs: true,
  },
  {
    name: "Mistral",
    model: ["mistral", "deepseek-v4-1-flash-1017"],
    rules: {
      ids: /^[a-zA-Z0-9]{9}$/,
      noUserAfterTool: true,
      reasoningFields: [],
      thinkingParts: true,
      resultNames: true,
      refused: ["stream_options", "max_completion_tokens"],
      efforts: ["none", "low", "high", "max"],
      also: mustReturn("content", [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }]),
    },
    turn: [
      chunk({
        role: "assistant",
        content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true }],
      }),
      { ...chunk(call({ id: "a1B2c3D4e" }), "tool_calls"), usage },
    ],
    needs: true,
  },
  {
    name: "Chutes",
    model: ["chutes", "m"],
    rules: { fields: ["chat_template_kwargs"], forbidReasoning: true, refused: ["reasoning_effort"] },
    turn: [chunk({ reasoning_content: "hm", reasoning: "hm" }), ...pieces, chunk({}, "tool_calls"), counts()],
    needs: true,
  },
  {
    name: "DeepSeek",
    model: ["deepseek", "deepseek-flash"],
    rules: {
      requireReasoning: true,
      reasoningFields: ["reasoning_content"],
      fields: ["thinking"],
      refused: ["max_completion_tokens"],
      efforts: ["low", "high", "max"],
      also: (body) => switchProblems(body, "thinking"),
    },
    turn: [
      ...usual("reasoning_content").slice(0, -1),
      counts({ prompt_tokens: 100, prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 60, completion_tokens: 20 }),
    ],
    needs: true,
  },
  {
    name: "Groq",
    model: ["groq", "openai/gpt-oss-120b"],
    rules: { forbidReasoning: true, efforts: ["low", "medium", "high"] },
    turn: [...whole("reasoning").slice(0, -1), { ...chunk({}), x_groq: { id: "r", usage } }],
    needs: true,
  },
  {
    name: "OpenRouter",
    model: ["openrouter", "aion-labs/aion-3.5"],
    rules: {
      fields: ["reasoning"],
      refused: ["reasoning_effort"],
      also: (body) => [
        ...mustReturn("reasoning_details", details as readonly Json[])(body),
        ...(["enabled", "effort"].some((name) => object(body.reasoning)[name] !== undefined) ||
        body.reasoning === undefined
          ? []
          : ["reasoning says nothing"]),
      ],
    },
    headers: { "x-session-id": /./ },
    turn: [
      chunk({ role: "assistant", content: "", reasoning: "hm", reasoning_details: [details[0] ?? {}] }),
      chunk({ content: "", reasoning_details: [details[1] ?? {}] }),
      ...pieces,
      chunk({}, "tool_calls", { native_finish_reason: "tool_use" }),
      counts({ ...usage, cost: 0.5, is_byok: false }),
    ],
    needs: true,
  },
  {
    name: "Together",
    model: ["together", "deepseek-ai/DeepSeek-V4-Pro-0813"],
    rules: {
      fields: ["reasoning"],
      efforts: ["high"],
      also: (body) => booleanProblems(object(body.reasoning).enabled, "reasoning.enabled"),
    },
    turn: [
      chunk({ reasoning: "hm", tool_calls: [] }),
      ...pieces,
      { ...chunk({ tool_calls: [] }, "tool_calls"), usage },
    ],
    needs: false,
  },
  {
    name: "Fireworks, chat",
    model: ["fireworks", "accounts/fireworks/models/kimi-k3"],
    rules: { requireReasoning: true, efforts: ["low", "high", "max"] },
    headers: { "x-session-affinity": /./ },
    turn: [chunk({ reasoning_content: "hm" }), ...pieces, { ...chunk({}, "tool_calls"), usage }],
    needs: true,
  },
]

/** The fakes of all vendors. */
export const vendors: readonly Vendor[] = [...hosted, ...moreVendors]

/** What `vendor` minds about the headers of a request. */
export function headerProblems(vendor: Vendor, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(vendor.headers ?? {}).flatMap(([name, shape]) =>
    shape.test(headers[name] ?? "") ? [] : [`the header ${name} is missing or wrong`],
  )
}
