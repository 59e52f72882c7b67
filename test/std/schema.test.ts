import { describe, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import type { Json } from "../../src/std/json.ts"
import { decoder } from "../../src/std/schema.ts"

const edit = Type.Object(
  {
    path: Type.String(),
    edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() }), { minItems: 1 }),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    mode: Type.Optional(Type.Union([Type.Literal("all"), Type.Literal("one")])),
    target: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    tags: Type.Optional(Type.Array(Type.String())),
    style: Type.Optional(Type.Unsafe<string>({ type: "string", enum: ["a", "b"] })),
  },
  { additionalProperties: false },
)

const right = { path: "a.ts", edits: [{ oldText: "a", newText: "b" }] }

function problem(value: Json, coerce = false): string {
  const decoded = decoder(edit, { coerce })(value)
  return decoded.ok ? "fits" : decoded.problem
}

describe("a value that does not fit is told by path and by what was expected", () => {
  test.each<[Json, string]>([
    [right, "fits"],
    [{ ...right, path: 5 }, "path must be string"],
    [{ path: "a" }, "edits is missing"],
    [{ ...right, edits: [{ oldText: "a" }] }, "edits[0]: newText is missing"],
    [{ ...right, edits: [right.edits[0] ?? null, { oldText: 1, newText: "b" }] }, "edits[1].oldText must be string"],
    [{ ...right, edits: [] }, "edits must NOT have fewer than 1 items"],
    [{ ...right, limit: 0 }, "limit must be >= 1"],
    [{ ...right, limit: 1.5 }, "limit must be integer"],
    [{ ...right, file: "x" }, "has no field file"],
    [{ ...right, style: "c" }, "style must be one of a, b"],
    [{ ...right, mode: "some" }, 'mode must be one of "all", "one"'],
    [{ ...right, target: true }, "target must be string or number"],
    ["text", "must be object"],
  ])("%j: %s", (value, sentence) => expect(problem(value)).toBe(sentence))

  test("with at most five sentences", () => {
    expect(problem({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }).split("; ")).toHaveLength(5)
  })
})

describe("with coercion", () => {
  test("what is written another way is taken, and what was given is not touched", () => {
    const given = { ...right, limit: "5", edits: [{ oldText: "a", newText: 2 }], tags: "one", mode: null }
    const before = structuredClone(given)
    expect(decoder(edit, { coerce: true })(given)).toEqual({
      ok: true,
      value: { path: "a.ts", limit: 5, edits: [{ oldText: "a", newText: "2" }], tags: ["one"] },
    })
    expect(given).toEqual(before)
  })

  test("what would lose something is refused", () => {
    expect(problem({ ...right, limit: "five" }, true)).toBe("limit must be integer")
    expect(problem({ ...right, limit: "5.5" }, true)).toBe("limit must be integer")
  })
})

describe("schemas that others wrote", () => {
  test("may name a draft and formats that are not known here", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.invalid/x",
      type: "object",
      properties: { when: { type: "string", format: "date-time" }, "x-note": {} },
    }
    const decode = decoder(schema)
    expect([decode({ when: "soon" }).ok, decode({ when: 5 }).ok]).toEqual([true, false])
    expect(decoder(schema)({ when: "again" }).ok).toBe(true)
  })

  test("that are no schemas fit nothing, with a sentence", () => {
    expect(decoder({ type: "objekt" })({})).toMatchObject({ ok: false, path: "" })
  })
})
