/**
 * Inline tokens to spans.
 *
 * - Breaks of the text stay breaks: people and models write lists, verses and addresses by them.
 * - A link shows its address wherever its words do not, so that none can lie; only plain addresses are given to the terminal.
 * - Of HTML only marks that say nothing in a terminal are dropped; anything else in angle brackets is text.
 */
import type { Token } from "marked"
import { cleanControls } from "../../std/clean.ts"
import type { Span, Style } from "../rows/row.ts"

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  rarr: "→",
  larr: "←",
  times: "×",
}

/** Entities as characters. A number may stand for any character, so what comes out is cleaned again. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text
  const decoded = text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g, (all, dec, hex, name) => {
    if (typeof name === "string") return entities[name] ?? all
    const code = typeof dec === "string" ? Number.parseInt(dec, 10) : Number.parseInt(String(hex), 16)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd"
  })
  return cleanControls(decoded)
}

const silentTags =
  /^<\/?(?:a|abbr|b|big|br|center|cite|code|dd|details|del|dfn|div|dl|dt|em|font|h[1-6]|i|img|ins|kbd|li|mark|ol|p|picture|pre|q|s|samp|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr)(?:\s[^<>]*)?\/?>$|^<!--[\s\S]*-->$/i

const tagPattern = /<!--[\s\S]*?-->|<\/?[A-Za-z][^<>\n]*>/g

/** HTML without its marks: a break is a break, what is not a mark stays. */
export function stripTags(html: string): string {
  return html.replace(tagPattern, (tag) => (/^<br\b/i.test(tag) ? "\n" : silentTags.test(tag) ? "" : tag))
}

/** An address that a terminal may be asked to open: no control character, no space, of a kind that browsers and mail programs know. */
function linkOf(href: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)[^\s<>"\x00-\x20\x7f-\uffff]+$/i.test(href) ? href : undefined
}

const styles: Readonly<Record<string, Style>> = {
  strong: { bold: true, fg: "markdownStrong" },
  em: { italic: true, fg: "markdownEmph" },
  del: { strike: true },
}

export function inlineSpans(tokens: readonly Token[], style: Style = { fg: "markdownText" }): readonly Span[] {
  return tokens.flatMap((token) => tokenSpans(token, style))
}

/** The tokens inside a token, where it has any. */
export function childrenOf(token: Token): readonly Token[] | undefined {
  return "tokens" in token ? token.tokens : undefined
}

function textOfTokens(tokens: readonly Token[]): string {
  return inlineSpans(tokens)
    .map(({ text }) => text)
    .join("")
}

function tokenSpans(token: Token, style: Style): readonly Span[] {
  const inner = childrenOf(token)
  switch (token.type) {
    case "text":
      return inner === undefined ? [{ text: decodeEntities(stringOf(token.text)), style }] : inlineSpans(inner, style)
    case "escape":
    case "math":
      return [{ text: stringOf(token.text), style }]
    case "strong":
    case "em":
    case "del":
      return inlineSpans(inner ?? [], merge(style, styles[token.type] ?? {}))
    case "codespan":
      return [{ text: stringOf(token.text), style: { ...style, fg: "markdownCode" } }]
    case "br":
      return [{ text: "\n", style }]
    case "link":
      return linkSpans(stringOf(token.href), inner ?? [], style)
    case "image":
      return imageSpans(stringOf(token.text), stringOf(token.href), style)
    case "html":
      return [{ text: stripTags(token.raw), style }]
    case "checkbox":
      return []
    default:
      return inner === undefined ? [{ text: token.raw, style }] : inlineSpans(inner, style)
  }
}

/** Emphasis in a heading, a quote or a link keeps their colour. */
function merge(under: Style, over: Style): Style {
  const fg = under.fg === undefined || under.fg === "markdownText" ? (over.fg ?? under.fg) : under.fg
  return { ...under, ...over, fg }
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function linkSpans(href: string, tokens: readonly Token[], style: Style): readonly Span[] {
  const link = linkOf(href)
  const words = textOfTokens(tokens)
  const shown = inlineSpans(tokens, { ...style, fg: "markdownLinkText", underline: true, link })
  const plain = words === href || `mailto:${words}` === href || `http://${words}` === href
  if (plain || href === "" || href.startsWith("#")) return shown
  return [...shown, { text: ` (${href})`, style: { ...style, fg: "markdownLink", link } }]
}

function imageSpans(words: string, href: string, style: Style): readonly Span[] {
  const where = href.startsWith("data:") ? "embedded" : href
  return [
    { text: `[image: ${words === "" ? where : words}]`, style: { ...style, fg: "markdownImageText" } },
    ...(words === ""
      ? []
      : [{ text: ` (${where})`, style: { ...style, fg: "markdownImage" as const, link: linkOf(href) } }]),
  ]
}

/** Spans cut at their newlines. */
export function splitSpans(spans: readonly Span[]): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]]
  for (const { text, style } of spans) {
    const [first = "", ...rest] = text.split("\n")
    if (first !== "") lines.at(-1)?.push({ text: first, style })
    for (const part of rest) lines.push(part === "" ? [] : [{ text: part, style }])
  }
  return lines
}
