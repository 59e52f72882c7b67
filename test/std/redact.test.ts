import { expect, test } from "bun:test"
import { makeRedact, readPatterns, redactJson } from "../../src/std/redact.ts"

test("known secrets and what patterns match are taken out, and a mark says so", () => {
  const { patterns, problems } = readPatterns(["ghp_[a-z]+", "(?<=password: )\\S+"])
  const secrets = ["sk-12345678", "sk-12345678-longer", "short"]
  const redact = makeRedact(patterns, () => secrets)
  expect(problems).toEqual([])
  expect(redact("a sk-12345678-longer b sk-12345678 c short")).toBe("a [redacted] b [redacted] c short")
  expect(redact("ghp_abc, password: hunter2!")).toBe("[redacted], password: [redacted]")
  expect(redactJson({ a: ["ghp_abc", 1, null, true], b: { c: "x" } }, redact)).toEqual({
    a: ["[redacted]", 1, null, true],
    b: { c: "x" },
  })
})

test("a key that comes to be known later is taken out from then on", () => {
  const secrets: string[] = []
  const redact = makeRedact([], () => secrets)
  expect(redact("the-secret")).toBe("the-secret")
  secrets.push("the-secret")
  expect(redact("the-secret")).toBe("[redacted]")
})

test("a pattern that is none, or matches nothing at all, is named and not used", () => {
  const { patterns, problems } = readPatterns(["(", "x*", "ok"])
  expect(patterns.length).toBe(1)
  expect(problems).toEqual([
    '"redact": "(" is no regular expression, and is not used.',
    '"redact": "x*" matches an empty text, and is not used.',
  ])
})
