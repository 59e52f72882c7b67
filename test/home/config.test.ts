import { describe, expect, test } from "bun:test"
import { knownWords } from "../../src/home/config-check.ts"
import { settings } from "../../src/home/config-schema.ts"
import {
  configSchema,
  environmentLayers,
  explain,
  leaves,
  masked,
  mergeLayers,
  readConfig,
  untrusted,
  variableOf,
  type Layer,
} from "../../src/home/config.ts"
import { durationMs } from "../../src/home/duration.ts"
import { printProblem } from "../../src/home/problem.ts"
import { isObject, type JsonObject } from "../../src/std/json.ts"
import { decoder } from "../../src/std/schema.ts"

function told(text: string): string {
  const read = readConfig({ file: "c.json", text })
  return (read.ok ? read.notices : read.problems).map(printProblem).join("\n")
}

const layer = (origin: Layer["origin"], value: JsonObject): Layer => ({ origin, file: `${origin}.json`, value })

describe("built-in settings", () => {
  test("fit their own schema", () => {
    const { config } = mergeLayers([])
    expect(decoder(settings)(config as unknown as JsonObject)).toMatchObject({ ok: true })
    expect(config).toMatchObject({ theme: "system", retry: { maxRetries: 3 }, panels: { side: { size: 40 } } })
  })

  test("each have a sentence of help, and a default unless they may be left out", () => {
    const wordless = leaves.filter(({ schema }) => !String(schema.description ?? "").endsWith("."))
    expect(wordless.map(({ path }) => path)).toEqual([])
    const absent = leaves.filter(({ schema }) => schema.default === undefined).map(({ path }) => path)
    expect(absent).toEqual([
      "model",
      "httpFirstByteTimeoutMs",
      "compaction.reserveTokens",
      "compaction.keepRecentTokens",
      "limits.costPerRun",
      "shellPath",
      "externalEditor",
    ])
  })

  test("use no word of JSON Schema that is not checked", () => {
    const words = (schema: unknown): readonly string[] => {
      if (!isObject(schema)) return []
      const own = Object.keys(schema)
      const { properties, patternProperties, items } = schema
      const inner = [
        ...Object.values(isObject(properties) ? properties : {}),
        ...Object.values(isObject(patternProperties) ? patternProperties : {}),
        items,
      ]
      return [...own, ...inner.flatMap(words)]
    }
    expect(words(JSON.parse(JSON.stringify(settings))).filter((word) => !knownWords.has(word))).toEqual([])
  })
})

describe("a config file", () => {
  test("that is right says nothing", () => {
    const text = `{
      "$schema": "config.schema.json",
      // a server of my own
      "model": "local/qwen",
      "providers": { "local": { "api": "openai-completions", "baseUrl": "http://127.0.0.1:8080/v1", "apiKey": "$LOCAL_KEY",
        "models": [{ "id": "qwen", "contextWindow": 131072, "maxTokens": 8192, "thinking": { "low": null } }] } },
      "retry": { "maxRetries": 5 },
      "theme": null
    }`
    expect(told(text)).toBe("")
  })

  test.each([
    ['{ "theme": 5 }', "c.json:1:12: `theme` has to be text in double quotes, not 5"],
    ['{ "mouse": "yes" }', 'c.json:1:12: `mouse` has to be true or false, not "yes"'],
    [
      '{ "retry": { "maxRetries": 2.5 } }',
      "c.json:1:28: `retry.maxRetries` has to be a whole number from 0 to 100, not 2.5",
    ],
    ['{ "retry": { "maxRetries": -1 } }', "`retry.maxRetries` has to be a whole number from 0 to 100, not -1"],
    ['{ "limits": { "costPerRun": "5" } }', '`limits.costPerRun` has to be a number of 0 or more, not "5"'],
    ['{ "retry": true }', "`retry` has to be an object, { … }, not true"],
    ['{ "defaultTools": "read" }', '`defaultTools` has to be a list, [ … ], not "read"'],
    ['{ "defaultTools": ["read", 5] }', "c.json:1:28: `defaultTools[1]` has to be text in double quotes, not 5"],
    ['{ "defaultThinkingLevel": "hgh" }', '`defaultThinkingLevel` has to be one of "off", "minimal"'],
    [
      '{ "host": { "linger": "soon" } }',
      '`host.linger` has to be a length of time such as "30s", "10m" or "24h", not "soon"',
    ],
    ['{ "providers": { "a": { "models": [{}] } } }', "`providers.a.models[0].id` is missing"],
    ['{ "providers": { "a": { "api": "soap" } } }', "`providers.a.api` has to be one of"],
    ['{ "modelThinkingLevels": { "a/b": "loud" } }', "`modelThinkingLevels.a/b` has to be one of"],
    ['{ "theme" "dark" }', "c.json:1:11: a colon is expected here"],
  ])("%s is wrong", (text, sentence) => {
    expect(readConfig({ file: "c.json", text }).ok).toBe(false)
    expect(told(text)).toContain(sentence)
  })

  test.each([
    ['{ "thme": "dark" }', "c.json:1:3: `thme` means nothing here; did you mean `theme`?"],
    ['{ "retry": { "maxRetry": 5 } }', "`retry.maxRetry` means nothing here; did you mean `maxRetries`?"],
    ['{ "defaultModel": "gpt" }', "`defaultModel` means nothing here; the model is named by `model`"],
    [
      '{ "providers": { "a": { "models": [{ "id": "m", "ctx": 5 }] } } }',
      "`providers.a.models[0].ctx` means nothing here",
    ],
  ])("%s has a name that means nothing, and is used", (text, sentence) => {
    expect(readConfig({ file: "c.json", text }).ok).toBe(true)
    expect(told(text)).toContain(sentence)
  })

  test("never has its keys in a message", () => {
    const wrong =
      '{ "providers": { "a": { "apiKey": ["sk-secret-1"], "headers": { "x-key": { "v": "sk-secret-2" } } } } }'
    expect(told(wrong)).toContain("`providers.a.apiKey` has to be text")
    expect(told(wrong)).not.toContain("sk-secret")
  })
})

describe("precedence", () => {
  test("is flag, environment, project, person, built-in, and each value knows where it is from", () => {
    const { config, origins } = mergeLayers([
      layer("flag", { theme: "a" }),
      layer("environment", { theme: "b", keymap: "b" }),
      layer("project", { theme: "c", keymap: "c", bell: false }),
      layer("person", { theme: "d", keymap: "d", bell: true, mouse: false, retry: { maxRetries: 7 } }),
    ])
    expect(config).toMatchObject({ theme: "a", keymap: "b", bell: false, mouse: false, exitOutput: "hint" })
    expect(config.retry).toMatchObject({ maxRetries: 7, baseDelayMs: 2_000 })
    const from = (path: string): string => origins.get(path)?.origin ?? "built-in"
    expect(["theme", "keymap", "bell", "mouse", "retry.maxRetries", "retry.baseDelayMs"].map(from)).toEqual([
      "flag",
      "environment",
      "project",
      "person",
      "person",
      "built-in",
    ])
  })

  test("objects merge, lists replace, null unsets what lies below", () => {
    const { config, origins } = mergeLayers([
      layer("project", { plan: { files: ["A.md"] }, theme: null, providers: { b: null, c: { name: "C" } } }),
      layer("person", {
        plan: { files: ["B.md", "C.md"] },
        theme: "moor",
        providers: { a: { name: "A" }, b: { name: "B" }, c: { baseUrl: "u" } },
      }),
    ])
    expect(config.plan.files).toEqual(["A.md"])
    expect(config.theme).toBe("system")
    expect(origins.has("theme")).toBe(false)
    expect(config.providers).toEqual({ a: { name: "A" }, c: { baseUrl: "u", name: "C" } })
  })
})

describe("variables of the environment", () => {
  test("have a name for every setting, each its own", () => {
    expect(variableOf("retry.maxRetries")).toBe("CAIRN_RETRY_MAX_RETRIES")
    expect(variableOf("theme")).toBe("CAIRN_THEME")
    expect(new Set(leaves.map(({ path }) => variableOf(path))).size).toBe(leaves.length)
    for (const folder of ["CAIRN_CONFIG", "CAIRN_DATA", "CAIRN_CACHE", "CAIRN_CALL"]) {
      expect(leaves.map(({ path }) => variableOf(path))).not.toContain(folder)
    }
  })

  test("are read as the setting's type, and a wrong one is named and left out", () => {
    const { layers, problems } = environmentLayers({
      CAIRN_MODEL: "local/qwen",
      CAIRN_RETRY_MAX_RETRIES: "5",
      CAIRN_MOUSE: "false",
      CAIRN_DEFAULT_TOOLS: "read, grep",
      CAIRN_MODEL_THINKING_LEVELS: '{ "a/b": "high" }',
      CAIRN_PROVIDERS: "{ oops",
      CAIRN_THEME: "",
      CAIRN_BELL: "perhaps",
      CAIRN_HTTP_IDLE_TIMEOUT_MS: "long",
    })
    const { config } = mergeLayers(layers)
    expect(config).toMatchObject({
      model: "local/qwen",
      mouse: false,
      bell: true,
      theme: "system",
      defaultTools: ["read", "grep"],
    })
    expect(config.retry.maxRetries).toBe(5)
    expect(config.modelThinkingLevels).toEqual({ "a/b": "high" })
    expect(problems.map(printProblem)).toEqual([
      'CAIRN_PROVIDERS: `providers` has to be an object, { … }, not "{ oops"',
      expect.stringContaining("CAIRN_HTTP_IDLE_TIMEOUT_MS: `httpIdleTimeoutMs` has to be a whole number"),
      'CAIRN_BELL: `bell` has to be true or false, not "perhaps"',
    ])
  })
})

describe("a project that is not trusted", () => {
  const providers = new Set(["anthropic"])

  test("may choose looks, thinking, and a model of a provider that the person has", () => {
    const wish = {
      theme: "moor",
      keymap: "vim",
      panels: { bottom: ["plan"] },
      defaultThinkingLevel: "high",
      model: "anthropic/x",
      plan: { files: ["docs/PLAN.md"] },
    }
    expect(untrusted(wish, providers)).toEqual({ value: wish, refused: [] })
  })

  test.each<[string, JsonObject]>([
    ["providers", { providers: { anthropic: { baseUrl: "http://elsewhere" } } }],
    ["shellPath", { shellPath: "./evil" }],
    ["extensions", { extensions: ["./x.ts"] }],
    ["externalEditor", { externalEditor: "rm" }],
    ["passEnv", { passEnv: ["ANTHROPIC_API_KEY"] }],
    ["model", { model: "other/x" }],
    ["plan", { plan: { files: ["../../etc/passwd"] } }],
    ["plan", { plan: { files: ["/etc/passwd"] } }],
    ["plan", { plan: { files: ["~/x"] } }],
  ])("may not say %s: %o", (name, wish) => expect(untrusted(wish, providers)).toEqual({ value: {}, refused: [name] }))
})

test("settings are explained with value, origin and help, and keys are hidden", () => {
  const merged = mergeLayers([
    layer("person", {
      providers: { a: { apiKey: "sk-1", headers: { k: "sk-2" }, models: [{ id: "m", headers: { k: "sk-3" } }] } },
    }),
  ])
  const rows = explain(merged)
  expect(rows.find(({ path }) => path === "providers")).toMatchObject({ origin: "person", file: "person.json" })
  expect(rows.find(({ path }) => path === "theme")).toMatchObject({
    value: "system",
    fallback: "system",
    origin: "built-in",
    variable: "CAIRN_THEME",
  })
  expect(JSON.stringify(rows)).not.toContain("sk-")
  expect(masked({ a: [{ apiKey: "x" }] })).toEqual({ a: [{ apiKey: "(hidden)" }] })
})

test("the published schema requires nothing but what lists and maps require", () => {
  const schema = JSON.stringify(configSchema())
  expect(configSchema()).toMatchObject({ type: "object", additionalProperties: false, title: "Cairn settings" })
  expect(schema.match(/"required":\[[^\]]*\]/g)?.toSorted()).toEqual([
    '"required":["id"]',
    '"required":["input","output"]',
  ])
})

test("lengths of time are read as people write them", () => {
  expect(["500ms", "30s", "1.5m", "24h", "7d", "0s"].map(durationMs)).toEqual([
    500, 30_000, 90_000, 86_400_000, 604_800_000, 0,
  ])
  expect(["", "10", "10 m", "-5s", "1w"].map(durationMs)).toEqual(Array(5).fill(undefined))
})
