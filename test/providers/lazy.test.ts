/** What the executable is made of: code of the model SDKs is in none of the pieces that a start loads. */
import { expect, test } from "bun:test"
import { join } from "node:path"

const root = join(import.meta.dir, "../..")
const sdks = ["openai", "@anthropic-ai/sdk", "@google/genai"] as const

type Piece = { readonly text: string; readonly always: readonly string[]; readonly onUse: readonly string[] }

/** The pieces of the program by name, as the build cuts them, and what each loads at once and when it is used. */
async function pieces(): Promise<ReadonlyMap<string, Piece>> {
  const built = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    target: "bun",
    format: "esm",
    splitting: true,
    // The renderer's libraries for other machines are not installed.
    external: ["@opentui/core-*"],
  })
  const scripts = built.outputs.filter(({ path }) => path.endsWith(".js"))
  const transpiler = new Bun.Transpiler({ loader: "js" })
  const named = await Promise.all(
    scripts.map(async (output): Promise<[string, Piece]> => {
      const text = await output.text()
      const imports = transpiler.scanImports(text).map(({ path, kind }) => ({ name: path.replace(/^\.\//, ""), kind }))
      const of = (wanted: string): readonly string[] =>
        imports.flatMap(({ name, kind }) => (kind === wanted ? [name] : []))
      const name = output.path.replace(/^\.\//, "")
      return [name, { text, always: of("import-statement"), onUse: of("dynamic-import") }]
    }),
  )
  return new Map(named)
}

/** Everything that is loaded with `name`, itself included. */
function loadedWith(all: ReadonlyMap<string, Piece>, name: string, seen = new Set<string>()): ReadonlySet<string> {
  const piece = all.get(name)
  if (piece === undefined || seen.has(name)) return seen
  seen.add(name)
  for (const next of piece.always) loadedWith(all, next, seen)
  return seen
}

test("a start loads no model SDK; each is loaded alone, by the request that needs it", async () => {
  const all = await pieces()
  expect(all.size).toBeGreaterThan(10)
  const sdksIn = (names: Iterable<string>): readonly string[] =>
    sdks.filter((sdk) => [...names].some((name) => all.get(name)?.text.includes(`// node_modules/${sdk}/`)))
  expect(sdksIn(loadedWith(all, "main.js"))).toEqual([])
  // Of the pieces that are loaded on use each has one SDK at most, and none that has code of ours has any.
  const onUse = [...new Set([...all.values()].flatMap((piece) => piece.onUse))]
  const withSdk = onUse.filter((name) => sdksIn(loadedWith(all, name)).length > 0)
  expect(new Set(withSdk.flatMap((name) => sdksIn(loadedWith(all, name))))).toEqual(new Set(sdks))
  for (const name of withSdk) {
    expect(sdksIn(loadedWith(all, name)).length).toBe(1)
    for (const part of loadedWith(all, name)) expect(all.get(part)?.text).not.toContain("// src/")
  }
})
