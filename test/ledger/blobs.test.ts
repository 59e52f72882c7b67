import { describe, expect, test } from "bun:test"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BlobFiles, MemoryBlobs, type Blobs } from "../../src/ledger/blobs.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { systemClock } from "../../src/std/clock.ts"
import { scratch } from "../support/ledger-backends.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const sha = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

type Place = { readonly blobs: Blobs; readonly folder: string; [Symbol.dispose](): void }

function inFolder(): Place {
  const top = mkdtempSync(join(tmpdir(), "cairn-blobs-"))
  const folder = join(top, "blobs")
  return {
    blobs: new BlobFiles(folder),
    folder,
    [Symbol.dispose]: (): void => rmSync(top, { recursive: true, force: true }),
  }
}

describe.each([
  ["in files", () => inFolder()],
  ["in memory", () => ({ blobs: new MemoryBlobs(), [Symbol.dispose]: (): void => undefined })],
])("contents %s", (_name, make) => {
  test("come back byte for byte, by their hash", async () => {
    using place = make()
    const contents = [
      bytes("one\r\n"),
      new Uint8Array(),
      new Uint8Array(randomBytes(100_000)),
      bytes("ä".repeat(9_999)),
    ]
    const hashes = await place.blobs.keep(contents, "flushed")
    expect(hashes).toEqual(contents.map(sha))
    for (const [at, hash] of hashes.entries()) expect(await place.blobs.read(hash)).toEqual(contents[at] ?? null)
  })

  test("that were never kept are not there", async () => {
    using place = make()
    expect(await place.blobs.read(sha(bytes("nothing")))).toBeNull()
    expect(await place.blobs.read("../lock")).toBeNull()
  })
})

test("the same content is one file, and a compressed one, for its owner alone", async () => {
  using place = inFolder()
  const content = bytes("again and again ".repeat(10_000))
  await place.blobs.keep([content, content], "relaxed")
  await Promise.all([place.blobs.keep([content], "flushed"), place.blobs.keep([content], "flushed")])
  expect(readdirSync(place.folder)).toEqual([sha(content)])
  const { size, mode } = statSync(join(place.folder, sha(content)))
  expect(size).toBeLessThan(1_000)
  expect(mode & 0o777).toBe(0o600)
})

test("a content that was damaged on the disk is as one that was not kept", async () => {
  using place = inFolder()
  const [hash = ""] = await place.blobs.keep([bytes("what it was")], "flushed")
  mkdirSync(place.folder, { recursive: true })
  writeFileSync(join(place.folder, hash), "rot")
  expect(await place.blobs.read(hash)).toBeNull()
  writeFileSync(join(place.folder, hash), Bun.zstdCompressSync(bytes("something else")))
  expect(await place.blobs.read(hash)).toBeNull()
  // Kept again, by a process that does not know of the damage, it is whole again.
  const later = new BlobFiles(place.folder)
  await later.keep([bytes("what it was")], "flushed")
  expect(await later.read(hash)).toEqual(bytes("what it was"))
})

test("a session without a disk lets its oldest contents go, and keeps the newest whatever its size", async () => {
  const blobs = new MemoryBlobs(2_000)
  const old = new Uint8Array(randomBytes(1_500))
  const large = new Uint8Array(randomBytes(3_000))
  const [oldHash = ""] = await blobs.keep([old])
  const [largeHash = ""] = await blobs.keep([large])
  expect(await blobs.read(oldHash)).toBeNull()
  expect(await blobs.read(largeHash)).toEqual(large)
})

test("a session's contents are there when it is opened again", async () => {
  const place = scratch()
  const { dataDir } = place
  try {
    const id = uuidv7(0)
    const first = await createSession({ dataDir, id, clock: systemClock })
    const [hash = ""] = await first.blobs.keep([bytes("kept")], "flushed")
    await first.close()
    const again = await openSession({ dataDir, id, clock: systemClock })
    expect(await again.blobs.read(hash)).toEqual(bytes("kept"))
    await again.close()
  } finally {
    place.remove()
  }
})
