/** One holder a session, among real processes: who is refused, what they are told, and when a lock is nobody's. */
import { afterEach, expect, test } from "bun:test"
import { closeSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { SessionHeld } from "../../src/ledger/errors.ts"
import type { Holder } from "../../src/ledger/errors.ts"
import { flock, openLockFile } from "../../src/ledger/flock.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { SessionPaths } from "../../src/ledger/folder.ts"
import { self, startTimeOf } from "../../src/ledger/holder.ts"
import { StaleOwner } from "../../src/ledger/ledger.ts"
import { readHolder, takeLock } from "../../src/ledger/lock.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import type { OpenOptions } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Place = OpenOptions & { readonly paths: SessionPaths }

/** A session on disk that nobody holds. */
async function closedSession(): Promise<Place> {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const place = { dataDir, id: uuidv7(Date.now()), clock: systemClock }
  await (await createSession(place)).close()
  return { ...place, paths: sessionPaths(dataDir, place.id) }
}

type Other = {
  readonly pid: number
  readonly held: string
  readonly child: number
  say(line: string): Promise<string>
  end(): Promise<void>
  kill(): Promise<void>
}

/** Another process that holds the session. */
async function holdElsewhere({ dataDir, id }: Place, child = false): Promise<Other> {
  const script = join(import.meta.dir, "hold.fixture.ts")
  const it = Bun.spawn([process.execPath, script, dataDir, id, ...(child ? ["child"] : [])], {
    stdin: "pipe",
    stdout: "pipe",
  })
  cleanups.push(async () => {
    it.kill("SIGKILL")
    await it.exited
  })
  const lines = it.stdout
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .getReader()
  let rest = ""
  const next = async (): Promise<string> => {
    while (!rest.includes("\n")) {
      const { value, done } = await lines.read()
      if (done) throw new Error(`the other process ended: ${rest}`)
      rest += value
    }
    const at = rest.indexOf("\n")
    const line = rest.slice(0, at)
    rest = rest.slice(at + 1)
    return line
  }
  const sleeper = child ? Number((await next()).split(" ")[1]) : 0
  if (sleeper) cleanups.push(() => process.kill(sleeper, "SIGKILL"))
  return {
    pid: it.pid,
    child: sleeper,
    held: await next(),
    async say(line) {
      it.stdin.write(`${line}\n`)
      await it.stdin.flush()
      return next()
    },
    async end() {
      it.stdin.end()
      await it.exited
    },
    async kill() {
      it.kill("SIGKILL")
      await it.exited
    },
  }
}

async function refusal(options: OpenOptions): Promise<SessionHeld> {
  const error: unknown = await openSession(options).catch((reason: unknown) => reason)
  if (!(error instanceof SessionHeld)) throw new Error(`the session is refused, not: ${String(error)}`)
  return error
}

async function opens(options: OpenOptions): Promise<{ readonly epoch: number; readonly unclean: boolean }> {
  const ledger = await openSession(options)
  const { epoch, unclean } = ledger
  await ledger.close()
  return { epoch, unclean }
}

function nameInLock(paths: SessionPaths, holder: Partial<Holder>): void {
  const whole = { ...self(), epoch: 1, socket: null, since: Date.now(), ...holder }
  writeFileSync(paths.lock, JSON.stringify(whole).padEnd(1024))
}

test("P4, T15: a second process is refused, and told who holds the session and since when that process runs", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place)
  expect(other.held).toBe("held 2")
  const error = await refusal(place)
  expect(error.holder).toMatchObject({ pid: other.pid, startTime: startTimeOf(other.pid), epoch: 2, socket: null })
  expect(error.elsewhere).toBe(false)
  expect(error.message).toContain(`process ${other.pid}`)
  await other.say("socket /run/cairn/0f0f0f0f.sock")
  expect(readHolder(place.dataDir, place.id)).toMatchObject({ pid: other.pid, socket: "/run/cairn/0f0f0f0f.sock" })
  // Being asked for it has cost the holder nothing.
  expect(await other.say("commit")).toBe("done commit")
})

test("a session that this process has open is refused to it", async () => {
  const place = await closedSession()
  const ledger = await openSession(place)
  expect((await refusal(place)).holder?.pid).toBe(process.pid)
  ledger.assertOwner()
  await ledger.close()
  expect(readHolder(place.dataDir, place.id)).toBeNull()
  expect(await opens(place)).toEqual({ epoch: 3, unclean: false })
})

test("a holder that was killed holds nothing, though a command that it started lives on", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place, true)
  await other.kill()
  expect(startTimeOf(other.child)).not.toBeNull()
  expect(readHolder(place.dataDir, place.id)).toBeNull()
  expect(await opens(place)).toEqual({ epoch: 3, unclean: true })
})

test("a lock that names another machine is never stale (24)", async () => {
  const place = await closedSession()
  nameInLock(place.paths, { machine: "elsewhere", bootId: "another boot", pid: 4242 })
  const error = await refusal(place)
  expect(error).toMatchObject({ elsewhere: true, holder: { pid: 4242, machine: "elsewhere" } })
  expect(error.message).toContain("elsewhere")
  expect(readHolder(place.dataDir, place.id)?.pid).toBe(4242)
  // Passing over it is somebody's decision; the epoch keeps the other out from then.
  expect(await opens({ ...place, takeOver: true })).toEqual({ epoch: 2, unclean: false })
})

test("the same machine by another name is the same, while it has not booted again", async () => {
  const place = await closedSession()
  nameInLock(place.paths, { machine: "by the old name", pid: 4242, startTime: "1" })
  expect((await opens(place)).epoch).toBe(2)
})

test("T18: a lock of before the last boot is stale, and so is one whose pid is another process now", async () => {
  const place = await closedSession()
  nameInLock(place.paths, { bootId: "before" })
  expect((await opens(place)).epoch).toBe(2)
  nameInLock(place.paths, { startTime: "0" })
  expect(readHolder(place.dataDir, place.id)).toBeNull()
  expect((await opens(place)).epoch).toBe(3)
})

test("a lock file that says nothing sensible is nobody's", async () => {
  const place = await closedSession()
  for (const text of ["", "{", "null", `{"pid":"1"}`, "\0".repeat(1024)]) {
    writeFileSync(place.paths.lock, text)
    expect(readHolder(place.dataDir, place.id)).toBeNull()
    await opens(place)
  }
})

test("taking over ends the holder and opens", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place)
  const ledger = await openSession({ ...place, takeOver: true })
  expect(startTimeOf(other.pid)).toBeNull()
  expect([ledger.epoch, ledger.unclean]).toEqual([3, true])
  await ledger.close()
})

test("taking over signals nobody who is not the one that the lock names", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place)
  const holder = readHolder(place.dataDir, place.id)
  nameInLock(place.paths, { ...holder, startTime: "0" })
  const clock = new ManualClock(Date.now())
  const refused = refusal({ ...place, clock, takeOver: true })
  await clock.advance(60_000)
  expect((await refused).holder?.pid).toBe(other.pid)
  expect(startTimeOf(other.pid)).not.toBeNull()
})

test("a successor has the session to itself for five seconds", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place)
  await other.say("close 4242")
  await other.end()
  const soon = new ManualClock(Date.now())
  await refusal({ ...place, clock: soon })
  expect((await opens({ ...place, clock: soon, self: { ...self(), pid: 4242 } })).epoch).toBe(3)

  const second = await holdElsewhere(place)
  await second.say("close 4242")
  await second.end()
  const later = new ManualClock(Date.now() + 5_000)
  expect((await opens({ ...place, clock: later })).epoch).toBe(5)

  const third = await holdElsewhere(place)
  await third.say("close 4242")
  await third.end()
  const before = new ManualClock(Date.now() - 86_400_000)
  expect((await opens({ ...place, clock: before })).epoch).toBe(7)
})

test("P4, T18: an owner whose lock file was deleted is refused by the epoch, in its commits and before its effects", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place)
  rmSync(place.paths.lock)
  const ledger = await openSession(place)
  expect(ledger.epoch).toBe(3)
  expect(await other.say("commit")).toBe("failed StaleOwner")
  expect((await ledger.entries({ conversation: 1 })).length).toBe(0)
  // Its leaving does not blank the name of the one that came after it.
  expect(await other.say("close")).toBe("done close")
  expect(readHolder(place.dataDir, place.id)?.pid).toBe(process.pid)
  await ledger.close()
})

test("T18: an owner whose folder was renamed away works on what it has, and another finds no session", async () => {
  const place = await closedSession()
  const other = await holdElsewhere(place)
  const moved = `${place.paths.folder}-moved`
  renameSync(place.paths.folder, moved)
  mkdirSync(place.paths.folder)
  await expect(openSession(place)).rejects.toThrow("there is no session")
  await other.kill()
  rmSync(place.paths.folder, { recursive: true })
  renameSync(moved, place.paths.folder)
  expect((await opens(place)).unclean).toBe(true)
})

test("in two connections of one process too, the later epoch wins", async () => {
  const place = await closedSession()
  const first = await openSession(place)
  rmSync(place.paths.lock)
  const second = await openSession(place)
  expect(() => first.assertOwner()).toThrow(StaleOwner)
  expect(() => first.commit("relaxed", (tx) => tx.setDocument(0, "x", 1))).toThrow(StaleOwner)
  second.commit("relaxed", (tx) => tx.setDocument(0, "x", 2))
  await first.close()
  second.assertOwner()
  await second.close()
  expect(await opens(place)).toEqual({ epoch: 4, unclean: false })
})

test("T28: where the file system has no locks, the file's word is taken (23)", async () => {
  const place = await closedSession()
  const take = (): void => {
    const lock = takeLock({
      session: place.id,
      path: place.paths.lock,
      self: self(),
      now: Date.now(),
      flock: () => "unsupported",
    })
    expect(lock.isKernels).toBe(false)
    lock.abandon()
  }
  take()
  nameInLock(place.paths, {})
  expect(take).toThrow(SessionHeld)
  nameInLock(place.paths, { startTime: "0" })
  take()
})

test("the kernel's lock is one descriptor's, and goes with it", () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const [one, two] = [openLockFile(join(dataDir, "lock")), openLockFile(join(dataDir, "lock"))]
  expect([flock(one), flock(two)]).toEqual(["taken", "held"])
  closeSync(one)
  expect(flock(two)).toBe("taken")
  closeSync(two)
})

test("a process knows itself by its pid, its start, its boot and its machine", () => {
  const me = self()
  expect(me.pid).toBe(process.pid)
  expect(me.startTime).toBe(startTimeOf(process.pid) ?? "")
  expect(me.startTime).not.toBe("")
  expect(me.bootId).not.toBe("")
  expect(me.machine).toStartWith(hostname())
  expect(startTimeOf(2 ** 30)).toBeNull()
  if (process.platform === "linux") expect(readFileSync("/proc/self/stat", "utf8")).toContain(me.startTime)
})
