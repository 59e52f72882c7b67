import { expect, test } from "bun:test"
import { localServers, type KnownProvider } from "../../src/providers/catalog.ts"
import { findLocalModels, localWindow } from "../../src/providers/discover.ts"
import { createProviders } from "../../src/providers/registry.ts"
import type { Json } from "../../src/std/json.ts"
import { startModelServer } from "../support/model-server.ts"

/** A server that answers these paths, and writes down what it was asked. */
type Fake = { readonly server: KnownProvider; readonly asked: string[]; stop(): Promise<void> }

function fakeOf(id: string, paths: Readonly<Record<string, Json>>): Fake {
  const asked: string[] = []
  const http = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(`${request.method} ${pathname}`)
      const answer = paths[pathname]
      return answer === undefined ? new Response("no such path", { status: 404 }) : Response.json(answer)
    },
  })
  const base = localServers.find((server) => server.id === id)
  if (base === undefined) throw new Error(`there is no local server ${id}`)
  return { server: { ...base, baseUrl: `http://127.0.0.1:${http.port}/v1` }, asked, stop: () => http.stop(true) }
}

const listed = { object: "list", data: [{ id: "qwen", object: "model" }] }

const kinds: readonly [string, string, Readonly<Record<string, Json>>, number | undefined][] = [
  [
    "Ollama with a model that runs",
    "ollama",
    { "/api/ps": { models: [{ name: "qwen", context_length: 16_384 }] } },
    16_384,
  ],
  [
    "Ollama with a model whose file says it",
    "ollama",
    { "/api/show": { parameters: "stop   x\nnum_ctx   8192\n", model_info: { "qwen3.context_length": 262_144 } } },
    8_192,
  ],
  [
    "Ollama with a model that was made for more than it may run with",
    "ollama",
    { "/api/show": { model_info: { "qwen3.context_length": 262_144 } } },
    undefined,
  ],
  [
    "Ollama with a model that was made for less",
    "ollama",
    { "/api/show": { model_info: { "gpt2.context_length": 1_024 } } },
    1_024,
  ],
  [
    "LM Studio with a model that is loaded",
    "lmstudio",
    { "/api/v0/models": { data: [{ id: "qwen", max_context_length: 131_072, loaded_context_length: 32_768 }] } },
    32_768,
  ],
  [
    "LM Studio with one that is not",
    "lmstudio",
    { "/api/v0/models": { data: [{ id: "qwen", max_context_length: 131_072 }] } },
    131_072,
  ],
  ["llama.cpp", "llamacpp", { "/props": { default_generation_settings: { n_ctx: 12_288 } } }, 12_288],
  ["vLLM", "vllm", { "/v1/models": { data: [{ id: "qwen", max_model_len: 40_960 }] } }, 40_960],
  ["a server that tells nothing", "llamacpp", {}, undefined],
  [
    "a server that tells nonsense",
    "llamacpp",
    { "/props": { default_generation_settings: { n_ctx: "many" } } },
    undefined,
  ],
]

test.each(kinds)("%s: the window is what it runs with", async (_, id, paths, contextWindow) => {
  const fake = fakeOf(id, { "/v1/models": listed, ...paths })
  const [found] = await findLocalModels(5_000, [fake.server])
  expect(found).toMatchObject({ provider: id, id: "qwen" })
  expect(found?.contextWindow).toBe(contextWindow)
  // Of whatever kind it is said to be.
  expect(await localWindow(fake.server.baseUrl, "qwen", 5_000)).toBe(contextWindow)
  expect(await localWindow(fake.server.baseUrl, "other", 5_000)).toBeUndefined()
  await fake.stop()
})

test("the models of servers that answer are found, whoever else does not", async () => {
  const server = await startModelServer({ models: ["a", "b"] })
  const [base] = localServers
  if (base === undefined) throw new Error("there are no local servers")
  const servers = [
    { ...base, id: "gone", baseUrl: "http://127.0.0.1:9/v1" },
    { ...base, id: "other", baseUrl: `${server.url}/nothing/here` },
    { ...base, baseUrl: server.completionsUrl },
  ]
  const found = await findLocalModels(5_000, servers)
  await server.stop()
  expect(found.filter(({ provider }) => provider === "ollama")).toEqual([
    { provider: "ollama", id: "a", label: "a on Ollama" },
    { provider: "ollama", id: "b", label: "b on Ollama" },
  ])
  expect(found.some(({ provider }) => provider === "gone")).toBe(false)
})

test("models that were found are listed as ready, with their windows, and found by name; an unknown one is used as named", async () => {
  const fake = fakeOf("vllm", { "/v1/models": { data: [{ id: "org/qwen", max_model_len: 40_960 }] } })
  const providers = createProviders({ providers: {}, keys: () => undefined, localServers: [fake.server] })
  expect(providers.list().some(({ model }) => model.provider === "vllm")).toBe(false)
  await providers.findLocal()
  const known = { provider: "vllm", id: "org/qwen", contextWindow: 40_960, baseUrl: fake.server.baseUrl }
  expect(providers.list().filter(({ model }) => model.provider === "vllm")).toMatchObject([
    { model: known, ready: true },
  ])
  expect(providers.resolve("vllm/org/qwen")).toMatchObject({ model: known })
  expect(providers.resolve("org/qwen")).toMatchObject({ model: known })
  expect(providers.resolve("vllm/other")).toMatchObject({ model: { id: "other", guessed: true } })
  await fake.stop()
  await providers.findLocal()
  expect(providers.list().some(({ model }) => model.provider === "vllm")).toBe(false)
})

test("a model of the config whose window nobody named has its server's from its first request on, asked once", async () => {
  const fake = fakeOf("llamacpp", {
    "/v1/models": listed,
    "/props": { default_generation_settings: { n_ctx: 12_288 } },
  })
  const config = {
    local: { baseUrl: fake.server.baseUrl, models: [{ id: "qwen" }, { id: "named", contextWindow: 9_000 }] },
  }
  const providers = createProviders({ providers: config, keys: () => undefined })
  const windowOf = (name: string): number | undefined => {
    const resolved = providers.resolve(name)
    if (!("model" in resolved)) throw new Error(resolved.problem)
    return resolved.model.contextWindow
  }
  const first = providers.resolve("local/qwen")
  if (!("model" in first)) throw new Error(first.problem)
  expect(first.model.contextWindow).toBeUndefined()
  await Promise.all([providers.apiOf(first.model), providers.apiOf(first.model)])
  expect(windowOf("local/qwen")).toBe(12_288)
  expect(windowOf("local/named")).toBe(9_000)
  expect(fake.asked.filter((path) => path === "GET /props").length).toBe(1)
  await fake.stop()
})

test("a server that tells only of what it has loaded is asked again, and not for ever", async () => {
  const loaded = { "/v1/models": listed, "/api/ps": { models: [] as Json } }
  const fake = fakeOf("ollama", loaded)
  const config = { local: { baseUrl: fake.server.baseUrl, models: [{ id: "qwen" }] } }
  const windowAfter = async (requests: number): Promise<number | undefined> => {
    const providers = createProviders({ providers: config, keys: () => undefined })
    const wanted = (): ReturnType<typeof providers.resolve> => providers.resolve("local/qwen")
    for (let n = 0; n < requests; n++) {
      const found = wanted()
      if ("model" in found) await providers.apiOf(found.model)
      if (n === 0) loaded["/api/ps"] = { models: [{ name: "qwen", context_length: 4_096 }] }
    }
    const found = wanted()
    return "model" in found ? found.model.contextWindow : undefined
  }
  expect(await windowAfter(2)).toBe(4_096)
  loaded["/api/ps"] = { models: [] }
  fake.asked.length = 0
  const silent = createProviders({ providers: config, keys: () => undefined })
  for (let n = 0; n < 9; n++) {
    const found = silent.resolve("local/qwen")
    if ("model" in found) await silent.apiOf(found.model)
  }
  expect(fake.asked.filter((path) => path === "GET /api/ps").length).toBe(3)
  await fake.stop()
})

test("the usual ports are known: Ollama, LM Studio, llama.cpp, vLLM", () => {
  expect(localServers.map(({ id, baseUrl, keys }) => [id, new URL(baseUrl).port, keys.length])).toEqual([
    ["ollama", "11434", 0],
    ["lmstudio", "1234", 0],
    ["llamacpp", "8080", 0],
    ["vllm", "8000", 0],
  ])
})
