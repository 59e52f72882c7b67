/**
 * The vendors' rows: how each bends the wire formats. The only place that knows a vendor by name.
 *
 * - A row is matched by the host of the base URL, else by provider, and holds only what differs from the defaults, which are what every host
 *   takes (`quirks.ts`). A row without `providers` is of its hosts alone: the many servers that go by such a name take less than they do.
 * - Each row says where it is known from: a vendor's documentation, the typings of its SDK, model data of pi-ai 1.6, or a public issue in which
 *   the vendor's answer can be read. Threads tell of some version of a server: what a row allows is tested against a strict fake of it.
 */
import type { ApiName } from "./provider.ts"
import type { Quirks } from "./quirks.ts"

export type Row = {
  readonly providers?: readonly string[]
  /** The end of the base URL's host name. */
  readonly hosts?: readonly string[]
  /** The hosts are this machine: anything may be behind them. */
  readonly local?: true
  /** The formats that the row is about; left out: all. */
  readonly apis?: readonly ApiName[]
  readonly quirks: Partial<Quirks>
}

const local = ["127.0.0.1", "localhost", "[::1]"]

export const rows = [
  // Typings of openai 7.59: `developer`, `max_completion_tokens`, `prompt_cache_key`. pi-ai sends `developer` to this host alone, and so it is
  // here: an entry named `openai` with the address of something compatible gets what every host takes.
  {
    hosts: ["api.openai.com"],
    quirks: { maxTokensField: "max_completion_tokens", systemRole: "developer", cacheKey: true },
  },
  // Typings of @anthropic-ai/sdk 1.14: bearer keys. Hosts that only speak the format, and gateways, want `x-api-key` and the older version.
  { hosts: ["api.anthropic.com"], quirks: { auth: "bearer" } },
  // Calls in the history want `tools`, here and behind whatever stands before it.
  { providers: ["anthropic"], hosts: ["api.anthropic.com"], quirks: { toolsForCalls: true } },
  // QwenLM/qwen-code#11045: gives `reasoning`, takes `reasoning`, answers `reasoning_content` with a 400, sometimes without a body.
  {
    providers: ["cerebras"],
    hosts: ["api.cerebras.ai"],
    quirks: {
      maxTokensField: "max_completion_tokens",
      reasoningReplay: "reasoning",
      cacheKey: true,
      bareOverflow: true,
    },
  },
  // A recorded answer counts 307 + 26 + 227 = 560 tokens: the completion leaves reasoning out. The header is named in xAI's documentation.
  {
    providers: ["xai"],
    hosts: ["api.x.ai"],
    quirks: {
      maxTokensField: "max_completion_tokens",
      outputExcludesReasoning: true,
      affinityHeader: "x-grok-conv-id",
    },
  },
  // The same page of xAI's documentation: in responses the body's key does what the header does in chat completions.
  { providers: ["xai"], hosts: ["api.x.ai"], apis: ["openai-responses"], quirks: { cacheKey: true } },
  // openclaw/openclaw#57672 (ids, code 3280), charmbracelet/crush#279 (order, code 3230) and #1590 (`reasoning_content`),
  // dnakov/anon-kode#53 (`stream_options`; counts come unasked). Reasoning comes and goes as parts of the content.
  {
    providers: ["mistral"],
    hosts: ["api.mistral.ai"],
    quirks: {
      callIds: "nine",
      toolResultName: true,
      assistantAfterTool: true,
      reasoningReplay: "parts",
      streamUsage: false,
    },
  },
  // A relay of vLLM and SGLang: their templates are switched by arguments.
  {
    providers: ["chutes"],
    hosts: ["llm.chutes.ai"],
    quirks: { thinkingFormat: "chat-template", reasoningReplay: "never" },
  },
  // earendil-works/pi#3636: in thinking mode every message of the assistant must bear `reasoning_content`.
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
  // janhq/jan#8136 (`reasoning_content` refused), musistudio/llms#64 (`reasoning` too). Unasked, some models leave `<think>` in the text.
  {
    providers: ["groq"],
    hosts: ["api.groq.com"],
    quirks: { maxTokensField: "max_completion_tokens", reasoningReplay: "never", thinkTags: true },
  },
  // OpenRouter's documentation of reasoning: an object asks for it, and `reasoning_details` go back as they came.
  {
    providers: ["openrouter"],
    hosts: ["openrouter.ai"],
    quirks: { thinkingFormat: "openrouter", affinityHeader: "x-session-id" },
  },
  // pi-ai's data: a switch of its own; some open models leave `<think>` in the text.
  {
    providers: ["together"],
    hosts: ["api.together.ai", "api.together.xyz"],
    quirks: { thinkingFormat: "together", thinkTags: true },
  },
  // pi-ai's data: no `cache_control` on tools, empty signatures are taken, a header keeps a conversation where its cache is.
  {
    providers: ["fireworks"],
    hosts: ["api.fireworks.ai"],
    quirks: { affinityHeader: "x-session-affinity", cacheTools: false, emptySignature: true },
  },
  // mastra-ai/mastra#12592: "thinking is enabled but reasoning_content is missing in assistant tool call message".
  {
    providers: ["moonshotai", "moonshotai-cn", "kimi-coding"],
    hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
    quirks: { reasoningReplay: "reasoning_content", reasoningRequired: true },
  },
  // NousResearch/hermes-agent#12758: without `tool_stream` long arguments are silent until the host's own limit of 30 s cuts them.
  {
    providers: ["zai", "zai-coding-cn"],
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    quirks: { thinkingFormat: "zai", reasoningReplay: "reasoning_content", toolStream: true },
  },
  // pi-ai's data: `enable_thinking`.
  {
    providers: ["qwen-token-plan", "qwen-token-plan-cn", "qwen-token-plan-individual", "qwen-token-plan-individual-cn"],
    hosts: ["aliyuncs.com", "qwencloudapi.com", "qianwenaiapi.com"],
    quirks: { thinkingFormat: "qwen", reasoningReplay: "reasoning_content" },
  },
  // pi-ai's data: as DeepSeek.
  {
    providers: ["xiaomi", "xiaomi-token-plan-cn", "xiaomi-token-plan-ams", "xiaomi-token-plan-sgp"],
    hosts: ["xiaomimimo.com"],
    quirks: { thinkingFormat: "deepseek", reasoningReplay: "reasoning_content", reasoningRequired: true },
  },
  // MiniMax's documentation: asked to split, it gives `reasoning_details`, which must go back; else `<think>` stands in the text.
  {
    providers: ["minimax", "minimax-cn"],
    hosts: ["api.minimax.io", "api.minimaxi.com"],
    apis: ["openai-completions"],
    quirks: { thinkTags: true, thinkingFormat: "none", body: { reasoning_split: true } },
  },
  // NousResearch/hermes-agent#20154 (order with Mistral's models); pi-ai's data for the rest.
  {
    providers: ["nvidia"],
    hosts: ["integrate.api.nvidia.com"],
    quirks: { reasoningReplay: "never", thinkTags: true, assistantAfterTool: true },
  },
  // pi-ai's data.
  { providers: ["baseten"], hosts: ["inference.baseten.co"], quirks: { affinityHeader: "x-session-affinity" } },
  // pi-ai's data.
  { providers: ["ant-ling"], hosts: ["api.ant-ling.com"], quirks: { thinkingFormat: "ant-ling" } },
  // pi-ai's data: signatures may be empty.
  { providers: ["vercel-ai-gateway"], hosts: ["ai-gateway.vercel.sh"], quirks: { emptySignature: true } },
  // anomalyco/opencode#8900: `reasoning_opaque` goes back with `reasoning_text`. Who began a request and whether it holds pictures is said
  // in headers, as microsoft/vscode-copilot-chat does; keys are bearer tokens in every format.
  {
    providers: ["github-copilot"],
    hosts: ["githubcopilot.com"],
    quirks: { auth: "bearer", requestHeaders: "copilot", cacheTools: false },
  },
  // ollama/ollama#15457 is what the joining of calls is about; older versions leave `<think>` in the text, and so do the others without a parser.
  {
    providers: ["ollama", "lmstudio", "llamacpp", "vllm", "sglang"],
    hosts: local,
    local: true,
    apis: ["openai-completions"],
    quirks: { thinkTags: true },
  },
  // LiteLLM's documentation: calls in the history want `tools`.
  { providers: ["litellm"], quirks: { toolsForCalls: true } },
] as const satisfies readonly Row[]
