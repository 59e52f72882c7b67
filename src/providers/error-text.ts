/** Words of vendors, made fit to be read: found in whatever shape the body has, cleaned, without keys, and short. */
import { isObject, parseJson, type Json } from "../std/json.ts"

/** Enough for the vendor's sentence and ours; a proxy's web page is longer and says less. */
export const messageMax = 500
const vendorMax = 300

const keyShapes = [
  /\b(sk|pk|rk|key|gsk|xai|nvapi|hf|fw|csk|tgp|AIza)[-_][A-Za-z0-9_-]{12,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g,
  /((?:api[-_]?key|key|token|authorization)["']?\s*[=:]\s*["']?)[A-Za-z0-9._~+/-]{12,}/gi,
  /\/\/[^/@\s:]+:[^/@\s]+@/g,
]

/** `text` with the key itself and whatever looks like one replaced. */
export function redact(text: string, key: string | undefined): string {
  const known = key === undefined || key.length < 6 ? text : text.replaceAll(key, "[key]")
  return keyShapes.reduce(
    (clean, shape) =>
      clean.replace(shape, (_, before: unknown) =>
        typeof before === "string" && /[=:]/.test(before) ? `${before}[key]` : "[key]",
      ),
    known,
  )
}

/** One line without control characters, at most {@link messageMax} characters. */
export function cleanWords(text: string): string {
  // Control characters of both sets, and those that turn the direction of writing.
  const line = text
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim()
  return line.length <= messageMax ? line : `${line.slice(0, messageMax - 1).toWellFormed()}…`
}

function fromHtml(text: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]
  return (title ?? text.replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ")).trim()
}

const wordFields = ["message", "error", "detail", "msg", "title", "reason", "status_msg"]

/** The vendor's sentence in a body of any of the known shapes: wrapped, flat, a list, RFC 7807, or with the upstream's text inside. */
function sentenceIn(value: Json | undefined): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map((item: Json) => sentenceIn(item)).find((text) => text !== "") ?? ""
  if (!isObject(value)) return ""
  const raw = isObject(value.metadata) && typeof value.metadata.raw === "string" ? value.metadata.raw : undefined
  if (raw !== undefined && raw !== "") return vendorText(raw)
  if (isObject(value.base_resp)) return sentenceIn(value.base_resp)
  return wordFields.map((field) => sentenceIn(value[field])).find((text) => text !== "") ?? ""
}

export function vendorText(body: string): string {
  const text = body.trim()
  const found = text.startsWith("<") ? fromHtml(text) : sentenceIn(parseJson(text)) || (/^[[{]/.test(text) ? "" : text)
  const words = found || text
  return words.length <= vendorMax ? words : `${words.slice(0, vendorMax - 1).toWellFormed()}…`
}
