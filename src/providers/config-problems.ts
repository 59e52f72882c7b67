/** What is wrong with what a person says of providers and models, beyond its shape: words that nobody knows. It changes nothing, and is told. */
import { thinkingLevels } from "../message/message.ts"
import type { ModelConfig, ProvidersConfig } from "./config.ts"
import { quirkProblems } from "./quirks.ts"

function thinkingProblems(thinking: ModelConfig["thinking"]): readonly string[] {
  return Object.entries(thinking ?? {}).flatMap(([level, word]) => {
    if (!(thinkingLevels as readonly string[]).includes(level))
      return [`there is no thinking level "${level}"; the levels are ${thinkingLevels.join(", ")}`]
    return word === null || typeof word === "string" ? [] : [`thinking level "${level}" must be a text or null`]
  })
}

/** One sentence each, with where it stands. */
export function providerProblems(providers: ProvidersConfig): readonly string[] {
  return Object.entries(providers).flatMap(([name, { quirks = {}, models = [] }]) => {
    const at = `providers.${name}`
    const own = quirkProblems(quirks).map((problem) => `"${at}.quirks": ${problem}.`)
    const ofModels = models.flatMap((model) => {
      const found = [...quirkProblems(model.quirks ?? {}), ...thinkingProblems(model.thinking)]
      return found.map((problem) => `"${at}.models", ${model.id}: ${problem}.`)
    })
    return [...own, ...ofModels]
  })
}
