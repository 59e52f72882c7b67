import { describe, expect, test } from "bun:test"
import { MemoryBlobs } from "../../src/ledger/blobs.ts"
import { editTool } from "../../src/tools/edit.ts"
import { changeIn, seenIn } from "../../src/tools/file-facts.ts"
import { readTool } from "../../src/tools/read.ts"
import type { FileHistory, Tool, ToolResult } from "../../src/tools/tool.ts"
import { writeTool } from "../../src/tools/write.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { textOf, workbench, type Workbench } from "./workbench.ts"

/** Calls of one conversation, whose results say what its model has seen. */
function conversation(bench: Workbench): {
  call(tool: Tool, args: JsonObject): Promise<ToolResult>
  blobs: MemoryBlobs
} {
  const blobs = new MemoryBlobs()
  const seen = new Map<string, string>()
  const history: FileHistory = {
    seen: async (path) => seen.get(path) ?? null,
    content: (hash) => blobs.read(hash),
    keep: async (contents) => void (await blobs.keep(contents)),
  }
  return {
    blobs,
    async call(tool, args) {
      const result = await bench.call(tool, args, { history })
      const file = seenIn(result.details)
      if (file !== null) seen.set(file.path, file.hash)
      return result
    },
  }
}

const lines = (...numbers: readonly number[]): string => numbers.map((number) => `line ${number}\n`).join("")

describe("a file that others changed since the model last saw it", () => {
  test("is not written over: the result says what changed, and the next write stands", async () => {
    using bench = workbench()
    bench.put("a.txt", lines(1, 2, 3))
    const { call } = conversation(bench)
    await call(readTool, { path: "a.txt" })
    bench.put("a.txt", `${lines(1)}mine\n${lines(3)}`)
    const refused = await call(writeTool, { path: "a.txt", content: "all new\n" })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toBe(
      `a.txt changed since you last read or wrote it: nothing was written. What changed:
--- a.txt
+++ a.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+mine
 line 3
Write it again with these changes kept, or without them if they are to go.`,
    )
    expect(bench.get("a.txt")).toContain("mine")
    expect((await call(writeTool, { path: "a.txt", content: "all new\n" })).isError).toBe(false)
    expect(bench.get("a.txt")).toBe("all new\n")
  })

  test("is edited where the edit says, and what others changed is told", async () => {
    using bench = workbench()
    bench.put("a.txt", lines(1, 2, 3, 4, 5, 6, 7, 8, 9))
    const { call } = conversation(bench)
    await call(readTool, { path: "a.txt" })
    bench.put("a.txt", `first\n${lines(1, 2, 3, 4, 5, 6, 7, 8, 9)}`)
    const result = await call(editTool, { path: "a.txt", edits: [{ oldText: "line 9", newText: "line nine" }] })
    expect(textOf(result)).toStartWith(
      "Edited a.txt: +1 -1 lines, from line 10.\n\n[a.txt had changed since you last read or wrote it",
    )
    expect(textOf(result)).toContain("+first\n line 1")
    expect(bench.get("a.txt")).toBe(`first\n${lines(1, 2, 3, 4, 5, 6, 7, 8)}line nine\n`)
    // Told once: the model has seen it now.
    const next = await call(editTool, { path: "a.txt", edits: [{ oldText: "line 1\n", newText: "line one\n" }] })
    expect(textOf(next)).toBe("Edited a.txt: +1 -1 lines, from line 2.")
  })

  test("is named where an edit fails for it", async () => {
    using bench = workbench()
    bench.put("a.txt", lines(1, 2))
    const { call } = conversation(bench)
    await call(readTool, { path: "a.txt" })
    bench.put("a.txt", "gone\n")
    const failed = await call(editTool, { path: "a.txt", edits: [{ oldText: "line 2", newText: "2" }] })
    expect(textOf(failed)).toContain("oldText was not found in a.txt.")
    expect(textOf(failed)).toContain("-line 1\n-line 2\n+gone")
  })

  test("is to be read again where the difference cannot be told, and is unseen until then", async () => {
    using bench = workbench()
    bench.put("a.txt", lines(1))
    const { call } = conversation(bench)
    await call(readTool, { path: "a.txt" })
    bench.put("a.txt", "other\n".repeat(3_000))
    for (let time = 0; time < 2; time++) {
      const refused = await call(writeTool, { path: "a.txt", content: "x" })
      expect(textOf(refused)).toEndWith("nothing was written. Read it again before you write it.")
    }
    await call(readTool, { path: "a.txt" })
    expect((await call(writeTool, { path: "a.txt", content: "x" })).isError).toBe(false)
  })

  test("is told of after a write and after an edit too, and by whatever link", async () => {
    using bench = workbench()
    const { call } = conversation(bench)
    await call(writeTool, { path: "a.txt", content: "one\ntwo\n" })
    await call(editTool, { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] })
    bench.put("a.txt", "one\n2\nthree\n")
    const refused = await call(writeTool, { path: `${bench.folder}/./a.txt`, content: "x" })
    expect(textOf(refused)).toContain("+three")
  })

  test("is written where it says already what it is to say, or is gone", async () => {
    using bench = workbench()
    bench.put("a.txt", "old\n")
    const { call } = conversation(bench)
    await call(readTool, { path: "a.txt" })
    bench.put("a.txt", "new\n")
    expect(textOf(await call(writeTool, { path: "a.txt", content: "new\n" }))).toBe("Wrote a.txt: 4 bytes, unchanged.")
    bench.put("b.txt", "b")
    await call(readTool, { path: "b.txt" })
    await Bun.file(bench.path("b.txt")).delete()
    expect((await call(writeTool, { path: "b.txt", content: "again" })).isError).toBe(false)
  })

  test("and was never seen is written over, since what was there is kept", async () => {
    using bench = workbench()
    bench.put("a.txt", "nobody read this\n")
    const { call, blobs } = conversation(bench)
    const change = changeIn((await call(writeTool, { path: "a.txt", content: "x" })).details)
    expect(new TextDecoder().decode((await blobs.read(change?.before ?? "")) ?? undefined)).toBe("nobody read this\n")
    expect(new TextDecoder().decode((await blobs.read(change?.after ?? "")) ?? undefined)).toBe("x")
  })
})

describe("names that look the same", () => {
  test("are one file to edit and write, as they are to read", async () => {
    using bench = workbench()
    const composed = "caf\u00e9.txt"
    const decomposed = "cafe\u0301.txt"
    bench.put(decomposed, "one\n")
    const { call } = conversation(bench)
    expect(textOf(await call(readTool, { path: composed }))).toBe("one")
    const edited = await call(editTool, { path: composed, edits: [{ oldText: "one", newText: "two" }] })
    expect([edited.isError, bench.get(decomposed)]).toEqual([false, "two\n"])
    await call(writeTool, { path: composed, content: "three\n" })
    expect(bench.get(decomposed)).toBe("three\n")
    bench.put("Shot\u202fat 9.txt", "a\n")
    await call(writeTool, { path: "Shot at 9.txt", content: "b\n" })
    expect(bench.get("Shot\u202fat 9.txt")).toBe("b\n")
  })

  test("but for their capitals are two, and the second is told of the first", async () => {
    using bench = workbench()
    bench.put("README.md", "a\n")
    const { call } = conversation(bench)
    const result = await call(writeTool, { path: "readme.md", content: "b\n" })
    expect(textOf(result)).toBe(
      "Wrote readme.md: 2 bytes, new. README.md is beside it: on many machines the two are one file.",
    )
    await bench.call(writeTool, { path: "src/deep/a", content: "1\n" })
    expect(textOf(await bench.call(writeTool, { path: "SRC/deep/b", content: "2\n" }))).toBe(
      "Wrote SRC/deep/b: 2 bytes, new. src is beside SRC: on many machines the two are one folder.",
    )
    const missing = await call(editTool, { path: "ReadMe.md", edits: [{ oldText: "a", newText: "b" }] })
    expect(textOf(missing)).toContain("ReadMe.md does not exist. Did you mean README.md or readme.md?")
  })
})

test("what is replaced is kept before the mark, and what is too large to keep is said to be lost", async () => {
  using bench = workbench()
  const kept: number[] = []
  const history: FileHistory = {
    seen: () => Promise.resolve(null),
    content: () => Promise.resolve(null),
    keep: async (contents, flush) => {
      expect(flush).toBe("flushed")
      kept.push(...contents.map(({ length }) => length))
    },
  }
  bench.put("a.txt", "0123456789")
  const context = bench.context({ history })
  const prepared = await writeTool.prepare?.({ path: "a.txt", content: "abc" }, context)
  expect(prepared?.ok).toBe(true)
  expect(kept).toEqual([10, 3])
  bench.put("large.bin", new Uint8Array(17 * 1024 * 1024))
  const result = await bench.call(writeTool, { path: "large.bin", content: "small" }, { history })
  expect(textOf(result)).toEndWith("What it was is too large to be kept: this cannot be undone.")
  expect(changeIn(result.details)?.kept).toBe(false)
})

test("where what is replaced cannot be kept, nothing is written", async () => {
  using bench = workbench()
  bench.put("a.txt", "old")
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
  const history: FileHistory = {
    seen: () => Promise.resolve(null),
    content: () => Promise.resolve(null),
    keep: () => Promise.reject(full),
  }
  const result = await bench.call(writeTool, { path: "a.txt", content: "new" }, { history })
  expect([result.isError, bench.get("a.txt")]).toEqual([true, "old"])
  expect(textOf(result)).toEndWith("Nothing was changed.")
  expect((await bench.call(readTool, { path: "a.txt" }, { history })).isError).toBe(false)
})
