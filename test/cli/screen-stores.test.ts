import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { draftStore, stashStore } from "../../src/cli/screen-stores.ts"
import type { Draft } from "../../src/tui/options.ts"

const draft = (text: string): Draft => ({ session: null, text, cursor: 1, pastes: { "1": "long" }, savedAt: 5 })

function folder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "cairn-stores-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

test("drafts that were put aside in a folder are there for the next program, and for its owner alone", () => {
  using data = folder()
  const store = stashStore(data.path, "/some/folder")
  expect(store.load()).toEqual([])
  store.save([draft("two"), draft("one")])
  expect(stashStore(data.path, "/some/folder").load()).toEqual([draft("two"), draft("one")])
  expect(stashStore(data.path, "/another/folder").load()).toEqual([])
  const files = readdirSync(join(data.path, "screen"))
  expect(files).toHaveLength(1)
  expect(statSync(join(data.path, "screen", files[0] ?? "")).mode & 0o777).toBe(0o600)
  store.save([])
  expect(readdirSync(join(data.path, "screen"))).toEqual([])
})

test("a file that cannot be read is as if nothing had been put aside, and what of it can be read is kept", () => {
  using data = folder()
  const store = stashStore(data.path, "/some/folder")
  store.save([draft("one")])
  const path = join(data.path, "screen", readdirSync(join(data.path, "screen"))[0] ?? "")
  writeFileSync(path, "[{")
  expect(store.load()).toEqual([])
  writeFileSync(path, JSON.stringify([7, { text: 1 }, draft("kept")]))
  expect(store.load()).toEqual([draft("kept")])
})

test("the draft of a folder is written whole and goes when there is none", () => {
  using data = folder()
  const store = draftStore(data.path, "/some/folder")
  store.save(draft("half a thought"))
  expect(draftStore(data.path, "/some/folder").load()).toEqual(draft("half a thought"))
  store.save(null)
  expect(store.load()).toBeNull()
})
