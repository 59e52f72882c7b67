import { expect, test } from "bun:test"
import { fileURLToPath } from "node:url"
import { startModelServer } from "../support/model-server.ts"

const hostile = {
  OPENAI_API_KEY: "stray-openai-key",
  OPENAI_BASE_URL: "http://127.0.0.1:9/stray",
  OPENAI_ORG_ID: "stray-org",
  OPENAI_PROJECT_ID: "stray-project",
  OPENAI_LOG: "debug",
  ANTHROPIC_API_KEY: "stray-anthropic-key",
  ANTHROPIC_AUTH_TOKEN: "stray-token",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9/stray",
  ANTHROPIC_CUSTOM_HEADERS: "x-stray: stray-header",
  ANTHROPIC_LOG: "debug",
  GOOGLE_API_KEY: "stray-google-key",
  GEMINI_API_KEY: "stray-gemini-key",
  NO_PROXY: "127.0.0.1",
}

const program = fileURLToPath(new URL("./ask.fixture.ts", import.meta.url))

test.each([["openai-completions"], ["openai-responses"], ["anthropic-messages"], ["google-generative-ai"]] as const)(
  "%s: what lies about in the environment reaches neither the wire nor the terminal",
  async (api) => {
    const server = await startModelServer({ script: () => ({ text: "hi" }) })
    const urls = {
      "openai-completions": server.completionsUrl,
      "openai-responses": server.responsesUrl,
      "anthropic-messages": server.anthropicUrl,
      "google-generative-ai": server.googleUrl,
    }
    const url = urls[api]
    const run = async (key: string): Promise<string> => {
      const child = Bun.spawn(["bun", program, api, url, key], {
        env: { PATH: process.env.PATH ?? "", ...hostile },
        stdout: "pipe",
        stderr: "pipe",
      })
      return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
    }
    expect(await run("my-own-key")).toBe("hi\n")
    expect(await run("")).toBe("hi\n")
    const sent = server.requests.map(({ headers, bodyText }) => JSON.stringify(headers) + bodyText)
    await server.stop()
    expect(sent.length).toBe(2)
    expect(sent.join()).not.toContain("stray")
    expect(sent.join()).not.toContain("stainless")
    expect(sent[0]).toContain("my-own-key")
    expect(sent[1]).not.toContain("authorization")
    expect(sent[1]).not.toContain("x-api-key")
    expect(sent[1]).not.toContain("x-goog-api-key")
  },
)
