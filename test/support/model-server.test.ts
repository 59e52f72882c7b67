import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startModelServer, type ModelServer } from "./model-server.ts"

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer()
})
afterAll(() => server.stop())

const user = { role: "user", content: "hi" }

function ask(body: object, path = "/v1/chat/completions"): Promise<Response> {
  return fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "m", stream: true, ...body }),
  })
}

test("a scripted text comes as chunks, a finish, usage and the end mark", async () => {
  server.script([{ text: "hello there", chunks: 2, usage: { input: 5, output: 3, cacheRead: 2 } }])
  const body = await (await ask({ messages: [user] })).text()
  expect(body).toContain('"content":"hello "')
  expect(body).toContain('"content":"there"')
  expect(body).toContain('"prompt_tokens":7')
  expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
})

test("the same bytes come when they are written one at a time", async () => {
  const answer = { text: "größer 😀", toolCalls: [{ name: "read", args: { path: "a" } }] }
  server.script([answer, { ...answer, splitAt: 1 }])
  const whole = await (await ask({ messages: [user] })).text()
  expect(await (await ask({ messages: [user] })).text()).toBe(whole)
})

test("messages of Anthropic begin with message_start and end with message_stop", async () => {
  server.script([{ thinking: "hm", text: "yes", toolCalls: [{ name: "ls", args: {} }] }])
  const body = await (await ask({ max_tokens: 9, messages: [user] }, "/v1/messages")).text()
  expect(body.startsWith("event: message_start\n")).toBe(true)
  expect(body).toContain("signature_delta")
  expect(body).toContain('"stop_reason":"tool_use"')
  expect(body.trim().endsWith('data: {"type":"message_stop"}')).toBe(true)
})

test("a script that is a function sees what was said, whatever the format", async () => {
  server.script((request) => ({ text: `${request.format}:${request.lastUser}:${request.results.length}` }))
  const chunks = await (await ask({ messages: [user] })).text()
  expect([...chunks.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join("")).toBe("completions:hi:0")
  const blocks = [
    { role: "user", content: [{ type: "text", text: "go" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] },
  ]
  const text = await (await ask({ max_tokens: 9, messages: blocks }, "/v1/messages")).text()
  expect([...text.matchAll(/"text":"([^"]*)"/g)].map((match) => match[1]).join("")).toBe("anthropic:go:1")
})

test("a status with a body and headers is given as it is", async () => {
  server.script([{ status: 429, headers: { "retry-after": "7" }, body: { error: { message: "slow down" } } }])
  const response = await ask({ messages: [user] })
  expect(response.status).toBe(429)
  expect(response.headers.get("retry-after")).toBe("7")
  expect(await response.json()).toEqual({ error: { message: "slow down" } })
})

test("a reset, a cut and a clean end without the end mark look different to the client", async () => {
  server.script([{ reset: "before-headers" }, { text: "abc", reset: "mid" }, { text: "abc", cut: "mid" }])
  await expect(ask({ messages: [user] })).rejects.toThrow()
  for (const _ of ["reset", "cut"]) {
    const response = await ask({ messages: [user] })
    await expect(response.text()).rejects.toThrow()
  }
  server.script([{ text: "abc", cutWithoutEnd: true }])
  expect(await (await ask({ messages: [user] })).text()).not.toContain("DONE")
})

test("a hang ends only when the client goes, and the server hears of it", async () => {
  const { hung, at } = { hung: new AbortController(), at: server.requests.length }
  server.script([{ text: "abc", hang: "mid" }])
  const response = await fetch(`${server.completionsUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages: [user] }),
    signal: hung.signal,
  })
  await response.body?.getReader().read()
  hung.abort()
  await (
    await server.request(at)
  ).closed
})

const call = (id: string, args = "{}"): object => ({
  id,
  type: "function",
  function: { name: "read", arguments: args },
})
const assistant = (...calls: object[]): object => ({ role: "assistant", content: null, tool_calls: calls })
const result = (id: string): object => ({ role: "tool", tool_call_id: id, content: "ok" })

const refused: readonly [string, object, RegExp][] = [
  ["a call without a result", { messages: [user, assistant(call("a")), user] }, /have no result/],
  ["a result without a call", { messages: [user, result("a")] }, /where .*nothing.* was due/],
  ["results out of order", { messages: [user, assistant(call("a"), call("b")), result("b"), result("a")] }, /was due/],
  ["an id used twice", { messages: [user, assistant(call("a"), call("a")), result("a")] }, /used twice/],
  ["arguments that are no JSON", { messages: [user, assistant(call("a", "{")), result("a")] }, /JSON object/],
  ["a blank message", { messages: [{ role: "user", content: " " }] }, /blank/],
  ["a second system message", { messages: [user, { role: "system", content: "x" }, user] }, /beginning/],
  ["an unknown field", { messages: [user], store: false }, /unknown parameter: store/],
  ["an empty list of tools", { messages: [user], tools: [] }, /tools is empty/],
  ["a lone surrogate", { messages: [{ role: "user", content: "a\ud800" }] }, /surrogate/],
]

test.each(refused)("the strict server refuses %s and keeps the violation", async (_, body, sentence) => {
  const before = server.violations.length
  server.script([{ text: "no" }])
  const response = await ask(body)
  expect(response.status).toBe(400)
  expect(await response.text()).toMatch(sentence)
  expect(server.violations.slice(before).join(" ")).toMatch(sentence)
})

test("a request that the script has no reply for is a violation", async () => {
  server.script([])
  expect((await ask({ messages: [user] })).status).toBe(400)
  expect(server.violations.at(-1)).toContain("no reply left")
})

test("as a program it prints its URL, tells of requests, and ends with its input", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-model-server-"))
  const file = join(folder, "script.ts")
  writeFileSync(
    file,
    'export const script = (request: { lastUser: string }) => ({ text: "you said " + request.lastUser })\n',
  )
  const program = fileURLToPath(new URL("./model-server.ts", import.meta.url))
  const child = Bun.spawn(["bun", program, "--script", file], { stdin: "pipe", stdout: "pipe" })
  const reader = child.stdout.getReader()
  let printed = ""
  const until = async (text: RegExp): Promise<string> => {
    for (;;) {
      const match = text.exec(printed)
      if (match !== null) return match[0]
      const { value, done } = await reader.read()
      if (done) throw new Error(`it ended with: ${printed}`)
      printed += new TextDecoder().decode(value)
    }
  }
  const url = await until(/http:\S+(?=\n)/)
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages: [user] }),
  })
  expect(await answer.text()).toContain("said")
  expect(JSON.parse(await until(/\{"n":0.*\}/))).toEqual({
    n: 0,
    format: "completions",
    model: "m",
    lastUser: "hi",
    violations: [],
  })
  await child.stdin.end()
  expect(await child.exited).toBe(0)
  rmSync(folder, { recursive: true })
})
