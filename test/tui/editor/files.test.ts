import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listPaths } from "../../../src/tui/editor/files.ts"
import { mentions } from "../../../src/tui/editor/images.ts"

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "cairn-files-"))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, ".."), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("in a repository, what git ignores is not offered and what is new is", async () => {
  using folder = folderWith({ ".gitignore": "*.log\nout/\n", "a.ts": "", "b.log": "", "out/c.ts": "", "sub/d.ts": "" })
  await Bun.spawn(["git", "init", "-q", folder.path]).exited
  const paths = await listPaths(folder.path)
  expect(paths.toSorted()).toEqual([".gitignore", "a.ts", "sub/", "sub/d.ts"])
})

test("outside of a repository hidden and dependency folders are left out", async () => {
  using folder = folderWith({ "a.ts": "", ".cache/b": "", "node_modules/c/d.js": "", "sub/e.ts": "" })
  const paths = await listPaths(folder.path)
  expect(paths.toSorted()).toEqual(["a.ts", "sub/", "sub/e.ts"])
})

test("mentions are found in quotes and without, once each", () => {
  expect(mentions('@a.ts and @"b c.png" and @a.ts, not x@y')).toEqual(["a.ts", "b c.png"])
})
