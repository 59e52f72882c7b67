import { expect, test } from "bun:test"
import { sessionHtml } from "../../src/cli/export-html.ts"
import type { AssistantMessage } from "../../src/message/message.ts"
import { noUsage } from "../../src/message/usage.ts"
import type { EntryRecord } from "../../src/protocol/records.ts"

const session = { title: "<b>bold</b>", folder: "/a & b", createdAt: 0 }
const entry = (id: number, data: EntryRecord["data"]): EntryRecord => ({
  id,
  conversation: 1,
  at: 0,
  byTask: null,
  data,
})
const answer = (content: AssistantMessage["content"]): EntryRecord["data"] => ({
  kind: "assistant",
  attempt: 1,
  message: {
    role: "assistant",
    content,
    api: "openai-completions",
    provider: "p",
    model: "m",
    usage: noUsage,
    stopReason: "stop",
    timestamp: 0,
  },
})

test("a page has no script and fetches nothing, whatever was said in it", () => {
  const links = "[x](javascript:alert(1)) ![y](https://e.example/p.png) [z](https://e.example)"
  const bad = `${links} <b onclick=x>\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>`
  const html = sessionHtml(session, [
    entry(1, {
      kind: "user",
      content: [
        { type: "text", text: bad },
        { type: "image", mimeType: "image/png", data: '"><script>' },
      ],
      submission: 1,
    }),
    entry(
      2,
      answer([
        { type: "text", text: bad },
        { type: "thinking", thinking: bad },
        { type: "toolCall", id: "c", name: "<i>", arguments: { a: bad } },
      ]),
    ),
    entry(3, {
      kind: "toolResult",
      message: {
        role: "toolResult",
        toolCallId: "c",
        toolName: "t",
        content: [{ type: "text", text: `</code></pre>${bad}\u001b[31m` }],
        isError: true,
        timestamp: 0,
      },
      task: 1,
      outcome: "failed",
      title: bad,
      durationMs: 0,
    }),
    entry(4, { kind: "?pi.custom", value: { html: bad } }),
  ])
  expect(html).not.toMatch(/<script|<img|javascript:alert\(1\)"|onerror=alert\(1\)>|\u001b/)
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
  expect(html).toContain('<a href="https://e.example" rel="noreferrer">z</a>')
  expect(html).toContain("<title>&lt;b&gt;bold&lt;/b&gt;</title>")
  expect(html).toContain("default-src 'none'")
})

test("Markdown is set, output and reasoning are folded, and a picture is in the page itself", () => {
  const html = sessionHtml(session, [
    entry(1, { kind: "user", content: [{ type: "image", mimeType: "image/png", data: "aGk=" }], submission: 1 }),
    entry(
      2,
      answer([
        { type: "text", text: "# A\n\n- one\n\n```ts\na < b\n```" },
        { type: "thinking", thinking: "hm" },
      ]),
    ),
  ])
  expect(html).toContain('<img alt="image" src="data:image/png;base64,aGk=">')
  expect(html).toContain("<h1>A</h1>")
  expect(html).toContain("<li>one</li>")
  expect(html).toContain("a &lt; b")
  expect(html).toMatch(/<details><summary>reasoning<\/summary><p>hm<\/p>/)
})
