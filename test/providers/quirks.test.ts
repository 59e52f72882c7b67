import { expect, test } from "bun:test"
import { providerProblems } from "../../src/providers/config-problems.ts"
import type { ProviderConfig } from "../../src/providers/config.ts"
import { chooseThinking, levelsOf } from "../../src/providers/thinking.ts"
import { defaultQuirks, quirkProblems, quirksOf } from "../../src/providers/quirks.ts"
import type { ThinkingLevel } from "../../src/message/message.ts"
import { model } from "./support.ts"

test("a vendor is known by its name and by its address", () => {
  expect(quirksOf(model({ provider: "mistral" })).callIds).toBe("nine")
  expect(quirksOf(model({ baseUrl: "https://api.mistral.ai/v1" })).callIds).toBe("nine")
  expect(quirksOf(model({ baseUrl: "https://api.mistral.ai.evil.test/v1" })).callIds).toBe("plain")
  expect(quirksOf(model({ baseUrl: "https://notapi.mistral.ai/v1" })).callIds).toBe("plain")
  expect(quirksOf(model({ baseUrl: "not a url" }))).toEqual(defaultQuirks)
})

test("where name and address disagree, the address rules", () => {
  const at = (provider: string, baseUrl: string): ReturnType<typeof quirksOf> => quirksOf(model({ provider, baseUrl }))
  expect(at("mistral", "https://api.deepseek.com")).toEqual(at("mine", "https://api.deepseek.com"))
  expect(at("openai", "https://openrouter.ai/api/v1")).toEqual(at("mine", "https://openrouter.ai/api/v1"))
  expect(at("openai", "https://gateway.example.test/v1")).toEqual(defaultQuirks)
  // A proxy of the person's, and this machine, say nothing about who is behind them.
  expect(at("mistral", "https://gateway.example.test/v1").callIds).toBe("nine")
  expect(at("mistral", "http://127.0.0.1:8080/v1").callIds).toBe("nine")
})

test("quirks that are wrong are named, and change nothing", () => {
  const quirks = { callIds: "ten", cacheKey: "yes", colour: "red", maxTokensField: "max_completion_tokens", body: [] }
  expect(quirkProblems(quirks).map((problem) => problem.slice(0, 20))).toEqual([
    'quirk "callIds" must',
    'quirk "cacheKey" mus',
    'there is no quirk "c',
    'quirk "body" must be',
  ])
  expect(quirksOf(model({ quirks, baseUrl: "https://host.test/v1" }))).toEqual({
    ...defaultQuirks,
    maxTokensField: "max_completion_tokens",
  })
})

test("what a config says of quirks and levels that nobody knows is named with its place", () => {
  const models = [{ id: "m", quirks: { callIds: "ten" }, thinking: { hgih: "x", high: "y", off: null } }] as const
  expect(providerProblems({ acme: { quirks: { colour: "red" }, models } as ProviderConfig, fine: {} })).toEqual([
    expect.stringMatching(/^"providers\.acme\.quirks": there is no quirk "colour"; known are maxTokensField, .*\.$/),
    '"providers.acme.models", m: quirk "callIds" must be "plain", "nine".',
    '"providers.acme.models", m: there is no thinking level "hgih"; the levels are off, minimal, low, medium, high, xhigh, max.',
  ])
})

const levels = { off: "", low: "low", high: "high" }
const choices: readonly [ThinkingLevel, Partial<Record<ThinkingLevel, string>>, ThinkingLevel | undefined][] = [
  ["off", levels, "off"],
  ["minimal", levels, "low"],
  ["medium", levels, "high"],
  ["max", levels, "high"],
  ["off", { low: "low" }, "low"],
  ["high", { off: "" }, "off"],
  ["high", {}, undefined],
]

test.each([...choices])("wished %s of %j gives %s", (wished, thinking, level) => {
  expect(chooseThinking({ thinking }, wished)?.level).toBe(level)
})

test("levels are listed in rising order", () => {
  expect(levelsOf({ thinking: { high: "h", off: "", low: "l" } })).toEqual(["off", "low", "high"])
})
