import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { contextBytesMax, readInstructions, type Instructions } from "../../src/home/instructions.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

/** The texts that the agent is told, in order; files are written with their own path as text. */
function told(folder: string, cwd: string, project: string | null = null): Instructions {
  return readInstructions({
    cwd: join(folder, cwd),
    config: join(folder, "config"),
    project: project && join(folder, project),
  })
}

const texts = ({ context }: Instructions): readonly string[] => context.map(({ text }) => text)

function named(...names: readonly string[]): string {
  return tempFolder(Object.fromEntries(names.map((name) => [name, name])))
}

describe("context files", () => {
  test("are the person's own, then one of each folder from the top down", () => {
    const folder = named(
      "config/AGENTS.md",
      "AGENTS.md",
      "work/CLAUDE.md",
      "work/repo/sub/AGENTS.md",
      "work/other/AGENTS.md",
    )
    expect(texts(told(folder, "work/repo/sub"))).toEqual([
      "config/AGENTS.md",
      "AGENTS.md",
      "work/CLAUDE.md",
      "work/repo/sub/AGENTS.md",
    ])
  })

  test("of one folder are the first of override, AGENTS.md, CLAUDE.md", () => {
    const folder = named("a/AGENTS.override.md", "a/AGENTS.md", "a/b/AGENTS.md", "a/b/CLAUDE.md", "a/b/c/CLAUDE.md")
    expect(texts(told(folder, "a/b/c"))).toEqual(["a/AGENTS.override.md", "a/b/AGENTS.md", "a/b/c/CLAUDE.md"])
  })

  test("are told once when two names lead to one file, and when work is done in the config folder", () => {
    const folder = named("a/AGENTS.md", "config/AGENTS.md")
    mkdirSync(join(folder, "a/b"))
    symlinkSync(join(folder, "a/AGENTS.md"), join(folder, "a/b/CLAUDE.md"))
    expect(texts(told(folder, "a/b"))).toEqual(["config/AGENTS.md", "a/AGENTS.md"])
    expect(texts(told(folder, "config"))).toEqual(["config/AGENTS.md"])
  })

  test("carry path, size and an estimate of tokens", () => {
    const folder = tempFolder({ "a/AGENTS.md": "Be brief.\n", "config/x": "" })
    expect(told(folder, "a").context).toEqual([
      { path: join(folder, "a/AGENTS.md"), text: "Be brief.", bytes: 10, tokens: 3 },
    ])
  })

  test("that are empty, folders or dangling links say nothing", () => {
    const folder = tempFolder({ "a/AGENTS.md": " \n", "a/b/AGENTS.md/x": "", "a/b/CLAUDE.md": "b" })
    mkdirSync(join(folder, "a/b/c"))
    symlinkSync(join(folder, "nowhere"), join(folder, "a/b/c/AGENTS.md"))
    expect(told(folder, "a/b/c")).toMatchObject({ context: [{ text: "b" }], notices: [] })
  })

  test("that are no text are left out, long ones are cut, and both are told", () => {
    const folder = tempFolder({ "a/b/x": "", "a/AGENTS.md": "x".repeat(contextBytesMax + 1) })
    writeFileSync(join(folder, "a/b/AGENTS.md"), new Uint8Array([65, 0, 66]))
    const { context, notices } = told(folder, "a/b")
    expect(context.map(({ text }) => text.length)).toEqual([contextBytesMax + 65])
    expect(context[0]?.text).toEndWith("(The rest of this file was left out; read it where you need it.)")
    expect(notices).toEqual([
      `${join(folder, "a/AGENTS.md")} has ${contextBytesMax + 1} bytes; the model is told the first ${contextBytesMax} of them.`,
      `${join(folder, "a/b/AGENTS.md")} is no text and was left out.`,
    ])
  })

  test("cut inside a character lose that character", () => {
    const folder = tempFolder({ "a/AGENTS.md": `${"x".repeat(contextBytesMax - 1)}é and more` })
    expect(told(folder, "a").context[0]?.text).not.toContain("\ufffd")
  })
})

describe("in a worktree inside of its main working tree", () => {
  const git = (folder: string): void => {
    putFile(folder, "repo/.git/worktrees/topic/HEAD", "ref: refs/heads/topic")
    putFile(folder, "repo/.worktrees/topic/.git", `gitdir: ${join(folder, "repo/.git/worktrees/topic")}\n`)
  }

  test("the same file is not told twice", () => {
    const folder = named(
      "AGENTS.md",
      "repo/AGENTS.md",
      "repo/.worktrees/topic/AGENTS.md",
      "repo/.worktrees/topic/sub/AGENTS.md",
    )
    git(folder)
    expect(texts(told(folder, "repo/.worktrees/topic/sub"))).toEqual([
      "AGENTS.md",
      "repo/.worktrees/topic/AGENTS.md",
      "repo/.worktrees/topic/sub/AGENTS.md",
    ])
  })

  test("without a file of its own the main tree's is told", () => {
    const folder = named("repo/AGENTS.md", "repo/.worktrees/topic/README")
    git(folder)
    expect(texts(told(folder, "repo/.worktrees/topic"))).toEqual(["repo/AGENTS.md"])
  })
})

test("SYSTEM.md and APPEND_SYSTEM.md of a trusted project come before the person's", () => {
  const folder = named("config/SYSTEM.md", "config/APPEND_SYSTEM.md", "a/.cairn/SYSTEM.md")
  expect(told(folder, "a")).toMatchObject({
    system: { text: "config/SYSTEM.md" },
    append: { text: "config/APPEND_SYSTEM.md" },
  })
  expect(told(folder, "a", "a/.cairn")).toMatchObject({
    system: { text: "a/.cairn/SYSTEM.md" },
    append: { text: "config/APPEND_SYSTEM.md" },
  })
  expect(told(tempFolder({ "a/x": "" }), "a")).toMatchObject({ system: null, append: null })
})
