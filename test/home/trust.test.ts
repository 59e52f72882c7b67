import { describe, expect, test } from "bun:test"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { digestsOf, TrustStore } from "../../src/home/trust.ts"
import { systemClock } from "../../src/std/clock.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

const project = {
  "work/p/.cairn/config.json": '{ "shellPath": "./sh" }',
  "work/p/.cairn/extensions/a.ts": "1",
  "work/p/.agents/skills/s/SKILL.md": "s",
  "work/p/src/index.ts": "not guarded",
}

function open(folder: string): TrustStore {
  return new TrustStore(join(folder, "data/trust.json"), systemClock)
}

describe("trust", () => {
  test("is not asked for where a project has nothing that needs it", async () => {
    const folder = tempFolder({ "work/p/AGENTS.md": "text", "work/p/.agents/notes.md": "" })
    expect(await open(folder).check(join(folder, "work/p"))).toEqual({ status: "nothing" })
  })

  test("is unknown first, and names what it would let in", async () => {
    const folder = tempFolder(project)
    expect(await open(folder).check(join(folder, "work/p"))).toEqual({
      status: "unknown",
      files: [".agents/skills/s/SKILL.md", ".cairn/config.json", ".cairn/extensions/a.ts"],
    })
  })

  test("is kept, and taken back", async () => {
    const folder = tempFolder(project)
    const path = join(folder, "work/p")
    await open(folder).decide(path, "always")
    expect(await open(folder).check(path)).toEqual({ status: "trusted" })
    await open(folder).decide(path, "never")
    expect(await open(folder).check(path)).toEqual({ status: "denied" })
    await open(folder).forget(path)
    expect(await open(folder).check(path)).toMatchObject({ status: "unknown" })
  })

  test("asks again when a file was added or changed, and names it", async () => {
    const folder = tempFolder(project)
    const path = join(folder, "work/p")
    const store = open(folder)
    await store.decide(path, "always")
    putFile(path, "src/index.ts", "changed, and of no matter")
    putFile(path, ".cairn/extensions/a.ts", "2")
    putFile(path, ".cairn/extensions/b.ts", "new")
    rmSync(join(path, ".agents"), { recursive: true })
    expect(await store.check(path)).toEqual({
      status: "changed",
      added: [".cairn/extensions/b.ts"],
      changed: [".cairn/extensions/a.ts"],
      removed: [".agents/skills/s/SKILL.md"],
    })
    await store.decide(path, "always")
    expect(await store.check(path)).toEqual({ status: "trusted" })
  })

  test("does not ask for a file that is gone", async () => {
    const folder = tempFolder(project)
    const path = join(folder, "work/p")
    await open(folder).decide(path, "always")
    rmSync(join(path, ".agents"), { recursive: true })
    expect(await open(folder).check(path)).toEqual({ status: "trusted" })
  })

  test("of a folder holds below it, as each project is first seen, and the nearest decision counts", async () => {
    const folder = tempFolder({ ...project, "work/q/.cairn/config.json": "{}" })
    const store = open(folder)
    await store.decide(join(folder, "work"), "always")
    await store.decide(join(folder, "work/q"), "never")
    expect(await store.check(join(folder, "work/p"))).toEqual({ status: "trusted" })
    expect(await store.check(join(folder, "work/q"))).toEqual({ status: "denied" })
    putFile(folder, "work/p/.cairn/config.json", "{}")
    expect(await store.check(join(folder, "work/p"))).toMatchObject({
      status: "changed",
      changed: [".cairn/config.json"],
    })
  })

  test("follows links: to a file that changes, and not in a circle", async () => {
    const folder = tempFolder({ ...project, "elsewhere/tool.ts": "1" })
    const path = join(folder, "work/p")
    symlinkSync(join(folder, "elsewhere/tool.ts"), join(path, ".cairn/extensions/link.ts"))
    symlinkSync(path, join(path, ".cairn/extensions/loop"))
    symlinkSync(join(folder, "nowhere"), join(path, ".cairn/dangling"))
    await open(folder).decide(path, "always")
    expect(Object.keys(digestsOf(path) ?? {})).toContain(".cairn/dangling")
    putFile(folder, "elsewhere/tool.ts", "2")
    expect(await open(folder).check(path)).toMatchObject({
      status: "changed",
      changed: [expect.stringContaining("link.ts")],
    })
  })

  test("is nobody's when its file is damaged, and is asked for again", async () => {
    const folder = tempFolder(project)
    const path = join(folder, "work/p")
    await open(folder).decide(path, "always")
    putFile(folder, "data/trust.json", '{ "trunc')
    expect(await open(folder).check(path)).toMatchObject({ status: "unknown" })
    putFile(folder, "data/trust.json", JSON.stringify({ [path]: { decision: "perhaps" }, "/": "always" }))
    expect(await open(folder).check(path)).toMatchObject({ status: "unknown" })
  })
})

test("skills of the folders above, up to the top of the working tree, are part of what is trusted", async () => {
  const root = tempFolder({ "top/.git/HEAD": "", "top/.agents/skills/a/SKILL.md": "one", "top/deep/x": "" })
  const store = new TrustStore(join(root, "trust.json"), systemClock)
  const deep = join(root, "top/deep")
  expect(await store.check(deep)).toEqual({ status: "unknown", files: ["../.agents/skills/a/SKILL.md"] })
  await store.decide(deep, "always")
  expect(await store.check(deep)).toEqual({ status: "trusted" })
  putFile(root, "top/.agents/skills/a/SKILL.md", "two")
  expect(await store.check(deep)).toMatchObject({ status: "changed", changed: ["../.agents/skills/a/SKILL.md"] })
})
