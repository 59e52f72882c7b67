import { expect, test } from "bun:test"
import type { ProvidersConfig } from "../../src/providers/config.ts"
import { headerTexts, readProviderHeaders } from "../../src/home/provider-headers.ts"

const providers: ProvidersConfig = {
  acme: {
    baseUrl: "https://acme.test/v1",
    headers: { "x-team": "ours", "x-key": "$ACME_KEY", "x-price": "$$5", "x-gone": "${NOT_SET}" },
    models: [{ id: "m", headers: { "x-model": "${MODEL_KEY}" } }, { id: "bare" }],
  },
  plain: { baseUrl: "https://plain.test/v1" },
}

test("a header of the config takes its value from the environment, and one that is not set is left out and named", () => {
  const read = readProviderHeaders(providers, { ACME_KEY: "acme-secret", MODEL_KEY: "model-secret" })
  expect<unknown>(read.providers).toEqual({
    acme: {
      baseUrl: "https://acme.test/v1",
      headers: { "x-team": "ours", "x-key": "acme-secret", "x-price": "$5" },
      models: [{ id: "m", headers: { "x-model": "model-secret" } }, { id: "bare" }],
    },
    plain: { baseUrl: "https://plain.test/v1" },
  })
  expect(read.secrets).toEqual(["acme-secret", "model-secret"])
  expect(read.problems).toEqual(['"providers.acme.headers": x-gone is not sent, since $NOT_SET is not set.'])
})

test("what is written in headers is known, so that the variables that it names can be hidden from commands", () => {
  expect(headerTexts(providers)).toEqual(["ours", "$ACME_KEY", "$$5", "${NOT_SET}", "${MODEL_KEY}"])
})
