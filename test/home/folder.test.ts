import { describe, expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { identifyFolder, isSameFolder, projectOf, workTreeOf, type FolderIdentity } from "../../src/home/folder.ts"
import { systemClock } from "../../src/std/clock.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

function git(folder: string, ...args: readonly string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"]
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" }
  const ran = Bun.spawnSync(["git", "-C", folder, ...who, ...args], { env })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
}

/** A repository with one commit, which has a folder `sub`. */
function repository(folder: string, name: string): string {
  const path = join(folder, name)
  putFile(path, "sub/a.txt", name)
  git(path, "init", "-q")
  git(path, "add", ".")
  git(path, "commit", "-q", "-m", `first of ${name}`)
  return path
}

const who = (path: string): Promise<FolderIdentity> => identifyFolder(path, systemClock)

describe("a folder", () => {
  test("that was moved is found again by its inode", async () => {
    const folder = tempFolder({ "a/x": "" })
    const before = await who(join(folder, "a"))
    renameSync(join(folder, "a"), join(folder, "b"))
    const after = await who(join(folder, "b"))
    expect([isSameFolder(before, after, true), isSameFolder(before, after, false)]).toEqual([true, false])
  })

  test("that was copied is found again by its repository, when the old one is gone", async () => {
    const folder = tempFolder()
    const old = repository(folder, "old")
    const other = repository(folder, "other")
    const before = await who(join(old, "sub"))
    git(folder, "clone", "-q", old, join(folder, "copy"))
    const copy = await who(join(folder, "copy/sub"))
    rmSync(old, { recursive: true })
    expect(before.repository).toMatchObject({ worktree: "", inside: "sub" })
    expect(before.repository?.firstCommit).toMatch(/^[0-9a-f]{40}$/)
    expect(isSameFolder(before, copy, true)).toBe(true)
    expect(isSameFolder(before, await who(join(folder, "copy")), true)).toBe(false)
    expect(isSameFolder(before, await who(join(other, "sub")), true)).toBe(false)
  })

  test("of a worktree is its own", async () => {
    const folder = tempFolder()
    const main = repository(folder, "main")
    git(main, "worktree", "add", "-q", join(folder, "topic"))
    expect(workTreeOf(join(folder, "topic/sub"))).toEqual({ top: join(folder, "topic"), worktree: "topic", main })
    const [before, topic] = [await who(join(main, "sub")), await who(join(folder, "topic/sub"))]
    expect(isSameFolder(before, topic, true)).toBe(false)
  })

  test("outside of a repository has none, and one without a commit has no first one", async () => {
    const folder = tempFolder({ "a/x": "" })
    expect((await who(join(folder, "a"))).repository).toBeNull()
    git(join(folder, "a"), "init", "-q")
    expect((await who(join(folder, "a"))).repository).toBeNull()
    expect(workTreeOf(join(folder, "a"))).toEqual({ top: join(folder, "a"), worktree: "", main: join(folder, "a") })
  })
})

test("a project's folder is the nearest with .cairn, up to the top of its working tree and no further", () => {
  const folder = tempFolder({
    ".cairn/config.json": "{}",
    "repo/.git/HEAD": "",
    "repo/a/b/x": "",
    "repo/c/.cairn/config.json": "{}",
  })
  mkdirSync(join(folder, "repo/c/d"))
  expect(projectOf(join(folder, "repo/a/b"))).toBe(join(folder, "repo/a/b"))
  expect(projectOf(join(folder, "repo/c/d"))).toBe(join(folder, "repo/c"))
  mkdirSync(join(folder, "repo/.cairn"))
  expect(projectOf(join(folder, "repo/a/b"))).toBe(join(folder, "repo"))
})
