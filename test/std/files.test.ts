import { afterEach, beforeEach, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  errorCode,
  fileMeta,
  hashBytes,
  hashFile,
  syncFolder,
  writeFileAtomic,
  writeTemp,
} from "../../src/std/files.ts"

let folder = ""
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "cairn-files-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const path = (name: string): string => join(folder, name)
const mode = (name: string): number => statSync(path(name)).mode & 0o7777

test("a file is made whole, by the umask, and nothing is left beside it", async () => {
  await writeFileAtomic(path("a"), "one")
  expect(readFileSync(path("a"), "utf8")).toBe("one")
  expect(mode("a")).toBe(0o666 & ~process.umask())
  expect(readdirSync(folder)).toEqual(["a"])
})

test("a new file may be given a mode, which an old one does not take", async () => {
  await writeFileAtomic(path("a"), "one", { mode: 0o600 })
  expect(mode("a")).toBe(0o600)
  await writeFileAtomic(path("a"), "two", { mode: 0o644 })
  expect([mode("a"), readFileSync(path("a"), "utf8")]).toEqual([0o600, "two"])
})

test("a file that is replaced keeps its mode, set-id bits included", async () => {
  for (const bits of [0o755, 0o640, 0o400, 0o2755]) {
    writeFileSync(path("a"), "old")
    chmodSync(path("a"), bits)
    await writeFileAtomic(path("a"), Uint8Array.of(1, 2))
    expect(mode("a")).toBe(bits)
    rmSync(path("a"))
  }
})

test("a write that fails throws its code, and leaves the old file and no other", async () => {
  writeFileSync(path("a"), "old")
  const failed = await writeFileAtomic(join(path("a"), "b"), "x").catch((error: unknown) => errorCode(error))
  expect(failed).toBe("ENOTDIR")
  expect(readdirSync(folder)).toEqual(["a"])
  expect(readFileSync(path("a"), "utf8")).toBe("old")
})

test("the place of a folder is not taken", async () => {
  await writeFileAtomic(path("d"), "x")
  rmSync(path("d"))
  await Bun.write(join(path("d"), "inner"), "y")
  const failed = await writeFileAtomic(path("d"), "x").catch((error: unknown) => errorCode(error))
  expect(failed).toBe("EISDIR")
  expect(readdirSync(folder)).toEqual(["d"])
})

test("a temporary file that was left over is replaced", async () => {
  writeFileSync(path("t"), "left over")
  expect(await writeTemp(path("t"), "new", null)).toBe(true)
  expect(readFileSync(path("t"), "utf8")).toBe("new")
})

test("a hash of a file is that of its bytes, and null where there is none", async () => {
  const bytes = new Uint8Array(700_000).map((_, at) => at % 251)
  writeFileSync(path("a"), bytes)
  expect(await hashFile(path("a"))).toBe(hashBytes(bytes))
  expect(hashBytes("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  expect(await hashFile(path("missing"))).toBeNull()
  expect(await fileMeta(path("missing"))).toBeNull()
})

test("a folder that is not there cannot be flushed", async () => {
  await syncFolder(folder)
  expect(await syncFolder(path("missing")).catch((error: unknown) => errorCode(error))).toBe("ENOENT")
})
