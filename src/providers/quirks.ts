/**
 * How vendors bend the wire formats, as data. The only place that knows a vendor by name.
 *
 * - The defaults are what every host takes. A row loosens or bends them for one vendor, matched by provider and by the host of the base URL.
 * - Later rules over earlier: defaults, rows in order, the model's own `quirks` (from the catalog or the person's config).
 * - A row states what the vendor documents or was seen to do; a guess does not stand here.
 */
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import type { Model } from "./model.ts"

export const thinkingFormats = [
  "effort",
  "deepseek",
  "zai",
  "qwen",
  "openrouter",
  "together",
  "chat-template",
  "baseten",
  "ant-ling",
  "none",
] as const

export type Quirks = {
  /** The field of chat completions that limits the output. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens"
  readonly systemRole: "system" | "developer"
  /** How thinking is asked for: `effort` is a top-level `reasoning_effort`; the others are fields of their vendor. */
  readonly thinkingFormat: (typeof thinkingFormats)[number]
  /** Send `reasoning_effort` beside the vendor's own field. */
  readonly effort: boolean
  /** Reasoning of earlier turns goes back: in the field that it came in, never, or always as `reasoning_content`. */
  readonly reasoningReplay: "same" | "never" | "reasoning_content"
  /** Every assistant message must have `reasoning_content`, empty where there is none. */
  readonly reasoningRequired: boolean
  /** Reasoning comes as `<think>…</think>` at the start of the text. */
  readonly thinkTags: boolean
  /** `plain`: 40 of [a-zA-Z0-9_-]. `nine`: exactly nine of [a-zA-Z0-9]. */
  readonly callIds: "plain" | "nine"
  readonly streamUsage: boolean
  /** Takes `prompt_cache_key`. */
  readonly cacheKey: boolean
  /** Takes `cache_control` on parts, in chat completions. */
  readonly cacheMarks: boolean
  /** Takes `cache_control` on tools, in Messages. */
  readonly cacheTools: boolean
  /** A header that keeps a conversation on one machine of the vendor; empty for none. */
  readonly affinityHeader: string
  readonly toolResultName: boolean
  /** No user message may follow a result directly. */
  readonly assistantAfterTool: boolean
  /** Long arguments are silent unless `tool_stream` is asked for. */
  readonly toolStream: boolean
  /** `completion_tokens` leaves reasoning out. */
  readonly outputExcludesReasoning: boolean
  /** A 400 or 413 with no body is a context overflow. */
  readonly bareOverflow: boolean
  /** Further fields of the body. */
  readonly body: JsonObject
  /** Messages: `bearer` and the SDK's version of the API, or `x-api-key` and the version that all others speak. */
  readonly auth: "bearer" | "x-api-key"
  /** Messages: thinking is `adaptive` with an effort, not a budget. */
  readonly adaptiveThinking: boolean
  /** Messages: thinking with an empty signature may be sent back. */
  readonly emptySignature: boolean
  /** Google before Gemini 3: a thinking budget and no level, no ids of calls, no pictures inside results. */
  readonly oldGemini: boolean
}

export const defaultQuirks: Quirks = {
  maxTokensField: "max_tokens",
  systemRole: "system",
  thinkingFormat: "effort",
  effort: false,
  reasoningReplay: "same",
  reasoningRequired: false,
  thinkTags: false,
  callIds: "plain",
  streamUsage: true,
  cacheKey: false,
  cacheMarks: false,
  cacheTools: true,
  affinityHeader: "",
  toolResultName: false,
  assistantAfterTool: false,
  toolStream: false,
  outputExcludesReasoning: false,
  bareOverflow: false,
  body: {},
  auth: "x-api-key",
  adaptiveThinking: false,
  emptySignature: false,
  oldGemini: false,
}

type Row = {
  readonly providers?: readonly string[]
  /** The end of the base URL's host name. */
  readonly hosts?: readonly string[]
  readonly quirks: Partial<Quirks>
}

const rows = [
  {
    providers: ["openai"],
    hosts: ["api.openai.com"],
    quirks: { maxTokensField: "max_completion_tokens", systemRole: "developer", cacheKey: true },
  },
  {
    providers: ["cerebras"],
    hosts: ["api.cerebras.ai"],
    quirks: { maxTokensField: "max_completion_tokens", reasoningReplay: "never", cacheKey: true, bareOverflow: true },
  },
  {
    providers: ["xai"],
    hosts: ["api.x.ai"],
    quirks: {
      maxTokensField: "max_completion_tokens",
      outputExcludesReasoning: true,
      affinityHeader: "x-grok-conv-id",
    },
  },
  {
    providers: ["mistral"],
    hosts: ["api.mistral.ai"],
    quirks: { callIds: "nine", toolResultName: true, assistantAfterTool: true, reasoningReplay: "never" },
  },
  { hosts: ["llm.chutes.ai"], quirks: { thinkingFormat: "chat-template", reasoningReplay: "never" } },
  {
    providers: ["deepseek"],
    hosts: ["api.deepseek.com"],
    quirks: {
      thinkingFormat: "deepseek",
      effort: true,
      reasoningReplay: "reasoning_content",
      reasoningRequired: true,
    },
  },
  {
    providers: ["groq"],
    hosts: ["api.groq.com"],
    quirks: { maxTokensField: "max_completion_tokens", reasoningReplay: "never" },
  },
  {
    providers: ["openrouter"],
    hosts: ["openrouter.ai"],
    quirks: { thinkingFormat: "openrouter", affinityHeader: "x-session-id" },
  },
  { providers: ["together"], hosts: ["api.together.ai", "api.together.xyz"], quirks: { thinkingFormat: "together" } },
  {
    providers: ["fireworks"],
    hosts: ["api.fireworks.ai"],
    quirks: { affinityHeader: "x-session-affinity", cacheTools: false, emptySignature: true },
  },
  {
    providers: ["moonshotai", "moonshotai-cn", "kimi-coding"],
    hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
    quirks: { reasoningReplay: "reasoning_content", reasoningRequired: true },
  },
  {
    providers: ["zai", "zai-coding-cn"],
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    quirks: { thinkingFormat: "zai", reasoningReplay: "reasoning_content", toolStream: true },
  },
  {
    providers: ["qwen-token-plan", "qwen-token-plan-cn", "qwen-token-plan-individual", "qwen-token-plan-individual-cn"],
    hosts: ["aliyuncs.com", "qwencloudapi.com", "qianwenaiapi.com"],
    quirks: { thinkingFormat: "qwen", reasoningReplay: "reasoning_content" },
  },
  {
    providers: ["xiaomi", "xiaomi-token-plan-cn", "xiaomi-token-plan-ams", "xiaomi-token-plan-sgp"],
    hosts: ["xiaomimimo.com"],
    quirks: { thinkingFormat: "deepseek", reasoningReplay: "reasoning_content", reasoningRequired: true },
  },
  { hosts: ["api.minimax.io", "api.minimaxi.com"], quirks: { thinkTags: true } },
  { providers: ["nvidia"], hosts: ["integrate.api.nvidia.com"], quirks: { reasoningReplay: "never" } },
  { providers: ["baseten"], hosts: ["inference.baseten.co"], quirks: { affinityHeader: "x-session-affinity" } },
  { providers: ["ant-ling"], hosts: ["api.ant-ling.com"], quirks: { thinkingFormat: "ant-ling" } },
  { providers: ["anthropic"], hosts: ["api.anthropic.com"], quirks: { auth: "bearer" } },
  { providers: ["vercel-ai-gateway"], hosts: ["ai-gateway.vercel.sh"], quirks: { emptySignature: true } },
] as const satisfies readonly Row[]

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ""
}

function matches(row: Row, provider: string, host: string): boolean {
  const byHost = row.hosts?.some((end) => host === end || host.endsWith(`.${end}`)) ?? false
  return byHost || (row.providers?.includes(provider) ?? false)
}

const choices: Readonly<Partial<Record<keyof Quirks, readonly string[]>>> = {
  maxTokensField: ["max_tokens", "max_completion_tokens"],
  systemRole: ["system", "developer"],
  thinkingFormat: thinkingFormats,
  reasoningReplay: ["same", "never", "reasoning_content"],
  callIds: ["plain", "nine"],
  auth: ["bearer", "x-api-key"],
}

function isQuirk(name: string): name is keyof Quirks {
  return Object.hasOwn(defaultQuirks, name)
}

function fits(name: keyof Quirks, value: Json | undefined): boolean {
  if (name === "body") return isObject(value)
  const allowed = choices[name]
  return typeof value === typeof defaultQuirks[name] && (allowed?.includes(String(value)) ?? true)
}

/** What is wrong with the `quirks` of a config, one sentence each. */
export function quirkProblems(quirks: JsonObject): readonly string[] {
  return Object.entries(quirks).flatMap(([name, value]) => {
    if (!isQuirk(name)) return [`there is no quirk "${name}"; known are ${Object.keys(defaultQuirks).join(", ")}`]
    if (fits(name, value)) return []
    const wanted = choices[name]?.map((choice) => `"${choice}"`).join(", ") ?? `a ${typeof defaultQuirks[name]}`
    return [`quirk "${name}" must be ${wanted}`]
  })
}

/** What holds for requests to this model. Quirks that do not fit are left out; {@link quirkProblems} names them. */
export function quirksOf(model: Pick<Model, "provider" | "baseUrl" | "quirks">): Quirks {
  const host = hostOf(model.baseUrl)
  const vendor = rows.filter((row: Row) => matches(row, model.provider, host)).map((row: Row) => row.quirks)
  const own = Object.fromEntries(
    Object.entries(model.quirks).filter(([name, value]) => isQuirk(name) && fits(name, value)),
  )
  return Object.assign({}, defaultQuirks, ...vendor, own) as Quirks
}
