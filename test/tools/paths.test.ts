import { describe, expect, test } from "bun:test"
import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { distance, lookAlike, realPathOf, resolvePath } from "../../src/tools/paths.ts"
import { workbench, type Workbench } from "./workbench.ts"

async function resolved(bench: Workbench, input: string, more: { cwd?: string; home?: string } = {}): Promise<string> {
  const place = await resolvePath(input, bench.context(more))
  return place.ok ? place.path : place.message
}

describe("a path is taken as meant", () => {
  test("from the folder of the conversation", async () => {
    using bench = workbench()
    expect(await resolved(bench, "a/../b")).toBe(bench.path("b"))
    expect(await resolved(bench, "/etc/hosts")).toBe("/etc/hosts")
  })

  test("without a leading @, with ~ as home, with plain spaces", async () => {
    using bench = workbench()
    expect(await resolved(bench, "@a.ts")).toBe(bench.path("a.ts"))
    expect(await resolved(bench, "~/x", { home: "/h" })).toBe("/h/x")
    expect(await resolved(bench, "~", { home: "/h" })).toBe("/h")
    expect(await resolved(bench, "a\u00a0b")).toBe(bench.path("a b"))
  })

  test("but one that exists as written is that one", async () => {
    using bench = workbench()
    bench.put("@a.ts", "x")
    bench.put("a\u00a0b", "x")
    expect(await resolved(bench, "@a.ts")).toBe(bench.path("@a.ts"))
    expect(await resolved(bench, "a\u00a0b")).toBe(bench.path("a\u00a0b"))
  })

  test("empty, with a NUL, or from a folder that is gone, it is refused", async () => {
    using bench = workbench()
    expect(await resolved(bench, " ")).toBe("The path is empty.")
    expect(await resolved(bench, "a\0b")).toBe("The path has a NUL character in it.")
    expect(await resolved(bench, "a", { cwd: bench.path("gone") })).toBe(
      `The folder of this conversation, ${bench.path("gone")}, is gone. The person can move it with /cd.`,
    )
  })
})

describe("a real path", () => {
  test("follows links, dangling ones too, and names that are not there yet", async () => {
    using bench = workbench()
    mkdirSync(bench.path("d"))
    symlinkSync("d", bench.path("to-d"))
    symlinkSync("to-d/new", bench.path("dangling"))
    expect(await realPathOf(bench.path("to-d/x/y"))).toBe(bench.path("d/x/y"))
    expect(await realPathOf(bench.path("dangling"))).toBe(bench.path("d/new"))
    expect(await realPathOf("/")).toBe(realpathSync("/"))
  })

  test("of a circle of links is an answer", async () => {
    using bench = workbench()
    symlinkSync("b", bench.path("a"))
    symlinkSync("a", bench.path("b"))
    expect(await resolved(bench, "a")).toBe("a: its symbolic links go in a circle.")
  })
})

test("two names that look the same are not chosen between", async () => {
  using bench = workbench()
  bench.put("a\u00a0b", "1")
  bench.put("a\u202fb", "2")
  expect(await lookAlike(bench.path("a b"))).toBeNull()
})

test("the distance of names is that of their letters, up to a limit", () => {
  expect(distance("config", "confg", 3)).toBe(1)
  expect(distance("abc", "abc", 3)).toBe(0)
  expect(distance("emtpy", "empty", 3)).toBe(1)
  expect(distance("kitten", "sitting", 5)).toBe(3)
  expect(distance("abcdef", "uvwxyz", 2)).toBe(3)
  expect(distance("a", "abcdef", 2)).toBe(3)
})
