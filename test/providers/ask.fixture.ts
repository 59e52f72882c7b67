/** A program that asks a model once and prints its text: `ask.fixture.ts <api> <base url> <key>`. */
import { textOf } from "../../src/message/message.ts"
import { createProviders } from "../../src/providers/registry.ts"
import { systemClock } from "../../src/std/clock.ts"
import { apiNames } from "../../src/providers/provider.ts"
import { request, user } from "./support.ts"

const [, , name, baseUrl = "", key = ""] = process.argv
const api = apiNames.find((known) => known === name)
if (api === undefined) throw new Error(`no such format: ${name}`)
const providers = createProviders({
  providers: { local: { api, baseUrl, models: [{ id: "m" }] } },
  keys: () => key || undefined,
})
const resolved = providers.resolve("local/m")
if (!("model" in resolved)) throw new Error(resolved.problem)
const format = await providers.apiOf(resolved.model)
const wanted = request(resolved.model, [user("hi")])
const response = await format.call(wanted, format.encode(wanted), {
  apiKey: providers.keyOf(resolved.model),
  headers: {},
  signal: new AbortController().signal,
  clock: systemClock,
  stallMs: 60_000,
  onDelta: () => {},
})
console.log(textOf(response))
