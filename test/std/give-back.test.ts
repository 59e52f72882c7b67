/** What only a start needed goes back, and what is used after that is as it was. */
import { expect, test } from "bun:test"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

test("pages of the executable that are not code go back, and nothing is lost", () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-give-back-"))
  try {
    // A file that no other process has mapped: what others use too is not given back.
    const runtime = join(folder, "runtime")
    copyFileSync(process.execPath, runtime)
    const fixture = join(import.meta.dir, "give-back.fixture.ts")
    const { stdout, stderr } = Bun.spawnSync([runtime, fixture], { env: {} })
    expect(stderr.toString()).toBe("")
    const told = JSON.parse(stdout.toString()) as { before: number; after: number; works: boolean }
    expect(told.works).toBe(true)
    // Elsewhere there is nothing to give back, and nothing happens.
    if (process.platform === "linux") expect(told.after).toBeLessThan(told.before / 2)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
