import { afterEach, describe, expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { watchFolder } from "../../src/home/watch.ts"
import { systemClock } from "../../src/std/clock.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

const accept = (name: string): boolean => name.endsWith(".json")
const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))

/** Watches for real; `next` is the promise of the next change that is heard. */
function watching(folder: string): { next(): Promise<void>; heard(): number } {
  let heard = 0
  let wake: () => void = () => {}
  ends.push(
    watchFolder(folder, { clock: systemClock, accept }, () => {
      heard++
      wake()
    }),
  )
  return { heard: () => heard, next: () => new Promise((resolve) => (wake = resolve)) }
}

describe("a save is heard", () => {
  test("written in place, renamed over, made, removed", async () => {
    const folder = tempFolder({ "a.json": "1" })
    const watch = watching(folder)
    for (const change of [
      () => putFile(folder, "a.json", "22"),
      () => renameSync(putFile(folder, "a.json~", "333"), join(folder, "a.json")),
      () => putFile(folder, "b.json", "1"),
      () => rmSync(join(folder, "b.json")),
    ]) {
      const next = watch.next()
      change()
      await next
    }
    expect(watch.heard()).toBe(4)
  })

  test("in a folder that was not there before, and in one that was removed and made again", async () => {
    const folder = join(tempFolder(), "config/themes")
    const watch = watching(folder)
    let next = watch.next()
    putFile(folder, "a.json", "1")
    await next
    next = watch.next()
    rmSync(folder, { recursive: true })
    await next
    next = watch.next()
    putFile(folder, "a.json", "2")
    await next
    expect(watch.heard()).toBe(3)
  })

  test("where a link leads", async () => {
    const folder = tempFolder({ "dotfiles/theme": "1", "themes/other.txt": "" })
    symlinkSync(join(folder, "dotfiles/theme"), join(folder, "themes/a.json"))
    const watch = watching(join(folder, "themes"))
    const next = watch.next()
    putFile(folder, "dotfiles/theme", "22")
    await next
    expect(watch.heard()).toBe(1)
  })
})

test("where the system tells, nothing is done while nothing happens", async () => {
  const folder = tempFolder({ "there/a.json": "1" })
  for (const name of ["there", "not/yet"]) {
    const clock = new ManualClock()
    ends.push(watchFolder(join(folder, name), { clock, accept }, () => {}))
    // What was there before is looked at once more, in case it changed just then.
    await clock.advance(1_000)
    expect(clock.pending).toEqual([])
  }
})

describe("by looking, where the system does not tell", () => {
  function looking(folder: string): { readonly clock: ManualClock; heard(): number; end(): void } {
    const clock = new ManualClock()
    let heard = 0
    const end = watchFolder(folder, { clock, accept, native: false }, () => heard++)
    ends.push(end)
    return { clock, heard: () => heard, end }
  }

  test("a change is heard within 200 ms", async () => {
    const folder = tempFolder({ "a.json": "1" })
    const watch = looking(folder)
    await watch.clock.advance(10_000)
    expect(watch.heard()).toBe(0)
    putFile(folder, "a.json", "22")
    await watch.clock.advance(200)
    expect(watch.heard()).toBe(1)
  })

  test("fifty writes between two looks are one, and files that do not matter none", async () => {
    const folder = tempFolder({ "a.json": "1" })
    const watch = looking(folder)
    for (let write = 0; write < 50; write++) writeFileSync(join(folder, "a.json"), "x".repeat(write))
    putFile(folder, "notes.txt", "1")
    await watch.clock.advance(1_000)
    expect(watch.heard()).toBe(1)
    putFile(folder, "notes.txt", "22")
    mkdirSync(join(folder, "deeper"))
    await watch.clock.advance(1_000)
    expect(watch.heard()).toBe(1)
  })

  test("nothing is heard after the end, and no timer is left", async () => {
    const folder = tempFolder({ "a.json": "1" })
    const watch = looking(folder)
    watch.end()
    putFile(folder, "a.json", "22")
    await watch.clock.advance(10_000)
    expect(watch.heard()).toBe(0)
    expect(watch.clock.pending).toEqual([])
  })
})
