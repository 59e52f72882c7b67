import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { branchOf } from "../../../src/tui/status/branch.ts"
import { openRobot } from "../../support/screen.ts"

function repository(head: string): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "cairn-branch-"))
  mkdirSync(join(path, ".git"))
  writeFileSync(join(path, ".git/HEAD"), head)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("a folder inside of a repository is on its branch", async () => {
  using folder = repository("ref: refs/heads/feature/one\n")
  mkdirSync(join(folder.path, "src/deep"), { recursive: true })
  expect(await branchOf(join(folder.path, "src/deep"))).toBe("feature/one")
})

test("a worktree has a branch of its own", async () => {
  using main = repository("ref: refs/heads/main\n")
  using tree = repository("unused")
  mkdirSync(join(main.path, ".git/worktrees/tree"), { recursive: true })
  writeFileSync(join(main.path, ".git/worktrees/tree/HEAD"), "ref: refs/heads/side\n")
  rmSync(join(tree.path, ".git"), { recursive: true })
  writeFileSync(join(tree.path, ".git"), `gitdir: ${join(main.path, ".git/worktrees/tree")}\n`)
  expect(await branchOf(tree.path)).toBe("side")
})

test("a detached head is shown by its hash, and outside of a repository there is nothing", async () => {
  using folder = repository("0123456789abcdef0123456789abcdef01234567\n")
  expect(await branchOf(folder.path)).toBe("01234567")
  expect(await branchOf("/")).toBeNull()
})

test("the branch stands in the last row, and is looked at again when a run has ended", async () => {
  using folder = repository("ref: refs/heads/main\n")
  const robot = await openRobot({ options: { folder: folder.path } })
  await robot.until("(main)")
  const run = robot.host.begin(robot.clock.now())
  writeFileSync(join(folder.path, ".git/HEAD"), "ref: refs/heads/fix\n")
  robot.host.finish(run)
  await robot.wait(100)
  await robot.until("(fix)")
  await robot.close()
})
