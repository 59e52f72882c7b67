/** Spools in files: torn tails, owners that come and go, commands that write by themselves, outputs that are kept. */
import { afterEach, expect, test } from "bun:test"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { SessionPaths } from "../../src/ledger/folder.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { Outputs } from "../../src/ledger/outputs.ts"
import { SpoolFiles } from "../../src/ledger/spool-file.ts"
import { frame, readFrames } from "../../src/ledger/spool-frames.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { aTask } from "../support/ledger-deeds.ts"

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
})

function newPaths(): SessionPaths {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const paths = sessionPaths(dataDir, uuidv7(0))
  mkdirSync(paths.folder, { recursive: true })
  return paths
}

function only(paths: SessionPaths): string {
  const [name = "", ...others] = readdirSync(paths.spool)
  expect(others).toEqual([])
  return join(paths.spool, name)
}

test("a spool that is cut anywhere reads as its whole records, and goes on after them", async () => {
  const paths = newPaths()
  const payloads = ["one", "zwei ✓", "three".repeat(20)]
  const spools = new SpoolFiles(paths, 1)
  const spool = spools.open(5, 1)
  const ends = payloads.map((payload) => {
    spool.append(payload)
    return statSync(only(paths)).size
  })
  spool.close()
  const whole = readFileSync(only(paths))
  for (let end = 0; end <= whole.length; end++) {
    writeFileSync(only(paths), whole.subarray(0, end))
    const kept = payloads.slice(0, ends.filter((each) => each <= end).length)
    expect(await spools.read(5, 1)).toEqual(kept)
    const again = spools.open(5, 1)
    expect(again.size).toBe(Buffer.byteLength(kept.join("")))
    expect(again.append("more")).toBe(Buffer.byteLength(kept.join("")))
    again.close()
    expect(await spools.read(5, 1)).toEqual([...kept, "more"])
  }
})

test("a flipped byte ends what is read, and is never read", () => {
  const whole = Buffer.concat([frame("first"), frame("second")])
  for (let at = 0; at < whole.length; at++) {
    const flipped = Uint8Array.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ 0x40
    expect([[], ["first"]]).toContainEqual(readFrames(flipped).payloads as string[])
  }
  expect(readFrames(whole)).toEqual({ payloads: ["first", "second"], size: 11, end: whole.length })
  expect(readFrames(Buffer.concat([frame("first"), Buffer.alloc(4096)])).payloads).toEqual(["first"])
})

test("a spool is named after task, attempt and epoch, for its owner's eyes alone", () => {
  const paths = newPaths()
  new SpoolFiles(paths, 7).open(12, 3).close()
  expect(readdirSync(paths.spool)).toEqual(["12.3.7"])
  expect(statSync(only(paths)).mode & 0o777).toBe(0o600)
  expect(statSync(paths.spool).mode & 0o777).toBe(0o700)
})

test("the next owner goes on with a copy, and what a stale one still writes is in nobody's way", async () => {
  const paths = newPaths()
  const stale = new SpoolFiles(paths, 1).open(5, 1)
  stale.append("begun ")
  const next = new SpoolFiles(paths, 2)
  expect(await next.read(5, 1)).toEqual(["begun "])
  const spool = next.open(5, 1)
  expect(spool.append("continued")).toBe(6)
  stale.append("in vain")
  expect(await next.read(5, 1)).toEqual(["begun ", "continued"])
  stale.close()
  spool.close()
  await next.drop(5)
  expect(readdirSync(paths.spool)).toEqual([])
})

test("an attempt that is made anew after its ledger lost it has nothing of the lost one", async () => {
  const paths = newPaths()
  const lost = new SpoolFiles(paths, 1).open(5, 2)
  lost.append("lost with its commit")
  lost.close()
  const next = new SpoolFiles(paths, 2)
  const spool = next.open(5, 2, "new")
  expect(spool.size).toBe(0)
  expect(await next.read(5, 2)).toEqual([])
  spool.close()
  expect(await new SpoolFiles(paths, 3).read(5, 2)).toEqual([])
})

test("an append that the disk takes in part throws with its code, and the next one follows the last whole one", () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const id = uuidv7(0)
  mkdirSync(sessionPaths(dataDir, id).folder, { recursive: true })
  // Two blocks of 512 bytes in a plain shell, which is the second record's end and a part of the third's.
  const limited = `trap "" XFSZ; ulimit -f 2; exec "$@"`
  const script = join(import.meta.dir, "full.fixture.ts")
  const { stdout, stderr } = Bun.spawnSync(["sh", "-c", limited, "sh", process.execPath, script, dataDir, id])
  expect(stderr.toString()).toBe("")
  expect(JSON.parse(stdout.toString())).toEqual({
    told: [0, 400, "EFBIG", "EFBIG", 800],
    size: 804,
    read: ["aaaa", "bbbb", "fits"],
  })
})

test("what stands after the last whole record is written over", async () => {
  const paths = newPaths()
  const spools = new SpoolFiles(paths, 1)
  const spool = spools.open(5, 1)
  spool.append("whole")
  appendFileSync(only(paths), frame("half").subarray(0, 9))
  expect(spool.append("next")).toBe(5)
  expect(await spools.read(5, 1)).toEqual(["whole", "next"])
  spool.close()
})

test("a command's files stay where its first owner put them; who claims it next does so under a name of its own", async () => {
  const paths = newPaths()
  const first = new SpoolFiles(paths, 1)
  const { output, status, begun } = first.files(5, 1)
  const own = (name: string): string => join(paths.spool, name)
  expect([output, status, begun]).toEqual([own("5.1.1.out"), own("5.1.1.status"), own("5.1.1.begun")])
  writeFileSync(output, "so far")
  writeFileSync(begun, "")
  const second = new SpoolFiles(paths, 2)
  expect(second.files(5, 1)).toEqual({ output, status, begun: own("5.1.2.begun") })
  expect(second.files(5, 2).output).toBe(own("5.2.2.out"))
  await second.drop(5)
  expect(readdirSync(paths.spool)).toEqual([])
})

test("spools whose folder cannot be looked at are let go of without an error", async () => {
  const paths = newPaths()
  const spools = new SpoolFiles(paths, 1)
  spools.open(5, 1).close()
  rmSync(paths.spool, { recursive: true })
  await spools.drop(5)
  expect(await spools.read(5, 1)).toEqual([])
})

test("a raw output is read while it grows, and after it is kept", async () => {
  const paths = newPaths()
  const spools = new SpoolFiles(paths, 1)
  const { output } = spools.files(5, 1)
  const read = async (from: number, to: number): Promise<readonly [string, number]> => {
    const { bytes, size } = await spools.readOutput(5, 1, from, to)
    return [Buffer.from(bytes).toString(), size]
  }
  expect(await read(0, 10)).toEqual(["", 0])
  writeFileSync(output, "0123456789")
  expect(await read(2, 5)).toEqual(["234", 10])
  expect(await read(8, 100)).toEqual(["89", 10])
  expect(await read(50, 100)).toEqual(["", 10])
  const kept = await spools.keep(5, 1)
  expect(kept).toBe(join(paths.output, "5"))
  expect(kept).toBe(spools.outputPath(5))
  // Kept is not moved: until the task is settled for good, its spool is there.
  expect(existsSync(output)).toBe(true)
  await spools.drop(5)
  expect(existsSync(output)).toBe(false)
  expect(await read(2, 5)).toEqual(["234", 10])
  expect(statSync(kept ?? "").mode & 0o777).toBe(0o600)
})

test("keeping twice keeps once, and the later attempt's in place of the earlier's", async () => {
  const paths = newPaths()
  const spools = new SpoolFiles(paths, 1)
  writeFileSync(spools.files(5, 1).output, "first")
  await spools.keep(5, 1)
  await spools.keep(5, 1)
  expect(readdirSync(paths.output)).toEqual(["5"])
  writeFileSync(spools.files(5, 2).output, "second")
  await spools.keep(5, 2)
  expect(readFileSync(spools.outputPath(5), "utf8")).toBe("second")
  expect(readdirSync(paths.output)).toEqual(["5"])
})

test("a framed spool is kept as its text, and nothing is kept of nothing", async () => {
  const paths = newPaths()
  const spools = new SpoolFiles(paths, 1)
  expect(await spools.keep(5, 1)).toBeNull()
  const spool = spools.open(5, 1)
  expect(await spools.keep(5, 1)).toBeNull()
  spool.append("one ")
  spool.append("two")
  spool.close()
  expect(readFileSync((await spools.keep(5, 1)) ?? "", "utf8")).toBe("one two")
})

test("kept outputs have a limit together: the oldest go first, the newest stays", async () => {
  const paths = newPaths()
  const outputs = new Outputs(paths.output)
  const limits = { bytes: 1_000, sessionBytes: 25 }
  for (const task of [3, 9, 10, 11]) await outputs.write(task, "x".repeat(10), limits)
  expect(
    readdirSync(paths.output)
      .map(Number)
      .sort((one, other) => one - other),
  ).toEqual([10, 11])
  await outputs.write(12, "x".repeat(1_000), limits)
  expect(readdirSync(paths.output)).toEqual(["12"])
})

test("of an output beyond its own limit the end is kept", async () => {
  const paths = newPaths()
  const spools = new SpoolFiles(paths, 1)
  const limits = { bytes: 4, sessionBytes: 1_000 }
  writeFileSync(spools.files(5, 1).output, "0123456789")
  expect(readFileSync((await spools.keep(5, 1, limits)) ?? "", "utf8")).toBe("6789")
  expect(readFileSync(spools.files(5, 1).output, "utf8")).toBe("0123456789")
  const spool = spools.open(6, 1)
  spool.append("abcdefgh")
  spool.close()
  expect(readFileSync((await spools.keep(6, 1, limits)) ?? "", "utf8")).toBe("efgh")
  expect(readdirSync(paths.output).sort()).toEqual(["5", "6"])
  const long = Array.from({ length: 200_000 }, (_, at) => `${at}\n`).join("")
  writeFileSync(spools.files(7, 1).output, long)
  const most = { bytes: 700_001, sessionBytes: 10_000_000 }
  expect(readFileSync((await spools.keep(7, 1, most)) ?? "", "utf8")).toBe(long.slice(-700_001))
})

test("at an opening, spools of live tasks stay, those of ended ones go, those of unknown ones are put aside", async () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const { spool } = sessionPaths(dataDir, place.id)
  const ledger = await createSession(place)
  const { value } = ledger.commit("flushed", (tx) => {
    const [live, ended] = [tx.addTask(aTask).id, tx.addTask(aTask).id]
    tx.setTask(ended, { status: "completed" })
    return { live, ended, unknown: 999 }
  })
  for (const task of Object.values(value)) {
    const file = ledger.spools.open(task, 1)
    file.append("progress")
    file.close()
    writeFileSync(ledger.spools.files(task, 1)?.output ?? "", "output")
  }
  writeFileSync(join(spool, "not a spool"), "")
  await ledger.close()
  const again = await openSession(place)
  const { live } = value
  expect(readdirSync(spool).sort()).toEqual([`${live}.1.1`, `${live}.1.1.out`, "not a spool", "unknown"].sort())
  expect(readdirSync(join(spool, "unknown")).sort()).toEqual(["999.1.1", "999.1.1.out"])
  expect(await again.spools.read(live, 1)).toEqual(["progress"])
  expect(await again.spools.read(999, 1)).toEqual([])
  await again.close()
  await (await openSession(place)).close()
  expect(readdirSync(join(spool, "unknown")).length).toBe(2)
})
