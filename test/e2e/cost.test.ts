/** What a run may cost, and what must not be in anything that is kept: the executable. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../../src/std/json.ts"
import { runBinary } from "../support/binary.ts"
import { localMachine, localModel } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"

const priced = (url: string): Json => ({
  api: "openai-completions",
  baseUrl: url,
  apiKey: "k",
  models: [{ id: "test-model", contextWindow: 100_000, maxTokens: 4_000, cost: { input: 1_000_000, output: 0 } }],
})

test("a headless run that has cost as much as it may ends with its work pending; --resume lets it cost as much again", async () => {
  const server = await startModelServer()
  server.script(({ said }) => {
    const calls = said.filter(({ role }) => role === "tool").length
    const usage = { input: 1, output: 1 }
    return calls < 5 ? { toolCalls: [{ name: "bash", args: { command: "true" } }], usage } : { text: "done", usage }
  })
  using machine = localMachine(server, {
    providers: { local: priced(server.completionsUrl) },
    limits: { costPerRun: 2 },
  })
  const first = await runBinary(machine, ["-p", "go"])
  expect(first).toMatchObject({ status: 1, stdout: "" })
  expect(first.stderr).toContain("The run has cost $2.0000, and limits.costPerRun is $2. Add --resume")
  expect(server.requests.length).toBe(2)
  const again = await runBinary(machine, ["-c", "-p"])
  expect(again).toMatchObject({ status: 1 })
  expect(server.requests.length).toBe(2)
  const resumed = await runBinary(machine, ["-c", "-p", "--resume"])
  expect(resumed).toMatchObject({ status: 1 })
  expect(server.requests.length).toBe(4)
  expect(await runBinary(machine, ["-c", "-p", "--resume"])).toMatchObject({ status: 0, stdout: "done\n" })
  expect(server.requests.length).toBe(6)
  await server.stop()
})

/** Every file below `folder`, as text. */
function textsBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? textsBelow(path) : [readFileSync(path, "latin1")]
  })
}

test("no key is in anything that a session keeps or says, though the server echoes it and a tool prints it", async () => {
  const secret = "hunter2-hunter2-hunter2"
  const server = await startModelServer({ strict: false })
  server.script(({ headers, lastUser, results }) => {
    if (lastUser.includes("echo"))
      return {
        status: 401,
        body: { error: { message: `no: ${headers["x-corp"]} ${headers.authorization} / x-api-key: ${secret}` } },
      }
    if (results.length > 0) return { text: `it printed ${results[0]?.text.trim()}` }
    return {
      toolCalls: [{ name: "bash", args: { command: "cat auth.json; seq 1 3000; cat auth.json; cat token.txt; env" } }],
    }
  })
  using machine = localMachine(server, {
    providers: {
      local: {
        ...(priced(server.completionsUrl) as object),
        apiKey: "$LOCAL_KEY",
        headers: { "x-corp": "$CORP" },
      } as Json,
    },
    model: localModel,
    redact: ["tok_[a-z]+"],
  })
  writeFileSync(join(machine.work, "auth.json"), JSON.stringify({ key: secret }))
  writeFileSync(join(machine.work, "token.txt"), "tok_abcdef\n")
  const corporate = "the-house-says-so"
  const env = { LOCAL_KEY: secret, CORP: corporate }
  const printed = await runBinary(machine, ["-p", "print it with tok_typed"], { env })
  const echoed = await runBinary(machine, ["-c", "-p", `echo ${secret}`], { env })
  expect(printed.status).toBe(0)
  expect(printed.stdout).toContain("[redacted]")
  expect(echoed.status).toBe(1)
  expect(echoed.stderr).toContain("answered 401")
  const events = await runBinary(machine, ["-c", "-p", "echo it again", "--mode", "json"], { env })
  const [session] = (await runBinary(machine, ["sessions", "list", "--json"], { env })).stdout.split("\n")
  const { id } = JSON.parse(session ?? "") as { id: string }
  const exports = await Promise.all(
    [[], ["--html"], ["--jsonl"]].map((format) => runBinary(machine, ["sessions", "export", id, ...format], { env })),
  )
  expect(exports.map(({ status, stdout }) => [status, stdout.includes("[redacted]")])).toEqual([
    [0, true],
    [0, true],
    [0, true],
  ])
  const said = [printed, echoed, events, ...exports].flatMap(({ stdout, stderr }) => [stdout, stderr])
  const kept = textsBelow(machine.env.XDG_DATA_HOME ?? "")
  expect(kept.length).toBeGreaterThan(3)
  for (const text of [...said, ...kept]) {
    expect(text.includes(secret) || text.includes(corporate)).toBe(false)
    expect(text).not.toMatch(/tok_(abcdef|typed)/)
  }
  // The model did not see it either.
  expect(server.requests.every(({ headers }) => headers["x-corp"] === corporate)).toBe(true)
  const bodies = server.requests.map(({ bodyText }) => bodyText)
  expect(
    bodies.filter((body) => body.includes(secret) || body.includes(corporate) || /tok_(abcdef|typed)/.test(body)),
  ).toEqual([])
  expect(bodies[0]).toContain("print it with [redacted]")
  await server.stop()
})
