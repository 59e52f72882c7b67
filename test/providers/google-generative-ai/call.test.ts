import { expect, test } from "bun:test"
import { googleApi, splitBase } from "../../../src/providers/google-generative-ai/call.ts"
import { ManualClock } from "../../support/manual-clock.ts"
import { startModelServer } from "../../support/model-server.ts"
import { model, request, user } from "../support.ts"

const bases: readonly [string, string, string][] = [
  ["https://google.test/v1beta", "https://google.test", "v1beta"],
  ["https://google.test/v1beta/", "https://google.test", "v1beta"],
  ["https://google.test/v1", "https://google.test", "v1"],
  ["https://google.test", "https://google.test", "v1beta"],
  ["https://gate.test/acme/google", "https://gate.test/acme/google", ""],
  ["https://gate.test/v2/google/v1alpha", "https://gate.test/v2/google", "v1alpha"],
  ["not a url", "not a url", ""],
]

test.each([...bases])("the address %s is %s, version %s", (base, baseUrl, apiVersion) => {
  expect(splitBase(base)).toEqual({ baseUrl, apiVersion })
})

test("the person's headers rule, and nothing is said twice or about the SDK", async () => {
  const server = await startModelServer({ script: () => ({ text: "hi" }) })
  const api = googleApi()
  const headers = { "user-agent": "mine", "X-Goog-Api-Key": "from-header" }
  const to = model({ api: "google-generative-ai", baseUrl: server.googleUrl, headers })
  const wanted = request(to, [user("hi")])
  const signal = new AbortController().signal
  const options = { apiKey: "key", headers: {}, signal, clock: new ManualClock(), stallMs: 9_000, onDelta: () => {} }
  await api.call(wanted, api.encode(wanted), options)
  await server.stop()
  const [sent] = server.requests
  expect(sent?.path).toBe("/v1beta/models/m:streamGenerateContent?alt=sse")
  expect(sent?.headers).toMatchObject({ "user-agent": "mine", "x-goog-api-key": "from-header" })
  expect(Object.keys(sent?.headers ?? {}).filter((name) => /client|stainless|timeout/.test(name))).toEqual([])
})
