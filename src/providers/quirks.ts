/**
 * How a wire format can be bent, and what holds for one model.
 *
 * - The defaults are what every host takes. A row of `vendors.ts` loosens or bends them for one vendor.
 * - Later rules over earlier: defaults, rows in order, the model's own `quirks` (from the catalog or the person's config).
 * - Where the address and the name of a provider disagree, the address rules.
 */
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import type { Model } from "./model.ts"
import { rows, type Row } from "./vendors.ts"

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

const cacheTtls = ["5m", "1h"] as const
const replays = ["same", "never", "reasoning_content", "reasoning", "parts"] as const

export type Quirks = {
  /** The field of chat completions that limits the output. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens"
  readonly systemRole: "system" | "developer"
  /** How thinking is asked for: `effort` is a top-level `reasoning_effort`; the others are fields of their vendor. */
  readonly thinkingFormat: (typeof thinkingFormats)[number]
  /** Send `reasoning_effort` beside the vendor's own field. */
  readonly effort: boolean
  /** Reasoning of earlier turns goes back: in the field that it came in, never, in a field of this name, or as parts of the content. */
  readonly reasoningReplay: (typeof replays)[number]
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
  /** Messages: how long the vendor is asked to keep what is marked. An hour costs more to write; it pays where turns are far apart. */
  readonly cacheTtl: (typeof cacheTtls)[number]
  /** A header that keeps a conversation on one machine of the vendor; empty for none. */
  readonly affinityHeader: string
  readonly toolResultName: boolean
  /** No user message may follow a result directly. */
  readonly assistantAfterTool: boolean
  /** A history with calls wants `tools`, also where none are on offer. */
  readonly toolsForCalls: boolean
  /** Headers that say of each request who began it, as this vendor's own clients do. */
  readonly requestHeaders: "none" | "copilot"
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
  /** Messages: thinking is bound to all that came before it, and the vendor can be told to drop what no longer fits. */
  readonly boundThinking: boolean
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
  cacheTtl: "5m",
  affinityHeader: "",
  toolResultName: false,
  assistantAfterTool: false,
  toolsForCalls: false,
  requestHeaders: "none",
  toolStream: false,
  outputExcludesReasoning: false,
  bareOverflow: false,
  body: {},
  auth: "x-api-key",
  adaptiveThinking: false,
  boundThinking: false,
  emptySignature: false,
  oldGemini: false,
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ""
}

function hasHost(row: Row, host: string): boolean {
  return row.hosts?.some((end) => host === end || host.endsWith(`.${end}`)) ?? false
}

/**
 * The rows that are about a model. The address rules over the name: an entry that is named after one vendor and goes to another's host gets the
 * row of that host alone. A host that nobody knows (a proxy, this machine) says nothing about who is behind it, so that the name counts.
 */
function rowsFor({ provider, api }: Pick<Model, "provider" | "api">, host: string): readonly Row[] {
  const all: readonly Row[] = rows
  const elsewhere = all.some((row) => row.local !== true && hasHost(row, host))
  return all
    .filter((row) => row.apis?.includes(api) ?? true)
    .filter((row) => hasHost(row, host) || (!elsewhere && (row.providers?.includes(provider) ?? false)))
}

const choices: Readonly<Partial<Record<keyof Quirks, readonly string[]>>> = {
  maxTokensField: ["max_tokens", "max_completion_tokens"],
  systemRole: ["system", "developer"],
  thinkingFormat: thinkingFormats,
  reasoningReplay: replays,
  requestHeaders: ["none", "copilot"],
  callIds: ["plain", "nine"],
  cacheTtl: cacheTtls,
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
export function quirksOf(model: Pick<Model, "provider" | "api" | "baseUrl" | "quirks">): Quirks {
  const host = hostOf(model.baseUrl)
  const vendor = rowsFor(model, host).map((row) => row.quirks)
  const own = Object.fromEntries(
    Object.entries(model.quirks).filter(([name, value]) => isQuirk(name) && fits(name, value)),
  )
  return Object.assign({}, defaultQuirks, ...vendor, own) as Quirks
}
