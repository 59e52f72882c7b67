/** What stands at both ends of a headless run: files and pipes that are no prompt, readers that go, disks that are full. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine, type RunResult } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer
const long = "a line of the answer\n".repeat(20_000)

beforeAll(async () => {
  server = await startModelServer({ key: "k" })
})
beforeEach(() => server.script((request) => ({ text: request.lastUser.includes("long") ? long : request.lastUser })))
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

/** Runs a shell line in which `cairn` is the executable. */
async function shell(machine: Machine, line: string): Promise<RunResult> {
  const child = Bun.spawn(["bash", "-c", `cairn() { "${await builtBinary()}" "$@"; }; ${line}`], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { status: await child.exited, signal: null, stdout, stderr }
}

test("a reader that wants only the beginning of an answer gets it, and nobody complains", async () => {
  using machine = localMachine(server)
  const run = await shell(machine, `cairn -p long | head -1; echo "\${PIPESTATUS[0]}"`)
  expect(run).toMatchObject({ stdout: "a line of the answer\n0\n", stderr: "" })
})

test("a reader of events that goes ends the run with a sentence, and the work can be finished", async () => {
  using machine = localMachine(server)
  const more = Array.from({ length: 400 }, () => ["more text ", { delayMs: 20 }] as const).flat()
  server.script([{ text: more }, { text: "at last" }])
  const run = await shell(machine, `cairn --mode json long | head -3 >/dev/null; echo "\${PIPESTATUS[0]}"`)
  expect(run.stdout).toBe("1\n")
  expect(run.stderr).toBe(
    "cairn: nobody reads the events any more\ncairn: ended with its work pending; finish it with: cairn -c -p\n",
  )
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 0, stdout: "at last\n" })
})

test("an answer that cannot be written is a failure with a reason, and can be had again", async () => {
  using machine = localMachine(server)
  const run = await shell(machine, "cairn -p hi >/dev/full")
  expect(run.status).toBe(1)
  expect(run.stderr).toMatch(/^cairn: the answer cannot be written: ENOSPC[^\n]*\n$/)
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 0, stdout: "hi\n" })
})

test("events are lines that neither a terminal nor a splitter of lines obeys, and hold what was said", async () => {
  using machine = localMachine(server)
  const evil = "a\u009b2Jb\u2028c\u2029d\u0085e\u202ef\u007fg\u001b[2Jh"
  server.script([{ text: evil }])
  const { stdout } = await runBinary(machine, ["--mode", "json", "hi"])
  expect(stdout).not.toMatch(/[^\n\x20-\x7e]/)
  const said = stdout
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text) as Record<string, unknown>)
  expect(JSON.stringify(said)).toContain(JSON.stringify(evil).slice(1, -1))
})

test("closed standard streams are nothing to stumble over", async () => {
  using machine = localMachine(server)
  expect(await shell(machine, "cairn -p hi <&-")).toMatchObject({ status: 0, stdout: "hi\n" })
  expect(await shell(machine, "cairn -p hi 2>&-")).toMatchObject({ status: 0, stdout: "hi\n" })
  expect((await shell(machine, "cairn -p hi <&- >&- 2>&-")).stderr).toBe("")
})

test("what is no text and no picture cannot be a prompt: exit 2 and a sentence that names it", async () => {
  using machine = localMachine(server)
  const { work } = machine
  mkdirSync(join(work, "folder"))
  writeFileSync(join(work, "sound.wav"), "RIFF\x10\0\0\0WAVEfmt ")
  writeFileSync(join(work, "program"), "\x7fELF\x02\x01\x01\0\0\0")
  writeFileSync(join(work, "large.txt"), "x".repeat(11 * 1024 * 1024))
  await shell(machine, "mkfifo pipe")
  for (const name of ["folder", "sound.wav", "program", "large.txt", "pipe", "/dev/zero", "missing"]) {
    const run = await runBinary(machine, ["-p", "see", `@${name}`])
    expect(run).toMatchObject({ status: 2, stdout: "" })
    expect(run.stderr).toMatch(/^cairn: [^\n]*\n$/)
    expect(run.stderr).toContain(name)
  }
  expect(await shell(machine, "cairn -p see <program")).toMatchObject({
    status: 2,
    stderr: "cairn: the piped input is an ELF program, not text: it cannot join a prompt\n",
  })
  expect((await shell(machine, "cairn -p see <large.txt")).stderr).toContain("more than 10 MiB")
  expect((await shell(machine, "cairn -p see <.")).status).toBe(2)
})

test("a file under the home folder, and one in another encoding, join a prompt as the text that they hold", async () => {
  using machine = localMachine(server)
  writeFileSync(join(machine.home, "note.txt"), "at home")
  writeFileSync(join(machine.work, "wide.txt"), Buffer.from("\ufeffwide ä", "utf16le"))
  const run = await runBinary(machine, ["-p", "see", "@~/note.txt", "@wide.txt"])
  expect(run.stdout).toContain("\nat home\n")
  expect(run.stdout).toContain("\nwide ä\n")
})

test("a session that cannot be read is never passed over without a word", async () => {
  using machine = localMachine(server)
  await runBinary(machine, ["-p", "older"])
  await runBinary(machine, ["-p", "newest"])
  const folder = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")
  const { stdout } = await runBinary(machine, ["sessions", "list", "--json"])
  const { id } = JSON.parse(stdout.split("\n")[0] ?? "") as { id: string }
  writeFileSync(join(folder, id, "ledger.db"), Buffer.alloc(4096))
  const next = await runBinary(machine, ["-c", "-p", "go on"])
  expect(next).toMatchObject({ status: 0, stdout: "go on\n" })
  expect(next.stderr).toMatch(new RegExp(`^cairn: [^\\n]*damaged[^\\n]*${id}\\n$`))
  const listed = await runBinary(machine, ["sessions", "list"])
  expect(listed.stdout).toContain("older")
  expect(listed.stderr).toBe(`cairn: 1 session could not be read; --all says why: ${join(folder, id)}\n`)
})
