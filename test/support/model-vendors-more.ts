/** Further strict fakes: hosts of one maker's models, subscriptions, proxies, and servers that people run themselves. */
import type { Json, JsonObject } from "../../src/std/json.ts"
import {
  args,
  booleanProblems,
  call,
  chunk,
  counts,
  mustReturn,
  switchProblems,
  usage,
  usual,
  type Vendor,
} from "./model-dialects.ts"
import { list, object } from "./model-read.ts"

const split: readonly JsonObject[] = [{ type: "reasoning.text", id: "r1", index: 0, text: "hm" }]

export const moreVendors: readonly Vendor[] = [
  {
    name: "Moonshot",
    model: ["moonshotai", "kimi-k2.6"],
    rules: {
      requireReasoning: true,
      fields: ["thinking"],
      refused: ["reasoning_effort", "max_completion_tokens"],
      also: (body) => switchProblems(body, "thinking"),
    },
    turn: [
      chunk({ reasoning_content: "hm" }),
      chunk(call({ id: "functions.read:0" })),
      chunk({}, "tool_calls", { usage: { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 40 } }),
    ],
    needs: true,
  },
  {
    name: "Z.ai",
    model: ["zai", "glm-4.7"],
    rules: {
      fields: ["thinking", "tool_stream"],
      refused: ["reasoning_effort"],
      reasoningFields: ["reasoning_content"],
      also: (body) => [
        ...switchProblems(body, "thinking"),
        ...(body.tools !== undefined && body.tool_stream !== true ? ["the stream was idle for 30 s"] : []),
      ],
    },
    turn: usual("reasoning_content"),
    needs: true,
  },
  {
    name: "Qwen",
    model: ["qwen-token-plan", "MiniMax-M2.5"],
    rules: {
      fields: ["enable_thinking"],
      refused: ["reasoning_effort"],
      reasoningFields: ["reasoning_content"],
      also: (body) => booleanProblems(body.enable_thinking, "enable_thinking"),
    },
    turn: [
      chunk({ reasoning_content: "hm" }),
      chunk(call({}, '{"path"')),
      chunk(args(':"a"}', { id: "", function: { name: "read", arguments: ':"a"}' } })),
      chunk({}, "tool_calls"),
      counts(),
    ],
    needs: true,
  },
  {
    name: "Xiaomi",
    model: ["xiaomi", "mimo-v2.6-pro"],
    rules: { requireReasoning: true, fields: ["thinking"], also: (body) => switchProblems(body, "thinking") },
    turn: usual("reasoning_content"),
    needs: true,
  },
  {
    name: "MiniMax, chat",
    model: ["minimax", "chat"],
    rules: {
      fields: ["reasoning_split"],
      refused: ["reasoning_effort"],
      reasoningFields: ["reasoning_details"],
      also: (body) => [
        ...(body.reasoning_split === true ? [] : ["the reasoning stands in the text"]),
        ...mustReturn("reasoning_details", split as readonly Json[])(body),
      ],
    },
    turn: [
      chunk({ reasoning_content: "hm", reasoning_details: split as readonly Json[] }),
      chunk(call()),
      chunk({}, "tool_calls"),
      { ...counts(), base_resp: { status_code: 0, status_msg: "" } },
    ],
    needs: true,
  },
  {
    name: "NVIDIA",
    model: ["nvidia", "nvidia/nemotron-3-ultra-550b-a55b"],
    rules: { forbidReasoning: true, noUserAfterTool: true, refused: ["reasoning_effort"] },
    headers: { "nvcf-poll-seconds": /./ },
    turn: usual("reasoning_content"),
    needs: true,
  },
  {
    name: "Baseten",
    model: ["baseten", "moonshotai/Kimi-K3"],
    rules: { efforts: ["none", "low", "high", "max"] },
    headers: { "x-session-affinity": /./ },
    turn: usual("reasoning_content"),
    needs: true,
  },
  {
    name: "Ant Ling",
    model: ["ant-ling", "Ring-2.6-1T"],
    rules: { fields: ["reasoning"], refused: ["reasoning_effort"] },
    turn: usual("reasoning_content"),
    needs: true,
  },
  {
    name: "GitHub Copilot, chat",
    model: ["github-copilot", "gemini-4-carbon"],
    rules: { also: mustReturn("reasoning_opaque", "sealed") },
    headers: {
      "x-initiator": /^(user|agent)$/,
      "openai-intent": /./,
      "editor-version": /./,
      "copilot-integration-id": /./,
      authorization: /^Bearer /,
    },
    turn: [
      chunk({ reasoning_text: "hm" }),
      chunk({ ...call(), reasoning_opaque: "sealed" }),
      chunk({}, "tool_calls"),
      counts(),
    ],
    needs: true,
  },
  {
    name: "Gemini as chat completions",
    model: ["gemini-chat", "m"],
    rules: {
      also: (body) => {
        const calls = list(body.messages).flatMap((message) => list(object(message).tool_calls).map(object))
        const signed = calls.every((made) => object(object(made.extra_content).google).thought_signature === "sig")
        return signed ? [] : ["Function call is missing a thought_signature"]
      },
    },
    turn: [
      {
        ...chunk({
          tool_calls: [
            {
              id: "call_a",
              type: "function",
              function: { name: "read", arguments: '{"path":"a"}' },
              extra_content: { google: { thought_signature: "sig" } },
            },
          ],
        }),
        usage,
      },
      { ...chunk({}, "stop"), usage },
    ],
    needs: false,
  },
  {
    name: "Ollama",
    model: ["ollama", "m"],
    rules: { refused: [], efforts: ["none", "low", "medium", "high"] },
    turn: [chunk({ content: "<think>hm" }), chunk({ content: "</think>" }), chunk(call()), chunk({}, "stop"), counts()],
    needs: false,
  },
  {
    name: "LM Studio",
    model: ["lmstudio", "m"],
    rules: { forbidReasoning: false },
    turn: [
      chunk({ reasoning: "hm" }),
      chunk(call({}, '{"path"')),
      chunk(args(':"a"}', { function: { name: "", arguments: ':"a"}' } })),
      chunk({}, "tool_calls"),
      counts(),
    ],
    needs: false,
  },
  {
    name: "llama.cpp",
    model: ["llamacpp", "m"],
    rules: {},
    turn: [...usual("reasoning_content").slice(0, -1), { ...counts(), timings: { prompt_n: 60 } }],
    needs: false,
  },
  {
    name: "vLLM",
    model: ["vllm", "m"],
    rules: { reasoningFields: ["reasoning"] },
    turn: [
      chunk({ reasoning: "hm" }),
      chunk(call({}, '{"path"')),
      chunk(args(':"a"}', { id: null })),
      chunk({}, "tool_calls"),
      counts(),
    ],
    needs: false,
  },
  {
    name: "SGLang",
    model: ["sglang", "m"],
    rules: {},
    turn: [
      chunk({ reasoning_content: "hm" }),
      chunk(call({ id: "0" })),
      chunk({}, "tool_calls"),
      chunk({}, "stop"),
      counts(),
    ],
    needs: false,
  },
  {
    name: "LiteLLM",
    model: ["litellm", "m"],
    rules: { toolsForCalls: true },
    turn: [
      { id: "", model: "", choices: [{ index: 0, delta: { content: "" }, finish_reason: null }] },
      chunk({ reasoning_content: "hm" }),
      chunk(call({ index: 1 }, "")),
      chunk(args('{"path":"a"}', { index: 1 })),
      chunk({}, "tool_calls"),
      counts(),
    ],
    needs: false,
  },
]
