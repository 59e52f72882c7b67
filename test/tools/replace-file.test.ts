import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { readAttribute, writeAttribute } from "../../src/std/attributes.ts"
import { hashBytes } from "../../src/std/files.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { editTool } from "../../src/tools/edit.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { writeTool } from "../../src/tools/write.ts"
import { detail, textOf, workbench, type Workbench } from "./workbench.ts"

const mode = (bench: Workbench, name: string): number => statSync(bench.path(name)).mode & 0o7777
const edit = (oldText: string, newText: string): JsonObject => ({ path: "f", edits: [{ oldText, newText }] })

async function intentOf(bench: Workbench, tool: Tool, args: JsonObject): Promise<JsonObject> {
  const prepared = await tool.prepare?.(args, bench.context({ key: "one:call" }))
  if (prepared?.ok !== true) throw new Error("this call can be prepared")
  return JSON.parse(JSON.stringify(prepared.intent)) as JsonObject
}

describe("write", () => {
  test("makes a file and its folders, and says so", async () => {
    using bench = workbench()
    const result = await bench.call(writeTool, { path: "a/b/c.txt", content: "one\ntwo\n" })
    expect(textOf(result)).toBe("Wrote a/b/c.txt: 8 bytes, new.")
    expect(bench.get("a/b/c.txt")).toBe("one\ntwo\n")
    expect(detail(result, "diff")).toBe("--- /dev/null\n+++ a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n")
    expect([detail(result, "created"), detail(result, "added"), detail(result, "removed")]).toEqual([true, 2, 0])
    expect(readdirSync(bench.folder)).toEqual(["a"])
    expect(readdirSync(bench.path("a/b"))).toEqual(["c.txt"])
    expect(mode(bench, "a/b/c.txt")).toBe(0o666 & ~process.umask())
  })

  test("shows what changed of a file that was there", async () => {
    using bench = workbench()
    bench.put("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    const result = await bench.call(writeTool, { path: "f", content: "1\n2\n3\n4\n5\n6\n7\nacht\n9\n" })
    expect(textOf(result)).toBe("Wrote f: 21 bytes, +1 -1 lines.")
    expect(detail(result, "diff")).toBe("--- f\n+++ f\n@@ -5,5 +5,5 @@\n 5\n 6\n 7\n-8\n+acht\n 9\n")
    expect(detail(result, "firstLine")).toBe(8)
  })

  test("says that nothing changed where nothing did", async () => {
    using bench = workbench()
    bench.put("f", "same")
    expect(textOf(await bench.call(writeTool, { path: "f", content: "same" }))).toBe("Wrote f: 4 bytes, unchanged.")
  })

  test("keeps CRLF, the byte order mark and the encoding of a text that was there (68, 71)", async () => {
    using bench = workbench()
    bench.put("crlf", "a\r\nb\r\n")
    await bench.call(writeTool, { path: "crlf", content: "x\ny\n" })
    expect(bench.get("crlf")).toBe("x\r\ny\r\n")
    bench.put("mixed", "a\r\nb\n")
    await bench.call(writeTool, { path: "mixed", content: "x\ny\n" })
    expect(bench.get("mixed")).toBe("x\ny\n")
    bench.put("bom", "\ufeffa\n")
    await bench.call(writeTool, { path: "bom", content: "b\n" })
    expect(bench.get("bom")).toBe("\ufeffb\n")
    bench.put("wide", Buffer.from("\ufeffa\n", "utf16le"))
    await bench.call(writeTool, { path: "wide", content: "阴\n" })
    expect(Buffer.from(bench.bytes("wide")).toString("utf16le")).toBe("\ufeff阴\n")
    bench.put("latin", Uint8Array.of(0xe9, 0x0a))
    await bench.call(writeTool, { path: "latin", content: "è\n" })
    expect([...bench.bytes("latin")]).toEqual([0xe8, 0x0a])
    await bench.call(writeTool, { path: "latin", content: "→\n" })
    expect(bench.get("latin")).toBe("→\n")
  })

  test("refuses a folder, a device, and a way through a file", async () => {
    using bench = workbench()
    mkdirSync(bench.path("d"))
    bench.put("f", "x")
    const told = async (path: string): Promise<string> => textOf(await bench.call(writeTool, { path, content: "y" }))
    expect(await told("d")).toBe("d is a folder.")
    expect(await told("/dev/null")).toBe("/dev/null is a device, pipe or socket, not a file.")
    expect(await told("f/g")).toContain("a part of the path is a file")
    expect(await told("")).toBe("The path is empty.")
    expect(bench.get("f")).toBe("x")
  })
})

describe("a file that is replaced", () => {
  const changes: readonly (readonly [string, Tool, JsonObject])[] = [
    ["edit", editTool, edit("old", "new")],
    ["write", writeTool, { path: "f", content: "new" }],
  ]
  for (const [name, tool, args] of changes) {
    test(`keeps its mode (${name}, 79)`, async () => {
      using bench = workbench()
      for (const bits of [0o755, 0o600, 0o2775]) {
        bench.put("f", "old")
        chmodSync(bench.path("f"), bits)
        await bench.call(tool, args)
        expect([bench.get("f"), mode(bench, "f")]).toEqual(["new", bits])
      }
    })

    test(`keeps its owner and group, where they can be given (${name}, 79)`, async () => {
      using bench = workbench()
      bench.put("f", "old")
      const owner = process.getuid?.() === 0 ? [12_345, 23_456] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
      chownSync(bench.path("f"), owner[0] ?? 0, owner[1] ?? 0)
      await bench.call(tool, args)
      const { uid, gid } = statSync(bench.path("f"))
      expect([bench.get("f"), [uid, gid]]).toEqual(["new", owner])
    })

    test(`keeps its attributes (${name}, 79)`, async () => {
      using bench = workbench()
      bench.put("f", "old")
      const given = writeAttribute(bench.path("f"), "user.origin", Buffer.from("a page"))
      const before = statSync(bench.path("f")).ino
      await bench.call(tool, args)
      expect(bench.get("f")).toBe("new")
      expect(readAttribute(bench.path("f"), "user.origin")?.toString()).toBe(given ? "a page" : undefined)
      // In another file all the same: nobody sees half of it.
      expect(statSync(bench.path("f")).ino).not.toBe(before)
    })

    test(`stays behind the link that leads to it (${name}, 80)`, async () => {
      using bench = workbench()
      mkdirSync(bench.path("d"))
      bench.put("d/real", "old")
      symlinkSync("d/real", bench.path("f"))
      await bench.call(tool, args)
      expect([bench.get("d/real"), readlinkSync(bench.path("f"))]).toEqual(["new", "d/real"])
      expect(readdirSync(bench.path("d"))).toEqual(["real"])
    })

    test(`keeps its other names (${name}, 79)`, async () => {
      using bench = workbench()
      bench.put("f", "old")
      linkSync(bench.path("f"), bench.path("other"))
      await bench.call(tool, args)
      expect([bench.get("f"), bench.get("other"), statSync(bench.path("f")).nlink]).toEqual(["new", "new", 2])
    })
  }

  test("may be where a dangling link leads (80)", async () => {
    using bench = workbench()
    symlinkSync("nowhere/yet", bench.path("f"))
    await bench.call(writeTool, { path: "f", content: "new" })
    expect([bench.get("nowhere/yet"), lstatSync(bench.path("f")).isSymbolicLink()]).toEqual(["new", true])
  })

  test("gets shorter in place without a rest of the old", async () => {
    using bench = workbench()
    bench.put("f", "a long old text")
    linkSync(bench.path("f"), bench.path("other"))
    await bench.call(writeTool, { path: "f", content: "short" })
    expect(bench.get("other")).toBe("short")
  })
})

describe("edit", () => {
  test("keeps bytes that are no text, marks and line ends (71, 73)", async () => {
    using bench = workbench()
    const rows: readonly (readonly [Uint8Array, string, string, Uint8Array])[] = [
      [Buffer.from("\ufeffold\r\nb"), "old", "new", Buffer.from("\ufeffnew\r\nb")],
      [Buffer.from("a old\r\n"), "a old\n", "a new\n", Buffer.from("a new\r\n")],
      [
        Buffer.concat([Buffer.from("é"), Uint8Array.of(0xff), Buffer.from(" old")]),
        "old",
        "ö",
        Buffer.concat([Buffer.from("é"), Uint8Array.of(0xff), Buffer.from(" ö")]),
      ],
      [Uint8Array.of(0xe9, 0x20, 0x6f, 0x6c, 0x64), "é old", "è", Uint8Array.of(0xe8)],
      [Buffer.from("\ufeff阴 old\r\n", "utf16le"), "old", "new", Buffer.from("\ufeff阴 new\r\n", "utf16le")],
    ]
    for (const [before, oldText, newText, after] of rows) {
      bench.put("f", before)
      await bench.call(editTool, edit(oldText, newText))
      expect(Buffer.from(bench.bytes("f")).toString("hex")).toBe(Buffer.from(after).toString("hex"))
    }
  })

  test("says what it did, and where", async () => {
    using bench = workbench()
    bench.put("f", "one\ntwo\nthree\n")
    const edits = [
      { oldText: "three", newText: "3" },
      { oldText: "two", newText: "2\n2½" },
    ]
    const result = await bench.call(editTool, { path: "f", edits })
    expect(textOf(result)).toBe("Edited f in 2 places: +3 -2 lines, from line 2.")
    expect(detail(result, "diff")).toBe("--- f\n+++ f\n@@ -1,3 +1,4 @@\n one\n-two\n-three\n+2\n+2½\n+3\n")
    expect(detail(result, "path")).toBe(bench.path("f"))
  })

  test("tells an inexact match", async () => {
    using bench = workbench()
    bench.put("f", "say “hi”\n")
    expect(textOf(await bench.call(editTool, edit('"hi"', '"ho"')))).toBe(
      "Edited f: +1 -1 lines, from line 1. Inexact: oldText differed in look-alike characters (line 1).",
    )
  })

  test("refuses what is no text, is not there, or cannot be held", async () => {
    using bench = workbench()
    const told = async (): Promise<string> => textOf(await bench.call(editTool, edit("a", "→")))
    expect(await told()).toBe("f does not exist. Make it with write.")
    bench.put("f", Uint8Array.of(0x61, 0, 1, 2))
    expect(await told()).toBe("f is binary data, 4 bytes: change it with a command.")
    bench.put("f", Uint8Array.of(0x61, 0xe9))
    expect(await told()).toBe("f is Latin-1 text, which has no →: convert the file first.")
    bench.put("f", "bb")
    expect(await told()).toContain("oldText was not found in f.")
    expect(bench.get("f")).toBe("bb")
    expect(readdirSync(bench.folder)).toEqual(["f"])
  })

  test("edits a file of 10 MB on a single line (84)", async () => {
    using bench = workbench()
    bench.put("f", `${"x".repeat(10_000_000)}old`)
    const result = await bench.call(editTool, edit("old", "new"))
    expect([detail(result, "tooLarge"), detail(result, "diff")]).toEqual([true, ""])
    expect(bench.get("f").endsWith("xnew")).toBe(true)
  })

  test("takes edits in the shapes that models give them", () => {
    const pair = { oldText: "a", newText: "b" }
    const shapes: readonly JsonObject[] = [
      { path: "f", edits: [pair] },
      { path: "f", edits: JSON.stringify([pair]) },
      { path: "f", edits: JSON.stringify(pair) },
      { path: "f", edits: pair },
      { path: "f", edits: [JSON.stringify(pair)] },
      { path: "f", ...pair },
      { file_path: "f", old_string: "a", new_string: "b" },
      { filePath: "f", edits: [{ old_text: "a", new_text: "b" }] },
    ]
    for (const shape of shapes) expect(editTool.coerce?.(shape)).toEqual({ path: "f", edits: [pair] })
    expect(editTool.coerce?.({ path: "f", edits: "no json" })).toEqual({ path: "f", edits: "no json" })
    expect(editTool.coerce?.({ path: "f" })).toEqual({ path: "f" })
  })
})

describe("between its intent and its result", () => {
  const change = edit("old", "new")

  test("nothing is seen of a change but a temporary file, made once", async () => {
    using bench = workbench()
    bench.put("f", "old")
    const intent = await intentOf(bench, editTool, change)
    await intentOf(bench, editTool, change)
    expect(bench.get("f")).toBe("old")
    expect(readdirSync(bench.folder).length).toBe(2)
    expect(intent).toMatchObject({
      realPath: bench.path("f"),
      before: hashBytes("old"),
      after: hashBytes("new"),
      mode: 0o666 & ~process.umask(),
    })
    await editTool.discard?.(intent, bench.context())
    expect(readdirSync(bench.folder)).toEqual(["f"])
  })

  test("a file that someone else changes is not touched", async () => {
    using bench = workbench()
    bench.put("f", "old")
    const intent = await intentOf(bench, editTool, change)
    bench.put("f", "theirs old")
    const result = await editTool.execute({ path: "f", edits: [] }, intent, bench.context())
    expect([result.isError, textOf(result)]).toEqual([
      true,
      "f changed meanwhile, by someone else: nothing was written. Read it again.",
    ])
    expect([bench.get("f"), readdirSync(bench.folder)]).toEqual(["theirs old", ["f"]])
  })

  test("a file that someone else makes is not touched", async () => {
    using bench = workbench()
    const args = { path: "f", content: "new" }
    const intent = await intentOf(bench, writeTool, args)
    bench.put("f", "theirs")
    const result = await writeTool.execute(args, intent, bench.context())
    expect([result.isError, bench.get("f"), readdirSync(bench.folder)]).toEqual([true, "theirs", ["f"]])
  })

  test("a temporary file that was lost is made again", async () => {
    using bench = workbench()
    bench.put("f", "old")
    const args = { path: "f", edits: [{ oldText: "old", newText: "new" }] }
    const intent = await intentOf(bench, editTool, args)
    await editTool.discard?.(intent, bench.context())
    const result = await editTool.execute(args, intent, bench.context())
    expect([result.isError, bench.get("f")]).toEqual([false, "new"])
  })
})

describe("after a restart, the file tells what became of a change", () => {
  const args = { path: "f", edits: [{ oldText: "old", newText: "new" }] }

  async function reconciled(
    bench: Workbench,
    meanwhile: (intent: JsonObject) => unknown,
  ): Promise<readonly [string, string]> {
    bench.put("f", "old")
    const intent = await intentOf(bench, editTool, args)
    await meanwhile(intent)
    const answer = await editTool.reconcile?.(args, intent, bench.context())
    expect(readdirSync(bench.folder).filter((name) => name !== "f")).toEqual([])
    if (answer === undefined) throw new Error("edit reconciles")
    return [answer.status, answer.status === "not started" ? "" : textOf(answer.result)]
  }

  test("it is as it was to be: done, with the result it would have had", async () => {
    using bench = workbench()
    const said = "Edited f: +1 -1 lines, from line 1."
    expect(await reconciled(bench, (intent) => editTool.execute(args, intent, bench.context()))).toEqual(["done", said])
    expect(await reconciled(bench, () => bench.put("f", "new"))).toEqual(["done", said])
  })

  test("it is as it was: not started, and no temporary file is left", async () => {
    using bench = workbench()
    expect(await reconciled(bench, () => undefined)).toEqual(["not started", ""])
    expect(bench.get("f")).toBe("old")
  })

  test("it is something else: unknown, with the hashes, and nothing is written", async () => {
    using bench = workbench()
    const [status, text] = await reconciled(bench, () => bench.put("f", "theirs"))
    expect(status).toBe("unknown")
    for (const content of ["old", "new", "theirs"]) expect(text).toContain(hashBytes(content))
    expect(bench.get("f")).toBe("theirs")
  })

  test("a new file that is not there was not started; one that is gone is unknown", async () => {
    using bench = workbench()
    const write = { path: "g", content: "x" }
    const intent = await intentOf(bench, writeTool, write)
    expect(await writeTool.reconcile?.(write, intent, bench.context())).toEqual({ status: "not started" })
    const answer = await editTool.reconcile?.(args, { ...intent, before: hashBytes("was") }, bench.context())
    expect(answer?.status).toBe("unknown")
  })
})

test("calls on one file through a link have one target", async () => {
  using bench = workbench()
  bench.put("real", "x")
  symlinkSync("real", bench.path("f"))
  const context = bench.context()
  expect(await editTool.target?.({ path: "f", edits: [] }, context)).toBe(bench.path("real"))
  expect(await writeTool.target?.({ path: "@real", content: "" }, context)).toBe(bench.path("real"))
})
