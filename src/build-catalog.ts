/**
 * Makes `src/providers/catalog.json` from the model data of a published package: `bun run catalog [--from <folder of the package>]`.
 *
 * - Only what this program can talk to: chat models whose wire format it speaks, at an address that needs no account in it.
 * - The output is the same for the same package: sorted, compact, about one model a line, so that a new version reads as a diff. What many models
 *   share (levels of thinking, quirks) stands once in a table, and models hold its place.
 * - The package is fetched with npm into a temporary folder unless one is named; it is no dependency of the program.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isObject, type Json, type JsonObject } from "./std/json.ts"
import { thinkingLevels } from "./message/message.ts"

/** A version that was looked at: a newer one is a change to this line and a diff to read. */
const source = "@earendil-works/pi-ai"
const version = "1.6.0"

/** Formats of the package as ours. Mistral's own dialect is chat completions with the vendor's quirks. */
const apis: Readonly<Record<string, string>> = {
  "openai-completions": "openai-completions",
  "openai-responses": "openai-responses",
  "anthropic-messages": "anthropic-messages",
  "google-generative-ai": "google-generative-ai",
  "mistral-conversations": "openai-completions",
}

/** Name for people, and the environment variables that hold the key, first one first. The order is the order of the picker. */
const providers: Readonly<Record<string, readonly [name: string, ...keys: string[]]>> = {
  anthropic: ["Anthropic", "ANTHROPIC_API_KEY"],
  openai: ["OpenAI", "OPENAI_API_KEY"],
  google: ["Google", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  xai: ["xAI", "XAI_API_KEY"],
  deepseek: ["DeepSeek", "DEEPSEEK_API_KEY"],
  mistral: ["Mistral", "MISTRAL_API_KEY"],
  openrouter: ["OpenRouter", "OPENROUTER_API_KEY"],
  groq: ["Groq", "GROQ_API_KEY"],
  cerebras: ["Cerebras", "CEREBRAS_API_KEY"],
  moonshotai: ["Moonshot", "MOONSHOT_API_KEY"],
  "moonshotai-cn": ["Moonshot (China)", "MOONSHOT_CN_API_KEY", "MOONSHOT_API_KEY"],
  "kimi-coding": ["Kimi for coding", "KIMI_API_KEY"],
  zai: ["Z.ai", "ZAI_API_KEY", "ZHIPU_API_KEY"],
  "zai-coding-cn": ["Z.ai coding (China)", "ZAI_CODING_CN_API_KEY"],
  minimax: ["MiniMax", "MINIMAX_API_KEY"],
  "minimax-cn": ["MiniMax (China)", "MINIMAX_CN_API_KEY"],
  "qwen-token-plan": ["Qwen token plan", "QWEN_TOKEN_PLAN_TEAM_API_KEY", "QWEN_TOKEN_PLAN_API_KEY"],
  "qwen-token-plan-cn": ["Qwen token plan (China)", "QWEN_TOKEN_PLAN_TEAM_CN_API_KEY", "QWEN_TOKEN_PLAN_CN_API_KEY"],
  "qwen-token-plan-individual": ["Qwen individual plan", "QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY"],
  "qwen-token-plan-individual-cn": ["Qwen individual plan (China)", "QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY"],
  xiaomi: ["Xiaomi", "XIAOMI_API_KEY"],
  "xiaomi-token-plan-cn": ["Xiaomi token plan (China)", "XIAOMI_TOKEN_PLAN_CN_API_KEY"],
  "xiaomi-token-plan-ams": ["Xiaomi token plan (Amsterdam)", "XIAOMI_TOKEN_PLAN_AMS_API_KEY"],
  "xiaomi-token-plan-sgp": ["Xiaomi token plan (Singapore)", "XIAOMI_TOKEN_PLAN_SGP_API_KEY"],
  meta: ["Meta", "META_API_KEY"],
  together: ["Together", "TOGETHER_API_KEY"],
  fireworks: ["Fireworks", "FIREWORKS_API_KEY"],
  baseten: ["Baseten", "BASETEN_API_KEY"],
  huggingface: ["Hugging Face", "HF_TOKEN"],
  nvidia: ["NVIDIA", "NVIDIA_API_KEY"],
  "ant-ling": ["Ant Ling", "ANT_LING_API_KEY"],
  opencode: ["OpenCode Zen", "OPENCODE_API_KEY"],
  "opencode-go": ["OpenCode Go", "OPENCODE_API_KEY"],
  "vercel-ai-gateway": ["Vercel AI Gateway", "AI_GATEWAY_API_KEY"],
  "github-copilot": ["GitHub Copilot", "COPILOT_GITHUB_TOKEN"],
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function number(value: Json | undefined): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0
}

/** "off low high=max": the levels that a model takes; `=word` where the vendor's word is another. */
function thinkingText(model: JsonObject): string {
  if (model.reasoning !== true) return ""
  const map = object(model.thinkingLevelMap)
  // Its budget has a least, and the package does not say so.
  const alwaysThinks = String(model.id).includes("gemini-2.5-pro")
  return thinkingLevels
    .flatMap((level) => {
      const word = alwaysThinks && level === "off" ? null : map[level]
      if (word === null) return []
      if (word === undefined) return level === "xhigh" || level === "max" ? [] : [level]
      return level === word && level !== "off" ? [level] : [`${level}=${String(word)}`]
    })
    .join(" ")
}

/** From this generation on thinking is bound to what came before it, and the vendor's own host can be told what to do about it. */
const boundThinking = /^claude-[a-z]+-(5-[1-9]|[6-9])/

const formats = new Set(["deepseek", "together", "zai", "qwen", "openrouter", "baseten", "ant-ling"])

/** What the package says of a model's dialect, as our quirks. What a vendor's row in `quirks.ts` says already is harmless twice. */
function quirksOf(model: JsonObject, provider: string): JsonObject {
  const compat = object(model.compat)
  const format = String(compat.thinkingFormat ?? "")
  const anthropicBehindRouter = provider === "openrouter" && compat.cacheControlFormat === "anthropic"
  const named: readonly (readonly [boolean, JsonObject])[] = [
    [formats.has(format), { thinkingFormat: format }],
    [format === "openai", { thinkingFormat: "effort" }],
    [compat.supportsReasoningEffort === true && formats.has(format), { effort: true }],
    [compat.supportsReasoningEffort === false && !formats.has(format), { thinkingFormat: "none" }],
    [compat.requiresReasoningContentOnAssistantMessages === true, { reasoningRequired: true }],
    [compat.forceAdaptiveThinking === true, { adaptiveThinking: true }],
    [provider === "anthropic" && boundThinking.test(String(model.id)), { boundThinking: true }],
    [compat.allowEmptySignature === true, { emptySignature: true }],
    [compat.supportsCacheControlOnTools === false, { cacheTools: false }],
    [model.api === "google-generative-ai" && /gemini-[12]/.test(String(model.id)), { oldGemini: true }],
    [anthropicBehindRouter, { cacheMarks: true }],
  ]
  return Object.assign({}, ...named.flatMap(([holds, quirks]) => (holds ? [quirks] : []))) as JsonObject
}

function priceOf(model: JsonObject): readonly Json[] | undefined {
  const cost = object(model.cost)
  const four = (price: JsonObject): number[] =>
    [price.input, price.output, price.cacheRead, price.cacheWrite].map(number)
  const base = four(cost)
  if (base.every((price) => price === 0)) return undefined
  const tiers = Array.isArray(cost.tiers) ? (cost.tiers as readonly Json[]).map(object) : []
  return [...base, ...tiers.map((tier) => [number(tier.inputTokensAbove ?? tier.above), ...four(tier)])]
}

/** Values that stand once, each by its place. */
class Table {
  readonly values: Json[] = []
  readonly #places = new Map<string, number>()

  placeOf(value: Json): number {
    const text = JSON.stringify(value)
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.values.length)
    return this.values.push(value) - 1
  }
}

const thinkingTable = new Table()
const moreTable = new Table()
// The first place of both is what most models have: nothing.
thinkingTable.placeOf("")
moreTable.placeOf({})

/** One model: `[name, window, output, sees pictures, thinking, more, price]`; `more` is what differs from the provider's own. */
function entryOf(model: JsonObject, provider: string, base: { api: string; url: string }): readonly Json[] {
  const api = apis[String(model.api)] ?? ""
  const quirks = quirksOf(model, provider)
  const url = urlOf(model)
  const more: JsonObject = {
    ...(api === base.api ? {} : { api }),
    ...(url === base.url ? {} : { url }),
    ...(Object.keys(quirks).length === 0 ? {} : { quirks }),
    ...(isObject(model.headers) ? { headers: model.headers } : {}),
  }
  const pictures = Array.isArray(model.input) && model.input.includes("image") ? 1 : 0
  return [
    String(model.name ?? model.id),
    number(model.contextWindow),
    number(model.maxTokens),
    pictures,
    thinkingTable.placeOf(thinkingText(model)),
    moreTable.placeOf(more),
    priceOf(model) ?? 0,
  ]
}

function urlOf(model: JsonObject): string {
  const url = String(model.baseUrl ?? "")
  return model.api === "mistral-conversations" ? `${url}/v1` : url
}

/** Offers that answer hours later. */
const batchOnly = /[:-]batch$/

function chatModels(file: string): readonly JsonObject[] {
  const data = JSON.parse(readFileSync(file, "utf8")) as JsonObject
  return Object.values(data)
    .flatMap((group) => Object.values(object(group)).map(object))
    .filter(
      (model) =>
        model.type === "chat" &&
        !batchOnly.test(String(model.id)) &&
        apis[String(model.api)] !== undefined &&
        !urlOf(model).includes("{"),
    )
    .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
}

function mostCommon(values: readonly string[]): string {
  const counts = Map.groupBy(values, (value) => value)
  return [...counts.entries()].sort((a, b) => b[1].length - a[1].length)[0]?.[0] ?? ""
}

function providerOf(folder: string, id: string): JsonObject {
  const [name = id, ...keys] = providers[id] ?? []
  const models = chatModels(join(folder, "dist/providers/data", `${id}.json`))
  const api = mostCommon(models.map((model) => apis[String(model.api)] ?? ""))
  const url = mostCommon(models.map(urlOf))
  const entries = models.map((model) => [String(model.id), entryOf(model, id, { api, url })] as const)
  return { name, keys, api, url, models: Object.fromEntries(entries) }
}

function fetchPackage(folder: string): string {
  const pack = Bun.spawnSync(["npm", "pack", `${source}@${version}`, "--silent"], { cwd: folder })
  const file = pack.stdout.toString().trim().split("\n").at(-1) ?? ""
  const unpack = Bun.spawnSync(["tar", "xzf", file], { cwd: folder })
  if (pack.exitCode !== 0 || unpack.exitCode !== 0)
    throw new Error(`npm could not fetch ${source} ${version}; see above, or name a folder with --from`)
  return join(folder, "package")
}

function main(): void {
  const at = process.argv.indexOf("--from")
  const scratch = mkdtempSync(join(tmpdir(), "cairn-catalog-"))
  try {
    const folder = (at < 0 ? undefined : process.argv[at + 1]) ?? fetchPackage(scratch)
    const packed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as JsonObject
    const manifest = JSON.parse(readFileSync(join(folder, "dist/providers/data/.manifest.json"), "utf8")) as JsonObject
    const known = new Set(readdirSync(join(folder, "dist/providers/data")))
    const missing = Object.keys(providers).filter((id) => !known.has(`${id}.json`))
    if (missing.length > 0)
      throw new Error(`${source} has no data for ${missing.join(", ")}: take them out of the table, or rename them`)
    const about = {
      source,
      version: packed.version,
      license: packed.license,
      date: String(manifest.generatedAt).slice(0, 10),
    }
    const all = Object.fromEntries(Object.keys(providers).map((id) => [id, providerOf(folder, id)]))
    const catalog = { about, thinking: thinkingTable.values, more: moreTable.values, providers: all }
    const path = fileURLToPath(new URL("providers/catalog.json", import.meta.url))
    writeFileSync(path, JSON.stringify(catalog))
    Bun.spawnSync(["bun", "prettier", "--write", "--log-level", "warn", path], { stderr: "inherit" })
    const count = Object.values(all).reduce((sum, provider) => sum + Object.keys(object(provider.models)).length, 0)
    console.log(`${Object.keys(all).length} providers, ${count} models, ${statSync(path).size} bytes`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) main()
