import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { encode as encodeOld } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as encodeNew } from "gpt-tokenizer/encoding/o200k_base"
import { join } from "node:path"
import { builtBinary, runBinary, tempMachine } from "../support/binary.ts"
import { configFor, localMachine, writeConfig } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer
let seen = 0

beforeAll(async () => {
  server = await startModelServer({ key: "k" })
})
beforeEach(() => {
  server.script([{ text: "forty-two" }])
  seen = server.requests.length
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const sent = () => server.requests.slice(seen)

test("a prompt is answered on stdout, and a second one in the same session goes on from it", async () => {
  using machine = localMachine(server)
  expect(await runBinary(machine, ["-p", "what", "is", "it"])).toMatchObject({
    status: 0,
    stdout: "forty-two\n",
    stderr: "",
  })
  server.script([{ text: "as I said" }])
  expect(await runBinary(machine, ["-c", "-p", "again?"])).toMatchObject({ status: 0, stdout: "as I said\n" })
  expect(sent()[1]?.said.map((said) => said.role)).toEqual(["system", "user", "assistant", "user"])
})

test("the first request of a short prompt stays within 5 kB, its system prompt and its four tools within 1,000 tokens", async () => {
  using machine = localMachine(server)
  await runBinary(machine, ["-p", "hi"])
  const [request] = sent()
  expect(Buffer.byteLength(request?.bodyText ?? "")).toBeLessThan(5_000)
  expect(request?.tools).toEqual(["read", "bash", "edit", "write"])
  const [system] = request?.said ?? []
  expect(system?.role).toBe("system")
  const told = `${system?.text}${JSON.stringify(request?.body.tools)}`
  // The two tokenizers of the vendor whose format this is; other vendors' count alike.
  for (const encode of [encodeNew, encodeOld]) {
    expect(encode(told).length).toBeGreaterThan(300)
    expect(encode(told).length).toBeLessThan(1_000)
  }
})

test("files and piped input join the prompt as separate blocks", async () => {
  using machine = localMachine(server)
  writeFileSync(join(machine.work, "a.txt"), "inside a")
  await runBinary(machine, ["-p", "compare", "@a.txt"], { stdin: "from a pipe\n" })
  const file = join(machine.work, "a.txt")
  expect(sent()[0]?.lastUser).toMatch(
    new RegExp(`^from a pipe\n\n+<file name="[^"]*${file.slice(-6)}">\ninside a\n</file>\n\n?compare$`),
  )
  const missing = await runBinary(machine, ["-p", "x", "@b.txt"])
  expect(missing).toMatchObject({ status: 2, stdout: "" })
  expect(missing.stderr).toContain("b.txt")
})

test("no prompt and no session is nothing to do: exit 2, a sentence, and nothing on disk", async () => {
  using machine = localMachine(server)
  const nothing = await runBinary(machine, ["-p"], { stdin: "" })
  expect(nothing).toMatchObject({ status: 2, stdout: "" })
  expect(nothing.stderr).toMatch(/^cairn: .*prompt.*\n$/)
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 2, stdout: "" })
  expect(await runBinary(machine, ["--session", "abcd1234", "-p", "x"])).toMatchObject({ status: 2, stdout: "" })
  expect(sent()).toEqual([])
})

test("--no-session leaves nothing on disk", async () => {
  using machine = localMachine(server)
  expect(await runBinary(machine, ["--no-session", "-p", "hi"])).toMatchObject({ status: 0, stdout: "forty-two\n" })
  const data = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")
  expect(() => readdirSync(data)).toThrow()
})

test("a wrong key, an unreachable server, an unknown model: one sentence that says what to do, exit 1", async () => {
  using machine = localMachine(server)
  const wrong = await runBinary(machine, ["--api-key", "sk-wrong-1234", "-p", "x"])
  expect(wrong).toMatchObject({ status: 1, stdout: "" })
  expect(wrong.stderr).toMatch(/^cairn: [^\n]*key[^\n]*\n$/)
  expect(wrong.stderr).not.toContain("sk-wrong-1234")

  writeConfig(machine, configFor("http://127.0.0.1:9/v1", { retry: { enabled: false } }))
  const away = await runBinary(machine, ["-p", "x"])
  expect(away).toMatchObject({ status: 1, stdout: "" })
  expect(away.stderr).toMatch(/^cairn: [^\n]*127\.0\.0\.1:9[^\n]*\n$/)

  const unknown = await runBinary(machine, ["--model", "nowhere/thing", "-p", "x"])
  expect(unknown).toMatchObject({ status: 1, stdout: "" })
  expect(unknown.stderr).toMatch(/^cairn: [^\n]*nowhere[^\n]*\n$/)
})

test("a broken config stops a headless run: exit 2, with file, line and column", async () => {
  using machine = tempMachine()
  writeConfig(machine, '{\n  "model": "local/x",\n  "retry": {{}\n}')
  const broken = await runBinary(machine, ["-p", "x"])
  expect(broken).toMatchObject({ status: 2, stdout: "" })
  expect(broken.stderr).toMatch(/config\.json:3:\d+/)
})

test("with no model and no key at all, the sentence says how to get one", async () => {
  using machine = tempMachine()
  const bare = await runBinary(machine, ["-p", "x"])
  expect(bare.status).toBe(1)
  expect(bare.stderr).toMatch(/^cairn: [^\n]*(key|model)[^\n]*\n$/)
})

test("json mode writes the session header first and agent_settled last", async () => {
  using machine = localMachine(server)
  const run = await runBinary(machine, ["--mode", "json", "hi"])
  expect(run.status).toBe(0)
  const events = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; version?: number; aborted?: boolean })
  expect(events[0]).toMatchObject({ type: "session", version: 3 })
  expect(events.at(-1)).toEqual({ type: "agent_settled", aborted: false })
})

test("json mode tells a failed run by its exit status", async () => {
  using machine = localMachine(server)
  server.script([{ status: 400, body: { error: { message: "no such thing" } } }])
  const run = await runBinary(machine, ["--mode", "json", "hi"])
  expect(run.status).toBe(1)
  expect(run.stdout.trimEnd().split("\n").at(-1)).toContain("agent_settled")
})

test("--tools read,grep,find,ls is an agent that cannot change anything", async () => {
  using machine = localMachine(server)
  await runBinary(machine, ["-p", "--tools", "read,grep,find,ls", "look"])
  expect(sent()[0]?.tools).toEqual(["read", "grep", "find", "ls"])
  const unknown = await runBinary(machine, ["-p", "--tools", "read,fly", "look"])
  expect(unknown).toMatchObject({ status: 2, stdout: "" })
  expect(unknown.stderr).toContain("fly")
})

test("an interrupt is a durable stop: exit 130, and the next run has a valid history", async () => {
  using machine = localMachine(server)
  server.script([{ text: ["half"], hang: "mid" }, { text: "whole" }])
  const before = server.requests.length
  const child = Bun.spawn([await builtBinary(), "-p", "interrupt me"], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stdout: "pipe",
  })
  await server.request(before)
  child.kill("SIGINT")
  expect(await child.exited).toBe(130)
  expect(await new Response(child.stdout).text()).toBe("")
  expect(await runBinary(machine, ["-c", "-p", "go on"])).toMatchObject({ status: 0, stdout: "whole\n" })
})

test("a session that another process holds is refused with its pid and start time", async () => {
  using machine = localMachine(server)
  const gate = Promise.withResolvers<void>()
  server.script([{ text: ["slow"], until: gate.promise }])
  const before = server.requests.length
  const first = runBinary(machine, ["-p", "hold it"])
  await server.request(before)
  const second = await runBinary(machine, ["-c", "-p", "me too"])
  gate.resolve()
  expect(second).toMatchObject({ status: 1, stdout: "" })
  expect(second.stderr).toMatch(/held by process \d+ since \d{4}-/)
  expect(await first).toMatchObject({ status: 0 })
})

test("a server that takes the request and says nothing is told of with the time that has gone, before it is asked again", async () => {
  using machine = localMachine(server, { httpIdleTimeoutMs: 1_000, retry: { baseDelayMs: 1 } })
  server.script([{ hang: "after-headers" }, { text: "here" }])
  const run = await runBinary(machine, ["-p", "hi"])
  expect(run).toMatchObject({ status: 0, stdout: "here\n" })
  expect(run.stderr).toMatch(/cairn: \S+ has said nothing for \d\.\d s; after 1\.0 s this counts as a failure\.\n/)
  expect(run.stderr).toContain("has been silent for 1 s. Asking again in")
  server.script([{ text: "half", chunks: 1, hang: "mid" }, { text: "whole" }])
  const events = await runBinary(machine, ["-p", "hi", "--mode", "json"])
  const silences = events.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; silentMs?: number; limitMs?: number })
    .filter(({ type }) => type === "silence")
  expect(silences.length).toBeGreaterThan(0)
  expect(silences.every(({ silentMs = 0, limitMs }) => silentMs > 300 && limitMs === 1_000)).toBe(true)
  expect(events.stdout).toContain('"agent_settled"')
})
