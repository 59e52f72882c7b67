import { expect, test } from "bun:test"
import { builtInKeymaps, builtInThemes } from "../../src/home/built-in.ts"
import type { Sources } from "../../src/home/chain.ts"
import { keymapSchema, themeSchema } from "../../src/home/file-schemas.ts"
import { objectOf, parseDocument } from "../../src/home/jsonc.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { decoder } from "../../src/std/schema.ts"

function values(sources: Sources): readonly JsonObject[] {
  return Object.values(sources).map(({ file, text }) => {
    const parsed = parseDocument(file, text)
    if ("problem" in parsed) throw new Error(parsed.problem.message)
    return objectOf(parsed.document)
  })
}

test("every built-in theme and keymap fits the schema that editors get", () => {
  const [theme, keymap] = [decoder(themeSchema()), decoder(keymapSchema())]
  for (const value of values(builtInThemes)) expect(theme(value)).toMatchObject({ ok: true })
  for (const value of values(builtInKeymaps)) expect(keymap(value)).toMatchObject({ ok: true })
})

test("the schemas refuse a role, a context's value and a colour that are none", () => {
  const [theme, keymap] = [decoder(themeSchema()), decoder(keymapSchema())]
  expect(theme({ theme: { primry: "#fff" } }).ok).toBe(false)
  expect(theme({ theme: { primary: 256 } }).ok).toBe(false)
  expect(keymap({ bindings: { global: { f1: 5 } } }).ok).toBe(false)
  expect(keymap({ bindings: { global: { f1: { args: 1 } } } }).ok).toBe(false)
})
