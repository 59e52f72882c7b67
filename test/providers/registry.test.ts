import { expect, test } from "bun:test"
import type { ProvidersConfig } from "../../src/providers/config.ts"
import { modelName } from "../../src/providers/model.ts"
import { preferred } from "../../src/providers/preferred.ts"
import { findModel } from "../../src/providers/catalog.ts"
import { createProviders } from "../../src/providers/registry.ts"
import type { Providers } from "../../src/providers/config.ts"
import type { Model } from "../../src/providers/model.ts"

function registry(providers: ProvidersConfig = {}, ...ready: readonly string[]): Providers {
  return createProviders({ providers, keys: (provider) => (ready.includes(provider) ? "k" : undefined) })
}

function found(providers: Providers, name: string): Model {
  const resolved = providers.resolve(name)
  if (!("model" in resolved)) throw new Error(resolved.problem)
  return resolved.model
}

const local: ProvidersConfig = {
  local: {
    api: "openai-completions",
    baseUrl: "http://127.0.0.1:8080/v1",
    headers: { "x-a": "1" },
    models: [{ id: "qwen3-coder", contextWindow: 131_072, maxTokens: 8_192, headers: { "x-b": "2" } }],
  },
}

test("the smallest config that works with a local server is enough", () => {
  expect(found(registry(local), "local/qwen3-coder")).toEqual({
    provider: "local",
    id: "qwen3-coder",
    name: "qwen3-coder",
    api: "openai-completions",
    baseUrl: "http://127.0.0.1:8080/v1",
    contextWindow: 131_072,
    maxTokens: 8_192,
    thinking: {},
    input: ["text"],
    quirks: {},
    headers: { "x-a": "1", "x-b": "2" },
    edits: "replace",
  })
})

test("what the config says of a known model changes those fields alone", () => {
  const config: ProvidersConfig = {
    deepseek: {
      baseUrl: "https://proxy.test",
      models: [{ id: "deepseek-flash", maxTokens: 5, thinking: { max: null }, edits: "whole" }],
    },
  }
  const known = findModel("deepseek", "deepseek-flash")
  const changed = found(registry(config), "deepseek/deepseek-flash")
  expect(known).toBeDefined()
  const { max: _, ...thinking } = known?.thinking ?? {}
  expect<unknown>(changed).toEqual({ ...known, baseUrl: "https://proxy.test", maxTokens: 5, thinking, edits: "whole" })
  expect(found(registry(config), "deepseek/deepseek-v4-pro").baseUrl).toBe("https://proxy.test")
})

test("a cost without cache prices has a tenth for a read and the input's for a write", () => {
  const config: ProvidersConfig = { local: { ...local.local, models: [{ id: "m", cost: { input: 2, output: 4 } }] } }
  expect(found(registry(config), "local/m").cost).toEqual({ input: 2, output: 4, cacheRead: 0.2, cacheWrite: 2 })
})

test("a model that reasons takes the usual levels, or those that the config names", () => {
  const models = [
    { id: "a", reasoning: true },
    { id: "b", thinking: { high: "deep" } },
    { id: "c", reasoning: false },
  ]
  const providers = registry({ local: { ...local.local, models } })
  expect(Object.keys(found(providers, "local/a").thinking)).toEqual(["off", "minimal", "low", "medium", "high"])
  expect(found(providers, "local/b").thinking.high).toBe("deep")
  expect(found(providers, "local/c").thinking).toEqual({})
})

test("an unknown id at a known provider is a guess, with a notice and the nearest name", () => {
  const resolved = registry({}, "deepseek").resolve("deepseek/deepseek-flahs")
  expect(resolved).toMatchObject({ model: { guessed: true, baseUrl: "https://api.deepseek.com" } })
  expect("notice" in resolved ? resolved.notice : "").toContain("deepseek/deepseek-flash?")
  expect(registry().resolve("ollama/anything")).toEqual({ model: expect.objectContaining({ id: "anything" }) })
})

test("an id with slashes keeps them, and a router's own name for a model is found", () => {
  expect(found(registry({}, "openrouter"), "openrouter/anthropic/claude-sonnet-5.5").id).toBe(
    "anthropic/claude-sonnet-5.5",
  )
  expect(found(registry({}, "openrouter"), "anthropic/claude-sonnet-5.5").provider).toBe("openrouter")
})

test("a bare id is taken where one ready provider has it", () => {
  expect(found(registry({}, "anthropic"), "claude-sonnet-5-5").provider).toBe("anthropic")
  expect(registry({}, "anthropic", "opencode").resolve("claude-sonnet-5-5")).toMatchObject({
    problem: expect.stringContaining("say which"),
    near: ["anthropic/claude-sonnet-5-5", "opencode/claude-sonnet-5-5"],
  })
})

const problems: readonly [string, string, readonly string[]][] = [
  ["nope/x", 'There is no provider "nope"', []],
  ["claude-sonet-5-5", 'There is no model "claude-sonet-5-5"', ["anthropic/claude-sonnet-5-5"]],
  ["local/", "names no model", ["local/qwen3-coder"]],
  ["bare/x", "has no baseUrl", []],
  ["tour/other", 'The tour has one model, "tour/guide"', ["tour/guide"]],
]

test.each([...problems])("%s is a problem that says: %s", (name, sentence, near) => {
  const resolved = registry({ ...local, bare: {} }).resolve(name)
  expect(resolved).toMatchObject({ problem: expect.stringContaining(sentence) })
  expect("near" in resolved ? resolved.near : []).toEqual(expect.arrayContaining([...near]))
})

test("names like those of every object are no providers and no models", () => {
  for (const name of ["constructor/x", "toString", "__proto__/x", "anthropic/constructor", ""]) {
    const resolved = registry().resolve(name)
    expect("problem" in resolved || resolved.model.guessed === true).toBe(true)
  }
})

test("what is listed can be resolved, and the config's come first", () => {
  const providers = registry(local, "deepseek")
  const all = providers.list()
  expect(all[0]?.model.provider).toBe("local")
  expect(all.filter(({ ready }) => ready).map(({ model }) => model.provider)).toEqual([
    "local",
    "deepseek",
    "deepseek",
    "tour",
  ])
  for (const { model } of all) expect(found(providers, modelName(model))).toEqual(model)
})

test("with a key and no word of the person there is a model; with nothing there is none", () => {
  expect(registry().defaultModel()).toBeUndefined()
  for (const [provider, [first]] of preferred) {
    const model = registry({}, provider).defaultModel()
    expect(model && modelName(model)).toBe(`${provider}/${first}`)
  }
  expect(registry({}, "nvidia").defaultModel()?.provider).toBe("nvidia")
  expect(registry(local, "anthropic").defaultModel()?.provider).toBe("local")
})

test("a server of the person's needs no key, unless one has to log in there", () => {
  const ready = (needsLogin: boolean): boolean | undefined =>
    createProviders({ providers: local, keys: () => undefined, needsLogin: () => needsLogin }).list()[0]?.ready
  expect([ready(false), ready(true)]).toEqual([true, false])
})

test("every preferred model is in the catalog", () => {
  const missing = preferred.flatMap(([provider, ids]) => ids.filter((id) => findModel(provider, id) === undefined))
  expect(missing).toEqual([])
})

test("every wire format of the catalog loads, each once", async () => {
  const providers = registry()
  const names = new Map(providers.list().map(({ model }) => [model.api, model]))
  for (const [name, model] of names) {
    const api = await providers.apiOf(model)
    expect(api.name).toBe(name)
    expect(await providers.apiOf(model)).toBe(api)
  }
})
