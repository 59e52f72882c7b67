/** Damaged ledgers, on the executable: what is whole opens, what is not is told, and no other session is hidden by it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { copyFileSync, readFileSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ key: "k", script: ({ lastUser }) => ({ text: `answer to ${lastUser}` }) })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const sessionsOf = (machine: Machine): string => join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")

/** A machine with two sessions, of which the first is to be damaged; its folder. */
async function twoSessions(machine: Machine): Promise<string> {
  await runBinary(machine, ["-p", "first question"])
  const [first = ""] = readdirSync(sessionsOf(machine))
  await runBinary(machine, ["-p", "second question"])
  return join(sessionsOf(machine), first)
}

function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const content = readFileSync(path)
  content.set(bytes, at)
  writeFileSync(path, content)
}

/** Flips a bit of the newest copy of `text` in the file. */
function flip(path: string, text: string): void {
  const content = readFileSync(path)
  const at = content.lastIndexOf(text)
  overwrite(path, at, Uint8Array.of((content[at] ?? 0) ^ 1))
}

const damages: readonly [name: string, damage: (ledger: string) => void, told: RegExp][] = [
  ["an empty file", (ledger) => writeFileSync(ledger, ""), /no such table/],
  ["garbage", (ledger) => writeFileSync(ledger, "garbage".repeat(3_000)), /not a database/],
  ["nothing but zeros", (ledger) => writeFileSync(ledger, new Uint8Array(20_000)), /not a database|no such table/],
  [
    "a block of zeros",
    (ledger) => overwrite(ledger, 12 * 1024, new Uint8Array(4 * 1024)),
    /malformed|not what was written/,
  ],
  ["a cut tail", (ledger) => truncateSync(ledger, statSync(ledger).size - 8 * 1024), /malformed|not what was written/],
  ["a flipped bit in what was said", (ledger) => flip(ledger, "answer to first"), /entries \d+: not what was written/],
]

test.each(damages)(
  "P12: a session with %s is told, hides no other, and what is whole of it is found again (1, 3, 9)",
  async (_, damage, told) => {
    using machine = localMachine(server)
    const folder = await twoSessions(machine)
    const ledger = join(folder, "ledger.db")
    const { atime, mtime } = statSync(ledger)
    damage(ledger)
    // A disk that fails tells no time.
    utimesSync(ledger, atime, mtime)
    const hit = readFileSync(ledger)
    const list = await runBinary(machine, ["sessions", "list"])
    expect(list.stdout).toContain("second question")
    const checked = await runBinary(machine, ["sessions", "check", "--all"])
    expect(checked.status).toBe(1)
    expect(checked.stdout).toMatch(told)
    expect((await runBinary(machine, ["-c", "-p"])).stdout).toBe("answer to second question\n")
    // Looking has changed nothing.
    expect(readFileSync(ledger)).toEqual(hit)
    const accepted = await runBinary(machine, ["sessions", "check", "--all", "--accept"])
    expect(accepted.stderr).toBe("")
    expect((await runBinary(machine, ["sessions", "check", "--all"])).status).toBe(0)
    const damaged = readdirSync(join(sessionsOf(machine), "..", "damaged"))
    expect(
      damaged.map((name) => readFileSync(join(sessionsOf(machine), "..", "damaged", name, "ledger.db")).equals(hit)),
    ).toEqual([true])
  },
)

test("P12: where the only session of a folder cannot be read, going on with it says so", async () => {
  using machine = localMachine(server)
  await runBinary(machine, ["-p", "only question"])
  const [id = ""] = readdirSync(sessionsOf(machine))
  const ledger = join(sessionsOf(machine), id, "ledger.db")
  copyFileSync(ledger, join(machine.folder, "copy"))
  writeFileSync(ledger, "garbage".repeat(3_000))
  const { status, stderr } = await runBinary(machine, ["-c", "-p"])
  expect(status).toBe(2)
  expect(stderr).toContain("one cannot be read and may have been its: session")
  copyFileSync(join(machine.folder, "copy"), ledger)
  expect((await runBinary(machine, ["-c", "-p"])).stdout).toBe("answer to only question\n")
})
