/** Models as a person names them: listed, looked for, unknown, defined and changed. */
import { expect, test } from "bun:test"
import { runBinary, tempMachine } from "../support/binary.ts"
import { writeConfig } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"

test("models are listed with their keys, windows and prices, and looked for by letters in order", async () => {
  using machine = tempMachine()
  const all = await runBinary(machine, ["models"], { env: { DEEPSEEK_API_KEY: "k" } })
  expect(all.status).toBe(0)
  const providers = new Set(
    all.stdout
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split("/")[0]),
  )
  expect(providers.size).toBeGreaterThanOrEqual(30)
  expect(all.stdout).toMatch(/deepseek\/deepseek-v4-pro +ready +1000000 +\$[\d.]+\/[\d.]+/)
  const found = await runBinary(machine, ["models", "clsnt55"])
  expect(found.stdout).toContain("anthropic/claude-sonnet-5-5 ")
  expect(found.stdout).not.toContain("gpt-")
  const nothing = await runBinary(machine, ["models", "qqqqqqqq"])
  expect(nothing).toMatchObject({ status: 1, stdout: "" })
  expect(nothing.stderr).toContain("no model is named like qqqqqqqq")
})

test("an unknown id of a known provider works, and says so; the config changes what it names and adds what it likes", async () => {
  const server = await startModelServer({ strict: false, script: ({ model }) => ({ text: `I am ${model}` }) })
  using machine = tempMachine()
  writeConfig(machine, {
    providers: {
      deepseek: {
        baseUrl: server.completionsUrl,
        apiKey: "k",
        models: [{ id: "deepseek-v4-pro", contextWindow: 50_000 }],
      },
      acme: { api: "anthropic-messages", baseUrl: server.anthropicUrl, models: [{ id: "own", contextWindow: 9_000 }] },
    },
  })
  const unknown = await runBinary(machine, ["-p", "hi", "--model", "deepseek/deepseek-v9"])
  expect(unknown).toMatchObject({ status: 0, stdout: "I am deepseek-v9\n" })
  expect(unknown.stderr).toContain(
    "deepseek/deepseek-v9 is not known: it is used as named, with no window and no price.",
  )
  const known = await runBinary(machine, ["-p", "hi", "--model", "deepseek/deepseek-v4-pro"])
  expect(known).toMatchObject({ status: 0, stdout: "I am deepseek-v4-pro\n", stderr: "" })
  const own = await runBinary(machine, ["-p", "hi", "--model", "acme/own"])
  expect(own).toMatchObject({ status: 0, stdout: "I am own\n", stderr: "" })
  const listed = await runBinary(machine, ["models", "deepseek-v4-pro"])
  expect(listed.stdout).toMatch(/deepseek\/deepseek-v4-pro +ready +50000/)
  const nobody = await runBinary(machine, ["-p", "hi", "--model", "nobody/x"])
  expect(nobody.status).not.toBe(0)
  expect(nobody.stderr).toContain('There is no provider "nobody"')
  await server.stop()
})

test("a server of this machine tells how much its model reads at once before the first request, and nothing is assumed", async () => {
  const asked: string[] = []
  const http = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      if (pathname === "/v1/models") return Response.json({ object: "list", data: [{ id: "m", object: "model" }] })
      if (pathname === "/props") return Response.json({ default_generation_settings: { n_ctx: 12_288 } })
      if (pathname !== "/v1/chat/completions") return new Response("no such path", { status: 404 })
      const chunk = { choices: [{ index: 0, delta: { content: "yes" }, finish_reason: "stop" }] }
      const headers = { "content-type": "text/event-stream" }
      return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers })
    },
  })
  using machine = tempMachine()
  const local = { api: "openai-completions", baseUrl: `http://127.0.0.1:${http.port}/v1`, models: [{ id: "m" }] }
  writeConfig(machine, { model: "local/m", providers: { local } })
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n", stderr: "" })
  await http.stop(true)
  expect(asked.indexOf("/props")).toBeLessThan(asked.indexOf("/v1/chat/completions"))
})
