import { expect, test } from "bun:test"
import { localServers } from "../../src/providers/catalog.ts"
import { findLocalModels } from "../../src/providers/discover.ts"
import { startModelServer } from "../support/model-server.ts"

test("the models of servers that answer are found, whoever else does not", async () => {
  const server = await startModelServer({ models: ["a", "b"] })
  const [base] = localServers
  if (base === undefined) throw new Error("there are no local servers")
  const servers = [
    { ...base, id: "gone", baseUrl: "http://127.0.0.1:9/v1" },
    { ...base, id: "other", baseUrl: `${server.url}/nothing/here` },
    { ...base, baseUrl: server.completionsUrl },
  ]
  const found = await findLocalModels(5_000, servers)
  await server.stop()
  expect(found.filter(({ provider }) => provider === "ollama")).toEqual([
    { provider: "ollama", id: "a", label: "a on Ollama" },
    { provider: "ollama", id: "b", label: "b on Ollama" },
  ])
  expect(found.some(({ provider }) => provider === "gone")).toBe(false)
})
