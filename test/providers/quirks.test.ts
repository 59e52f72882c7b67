import { expect, test } from "bun:test"
import { chooseThinking, levelsOf } from "../../src/providers/thinking.ts"
import { defaultQuirks, quirkProblems, quirksOf } from "../../src/providers/quirks.ts"
import { costOf, withCost } from "../../src/providers/cost.ts"
import type { ThinkingLevel } from "../../src/message/message.ts"
import { model } from "./support.ts"

test("a vendor is known by its name and by its address", () => {
  expect(quirksOf(model({ provider: "mistral" })).callIds).toBe("nine")
  expect(quirksOf(model({ baseUrl: "https://api.mistral.ai/v1" })).callIds).toBe("nine")
  expect(quirksOf(model({ baseUrl: "https://api.mistral.ai.evil.test/v1" })).callIds).toBe("plain")
  expect(quirksOf(model({ baseUrl: "https://notapi.mistral.ai/v1" })).callIds).toBe("plain")
  expect(quirksOf(model({ baseUrl: "not a url" }))).toEqual(defaultQuirks)
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

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
const usage = { input: 100_000, output: 10_000, cacheRead: 50_000, cacheWrite: 20_000, totalTokens: 180_000 }

test("cost counts each kind of token at its price", () => {
  expect(costOf(usage, price)?.total).toBeCloseTo(0.2 + 0.1 + 0.01 + 0.05)
  expect(costOf({ ...usage, cacheWrite1h: 20_000 }, price)?.cacheWrite).toBeCloseTo(0.08)
  expect(costOf(usage, undefined)).toBeUndefined()
})

test("a tier is chosen by the whole input and holds for all tokens", () => {
  const tiers = [
    { above: 100_000, input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 },
    { above: 169_999, input: 8, output: 40, cacheRead: 0.8, cacheWrite: 10 },
  ]
  expect(costOf(usage, { ...price, tiers })?.input).toBeCloseTo(0.8)
  expect(costOf({ ...usage, input: 29_999 }, { ...price, tiers })?.input).toBeCloseTo(0.06, 3)
  expect(costOf({ ...usage, input: 99_000 }, { ...price, tiers })?.output).toBeCloseTo(0.2)
})

test("what the provider says it cost rules, also where no price is known", () => {
  expect(withCost(usage, undefined, 0.5).cost).toMatchObject({ total: 0.5, totalFromProvider: true })
  expect(withCost(usage, undefined).cost).toBeUndefined()
})
