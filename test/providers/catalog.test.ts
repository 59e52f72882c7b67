import { expect, test } from "bun:test"
import {
  catalogSource,
  findModel,
  getModel,
  keyNames,
  knownProviders,
  modelsOf,
  type CatalogProvider,
} from "../../src/providers/catalog.ts"
import { quirkProblems, quirksOf } from "../../src/providers/quirks.ts"
import { thinkingLevels } from "../../src/message/message.ts"

const all = knownProviders().flatMap(({ id }) => modelsOf(id))

test("the catalog says where it comes from, and holds thirty providers and more", () => {
  expect(catalogSource()).toMatchObject({ license: "MIT", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
  expect(knownProviders().filter(({ local }) => !local).length).toBeGreaterThanOrEqual(30)
})

test("every model has an address, a name and numbers that can be true", () => {
  for (const model of all) {
    expect(URL.canParse(model.baseUrl)).toBe(true)
    expect(model.baseUrl).not.toContain("{")
    expect(model.id + model.name).toMatch(/\S/)
    expect(model.contextWindow ?? 1).toBeGreaterThan(0)
    const prices = model.cost === undefined ? [] : [model.cost, ...(model.cost.tiers ?? [])]
    for (const price of prices)
      expect(Math.min(price.input, price.output, price.cacheRead, price.cacheWrite)).toBeGreaterThanOrEqual(0)
    for (const tier of model.cost?.tiers ?? []) expect(tier.above).toBeGreaterThan(1_000)
    expect(Object.keys(model.thinking).every((level) => (thinkingLevels as readonly string[]).includes(level))).toBe(
      true,
    )
    expect(quirkProblems(model.quirks)).toEqual([])
  }
})

test("a model is found by names that exist, and getModel types them", () => {
  const model = getModel("anthropic", "claude-sonnet-5-5")
  expect(model).toMatchObject({ api: "anthropic-messages", input: ["text", "image"], contextWindow: 1_000_000 })
  expect(quirksOf(model)).toMatchObject({ auth: "bearer", adaptiveThinking: true })
  expect(findModel("anthropic", "nope")).toBeUndefined()
  expect(findModel("nope", "claude-sonnet-5-5")).toBeUndefined()
})

test("every hosted provider names the variables that hold its key; local servers have none", () => {
  const names = keyNames()
  expect(names.anthropic).toEqual(["ANTHROPIC_API_KEY"])
  expect(names.ollama).toEqual([])
  for (const { id, local, keys } of knownProviders()) {
    expect(keys.length > 0).toBe(!local)
    expect(keys.every((key) => /^[A-Z][A-Z0-9_]+$/.test(key))).toBe(true)
    expect(names[id]).toEqual(keys)
  }
})

/** What an editor offers behind `getModel("…", "`. */
type IdsOf<P extends CatalogProvider> = Parameters<typeof getModel<P>>[1]
type Offers<Ids, Id> = Id extends Ids ? true : false

test("names of models are types: what is in the catalog compiles, what is not does not", () => {
  const offered: Offers<IdsOf<"anthropic">, "claude-sonnet-5-5"> = true
  const misspelt: Offers<IdsOf<"anthropic">, "claude-sonet-5-5"> = false
  const anothers: Offers<IdsOf<"deepseek">, "claude-sonnet-5-5"> = false
  const provider: Offers<CatalogProvider, "openrouter"> = true
  const nobody: Offers<CatalogProvider, "nobody"> = false
  expect([offered, misspelt, anothers, provider, nobody]).toEqual([true, false, false, true, false])
  const anyText: string extends IdsOf<"anthropic"> ? true : false = false
  expect(anyText).toBe(false)
})
