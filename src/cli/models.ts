/** The models of a person, as the engine wants them: resolved by name, with their keys. */
import type { Models } from "../engine/options.ts"
import type { ModelRecord } from "../protocol/port.ts"
import { thinkingLevels } from "../message/message.ts"
import type { Credentials } from "../home/credentials.ts"
import { isLocal } from "../providers/local-models.ts"
import { modelName, type Model } from "../providers/model.ts"
import type { Providers } from "../providers/config.ts"

/** A server on this machine minds no key. */
function needsKey(model: Model): boolean {
  return model.api !== "tour" && !isLocal(model.baseUrl)
}

export function modelRecord(model: Model, ready: boolean): ModelRecord {
  const levels = thinkingLevels.filter((level) => model.thinking[level] !== undefined)
  return {
    name: modelName(model),
    provider: model.provider,
    label: model.name,
    contextWindow: model.contextWindow ?? null,
    price: model.cost === undefined ? null : { input: model.cost.input, output: model.cost.output },
    thinking: levels,
    images: model.input.includes("image"),
    edits: model.edits,
    ready,
  }
}

export function modelsOf(providers: Providers, credentials: Credentials): Models {
  return {
    resolve(name) {
      const resolved = providers.resolve(name)
      if ("model" in resolved) return { ok: true, ...resolved }
      const near = resolved.near.length > 0 ? ` Near it: ${resolved.near.slice(0, 3).join(", ")}.` : ""
      return { ok: false, problem: `${resolved.problem}${near}` }
    },
    api: (model) => providers.apiOf(model),
    async key(model) {
      const key = await credentials.key(model.provider)
      if (key === undefined) return needsKey(model) ? { problem: credentials.hint(model.provider) } : { key: undefined }
      return "problem" in key ? { problem: key.problem } : { key: key.key }
    },
    renew: (model, key) => credentials.renew(model.provider, key),
    async list() {
      await providers.findLocal()
      return providers.list().map(({ model, ready }) => modelRecord(model, ready))
    },
  }
}
