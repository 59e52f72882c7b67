/**
 * Texts with secrets taken out: words that are known to be secret, and whatever matches a pattern that the person gave.
 *
 * - What is taken out leaves a mark, so that a reader knows that something stood there.
 */
import { isObject, type Json } from "./json.ts"

export const redacted = "[redacted]"
/** A shorter word would be found in texts that have nothing to do with it. */
const secretMin = 8

export type Redact = (text: string) => string

/** `secrets` is asked each time, since keys come to be known while the program runs; longer ones first, as one may begin another. */
export function makeRedact(patterns: readonly RegExp[], secrets: () => readonly string[]): Redact {
  return (text) => {
    const words = secrets()
      .filter((word) => word.length >= secretMin)
      .sort((a, b) => b.length - a.length)
    const known = words.reduce((clean, word) => clean.replaceAll(word, redacted), text)
    return patterns.reduce((clean, pattern) => clean.replace(pattern, redacted), known)
  }
}

/** The patterns of a list that can be used, and a sentence for each that cannot. */
export function readPatterns(texts: readonly string[]): {
  readonly patterns: readonly RegExp[]
  readonly problems: readonly string[]
} {
  const patterns: RegExp[] = []
  const problems: string[] = []
  for (const text of texts) {
    try {
      const pattern = new RegExp(text, "gu")
      // One that matches nothing at all would put a mark between all letters.
      if (pattern.test("")) problems.push(`"redact": ${JSON.stringify(text)} matches an empty text, and is not used.`)
      else patterns.push(pattern)
    } catch {
      problems.push(`"redact": ${JSON.stringify(text)} is no regular expression, and is not used.`)
    }
  }
  return { patterns, problems }
}

/** Every string in `value`, names of fields excepted. */
export function redactJson<T extends Json | undefined>(value: T, redact: Redact): T {
  if (typeof value === "string") return redact(value) as T
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, redact)) as unknown as T
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactJson(item, redact)])) as T
}
