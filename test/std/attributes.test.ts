import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { attributeNames, copyAttributes, readAttribute, writeAttribute } from "../../src/std/attributes.ts"

let folder = ""
const path = (name: string): string => join(folder, name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-attributes-"))
  for (const name of ["a", "b"]) writeFileSync(path(name), name)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("what a file has besides its bytes goes to another, byte for byte", () => {
  const value = Uint8Array.of(0, 1, 0xff, 0, 10)
  // A file system without attributes refuses them, and then there is nothing to lose.
  const given = writeAttribute(path("a"), "user.one", value) && writeAttribute(path("a"), "user.空", new Uint8Array())
  expect(copyAttributes(path("a"), path("b"))).toBe(true)
  const own = attributeNames(path("b")).filter((name) => name.startsWith("user."))
  expect(own.toSorted()).toEqual(given ? ["user.one", "user.空"] : [])
  expect(readAttribute(path("b"), "user.one")).toEqual(given ? Buffer.from(value) : null)
  expect(readAttribute(path("b"), "user.空")).toEqual(given ? Buffer.alloc(0) : null)
})

test("a list of who may open a file is kept, and one that came with the folder goes", () => {
  // Version 2; the owner may read and write, user 12345 and the mask read, group and others nothing.
  const entry = (tag: number, bits: number, id = 0xffffffff): Buffer => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt16LE(tag, 0)
    bytes.writeUInt16LE(bits, 2)
    bytes.writeUInt32LE(id, 4)
    return bytes
  }
  const list = Buffer.concat([
    Buffer.of(2, 0, 0, 0),
    entry(0x01, 6),
    entry(0x02, 4, 12_345),
    entry(0x04, 0),
    entry(0x10, 4),
    entry(0x20, 0),
  ])
  const name = "system.posix_acl_access"
  const given = writeAttribute(path("a"), name, list)
  expect(copyAttributes(path("a"), path("b"))).toBe(true)
  expect(readAttribute(path("b"), name)).toEqual(given ? list : null)
  writeFileSync(path("c"), "c")
  expect(copyAttributes(path("c"), path("b"))).toBe(true)
  expect(readAttribute(path("b"), name)).toBeNull()
})

test("a file that is not there has none", () => {
  expect([attributeNames(path("x")), readAttribute(path("x"), "user.one")]).toEqual([[], null])
  expect(writeAttribute(path("x"), "user.one", Buffer.of(1))).toBe(false)
})
