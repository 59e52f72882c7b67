/**
 * A transcript as one HTML file: no script, nothing fetched, readable in any browser, light and dark as the reader's system is.
 *
 * - What models, tools and files said is text: markup in it is shown and never obeyed, and links lead to web addresses alone.
 * - Tool output and reasoning are folded; a fold needs no script.
 */
import { Marked } from "marked"
import { cleanControls } from "../std/clean.ts"
import { entryText } from "../protocol/transcript.ts"
import type { EntryData, EntryRecord, SessionDocument } from "../protocol/records.ts"

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  }
  return cleanControls(text).replace(/[&<>"']/g, (character) => entities[character] ?? "")
}

/** An address that a reader may follow; null for one that could do something. */
function safeAddress(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && ["http:", "https:", "mailto:"].includes(url.protocol) ? escaped(address) : null
}

const markdown = new Marked({
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => escaped(`[${text || "image"}: ${href}]`),
    link({ href, tokens }) {
      const address = safeAddress(href)
      const text = this.parser.parseInline(tokens)
      return address === null ? text : `<a href="${address}" rel="noreferrer">${text}</a>`
    },
  },
})

function prose(text: string): string {
  return String(markdown.parse(cleanControls(text), { async: false }))
}

const style = `
:root { color-scheme: light dark; --text: #1c1c1c; --back: #fdfdfc; --dim: #6b6b6b; --edge: #dedbd5; --user: #f1eee8; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --text: #dcdcdc; --back: #17181a; --dim: #9a9a9a; --edge: #34363a; --user: #24262a; --bad: #f2877f }
}
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--back) }
section { margin: 1.2rem 0 } header, .dim { color: var(--dim) } .failed { color: var(--bad) }
.user { background: var(--user); padding: .2rem 1rem; border-radius: .5rem }
details { border-left: 3px solid var(--edge); padding-left: .8rem; margin: .4rem 0 } summary { cursor: pointer; color: var(--dim) }
pre { overflow-x: auto; background: var(--user); padding: .6rem .8rem; border-radius: .4rem; font-size: .875rem }
code { font-family: ui-monospace, monospace } img { max-width: 100% } table { border-collapse: collapse } td, th { border: 1px solid var(--edge); padding: .2rem .5rem }
`

function fold(title: string, body: string): string {
  return `<details><summary>${title}</summary>${body}</details>`
}

type Content = Extract<EntryData, { kind: "user" }>["content"]

function partsHtml(content: Content, text: (text: string) => string): string {
  return content
    .map((part) => {
      if (part.type === "text") return text(part.text)
      return /^image\/(png|jpeg|gif|webp)$/.test(part.mimeType) && /^[A-Za-z0-9+/=]*$/.test(part.data)
        ? `<img alt="image" src="data:${part.mimeType};base64,${part.data}">`
        : `<p class="dim">[${escaped(part.mimeType)}]</p>`
    })
    .join("\n")
}

function answerHtml(data: Extract<EntryData, { kind: "assistant" }>): string {
  return data.message.content
    .map((part) => {
      if (part.type === "text") return prose(part.text)
      if (part.type === "thinking") return part.thinking === "" ? "" : fold("reasoning", prose(part.thinking))
      return fold(
        `call ${escaped(part.name)}`,
        `<pre><code>${escaped(JSON.stringify(part.arguments, null, 2))}</code></pre>`,
      )
    })
    .join("\n")
}

function isOurs(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

function sectionHtml(entry: EntryRecord): string {
  const { id, data } = entry
  if (isOurs(data)) {
    if (data.kind === "user") return `<section class="user" id="e${id}">${partsHtml(data.content, prose)}</section>`
    if (data.kind === "assistant" && data.message.stopReason !== "error" && data.message.stopReason !== "aborted")
      return `<section id="e${id}">${answerHtml(data)}</section>`
    if (data.kind === "toolResult") {
      const failed = data.outcome === "done" ? "" : ` <span class="failed">${escaped(data.outcome)}</span>`
      const body = partsHtml(data.message.content, (text) => `<pre><code>${escaped(text)}</code></pre>`)
      return `<section id="e${id}">${fold(`${escaped(data.title)}${failed}`, body)}</section>`
    }
  }
  const text = entryText(entry)
  return text === "" ? "" : `<section class="dim" id="e${id}">${prose(text)}</section>`
}

export function sessionHtml(session: SessionDocument | undefined, entries: readonly EntryRecord[]): string {
  const title = escaped(session?.title || "A session")
  const day = session === undefined ? "" : new Date(session.createdAt).toISOString().slice(0, 10)
  const head = `<header><h1>${title}</h1><p>${escaped(session?.folder ?? "")} · ${day}</p></header>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${title}</title><style>${style}</style></head><body>
${head}
${entries
  .map(sectionHtml)
  .filter((html) => html !== "")
  .join("\n")}
</body></html>
`
}
