/** Field report 139: a folder for temporary files that cannot hold a library does not keep the screen from starting. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { prepareNative } from "../../../src/tui/native.ts"
import { builtBinary } from "../../support/binary.ts"
import { Pty } from "../../support/pty.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

test.each([
  ["one that is not there", "/nonexistent"],
  ["one that nobody can write to", "/proc"],
])("with a folder for temporary files that is %s the executable starts (139)", async (_, folder) => {
  const home = mkdtempSync(join(tmpdir(), "cairn-native-"))
  const env = { HOME: home, TMPDIR: folder, BUN_TMPDIR: folder }
  {
    await using pty = new Pty([await builtBinary(), "tour"], { env, cwd: home })
    await pty.says("Ask anything")
    pty.kill("SIGTERM")
    expect(await pty.ended()).toBe(143)
  }
  const libraries = readdirSync(home, { recursive: true }).filter((path) => String(path).endsWith(".so"))
  expect(libraries.length).toBeLessThanOrEqual(1)
  rmSync(home, { recursive: true, force: true })
})

test("a library that loads where it is needs no folder (139)", async () => {
  expect(await prepareNative([])).toEqual({ ok: true })
})
