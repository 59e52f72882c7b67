/** The model of the tour, as the registry knows it: a scripted one, inside the program. */
import type { Model } from "../model.ts"

export const tourModel: Model = {
  provider: "tour",
  id: "guide",
  name: "Tour (scripted, not an AI)",
  api: "tour",
  baseUrl: "",
  contextWindow: 1_000_000,
  maxTokens: 32_000,
  thinking: {},
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  quirks: {},
  headers: {},
  edits: "replace",
}
