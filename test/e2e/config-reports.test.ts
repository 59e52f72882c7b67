/** What went wrong with other agents' settings, folders and signals (field reports 11, 140 to 144), tried on the executable. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { configFolder, configFor, localMachine } from "../support/local-model.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { Pty } from "../support/pty.ts"
import { openTerminal } from "../support/tmux.ts"

let server: ModelServer
let goOn = Promise.withResolvers<void>()

function script({ lastUser }: ModelRequest): Reply {
  if (lastUser === "slow") return { text: ["it begins", { until: goOn.promise }, " and ends"] }
  return { text: `answer to ${lastUser}` }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const quiet = { betterTitles: false } as const

/** Files and folders below, by their path in it. */
function below(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).toSorted() : []
}

/** The settings, saved as editors do: a file beside, moved into place. */
function save(machine: Machine, text: string): void {
  const path = join(configFolder(machine), "config.json")
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

const settings = (more: Record<string, string>): string =>
  JSON.stringify(configFor(server.completionsUrl, { ...quiet, ...more }))

test("settings that are saved while an answer comes count at once; a broken file is told by its line, and a draft and the answer stay (143)", async () => {
  using machine = localMachine(server, { ...quiet, theme: "one", keymap: "own" })
  goOn = Promise.withResolvers<void>()
  const folder = configFolder(machine)
  for (const name of ["themes", "keymaps"]) mkdirSync(join(folder, name))
  const theme = (color: string): string => JSON.stringify({ extends: "dark", theme: { text: color, textMuted: color } })
  writeFileSync(join(folder, "themes", "one.json"), theme("#112233"))
  writeFileSync(join(folder, "themes", "two.json"), theme("#445566"))
  const keymap = (keys: string): string => JSON.stringify({ bindings: { global: { [keys]: "app.palette" } } })
  writeFileSync(join(folder, "keymaps", "own.json"), keymap("ctrl+y"))
  writeFileSync(join(folder, "keymaps", "other.json"), keymap("f6"))
  await using terminal = await openTerminal({
    command: [await builtBinary()],
    env: { ...machine.env, COLORTERM: "truecolor" },
    cwd: machine.work,
  })
  const colored = (code: string): Promise<void> =>
    eventually(
      async () => (await terminal.styled()).includes(code),
      async () => `no ${code} in:\n${await terminal.styled()}`,
    )
  await terminal.shows("Ask anything")
  await terminal.type("slow")
  await terminal.shows("› slow")
  await terminal.keys("Enter")
  await terminal.shows("it begins")
  await terminal.type("a draft")
  await colored("38;2;17;34;51")

  save(machine, settings({ theme: "two", keymap: "other" }))
  await colored("38;2;68;85;102")
  await terminal.keys("F6")
  await terminal.shows("╭─ Commands")
  await terminal.keys("Escape")
  await terminal.hides("╭─ Commands")

  save(machine, '{\n  "theme": {{\n}\n')
  await terminal.shows("config.json:2")
  await colored("38;2;68;85;102")
  for (let n = 0; n < 50; n++) save(machine, settings({ theme: n % 2 === 0 ? "one" : "two", keymap: "other" }))
  save(machine, settings({ theme: "one", keymap: "other" }))
  await colored("38;2;17;34;51")
  rmSync(join(folder, "config.json"))
  await eventually(
    async () => !(await terminal.styled()).includes("38;2;17;34;51"),
    () => "a file that is gone still counts",
  )
  save(machine, settings({ theme: "two", keymap: "other" }))
  await colored("38;2;68;85;102")

  await terminal.shows("a draft")
  goOn.resolve()
  await terminal.shows("it begins and ends")
  await terminal.shows("› a draft")
  await terminal.keys("C-u")
  await terminal.shows("Ask anything")
  await terminal.keys("C-d")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
})

/** Bells: what is left of them when those that end a control sequence are taken out. */
function bells(text: string): number {
  return text.replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "").split("\x07").length - 1
}

test("a bell rings once when work ends while the terminal is in the background, never in front, and not at all when it is off (144)", async () => {
  for (const { bell, away, rings } of [
    { bell: true, away: true, rings: 1 },
    { bell: true, away: false, rings: 0 },
    { bell: false, away: true, rings: 0 },
  ]) {
    using machine = localMachine(server, { ...quiet, bell })
    await using pty = new Pty([await builtBinary()], { env: machine.env, cwd: machine.work })
    await pty.says("Ask anything")
    goOn = Promise.withResolvers<void>()
    pty.write("slow")
    await pty.says("slow")
    pty.write("\r")
    await pty.says("state=working")
    pty.write(away ? "\x1b[O" : "\x1b[I")
    const from = pty.text.length
    goOn.resolve()
    await pty.says("state=idle", from)
    await eventually(
      () => bells(pty.text) >= rings,
      () => "no bell",
    )
    // What is echoed after that is the proof that the end was dealt with.
    pty.write("xyzzy")
    await pty.says("xyzzy", from)
    expect(bells(pty.text)).toBe(rings)
    pty.kill("SIGTERM")
    await pty.ended()
    await runBinary(machine, ["stop", "all", "--now"])
  }
})

test("a folder for sessions that cannot be used is refused with its path and the way out, and nothing goes anywhere else (141)", async () => {
  using machine = localMachine(server, quiet)
  const file = join(machine.work, "file")
  const temp = join(machine.work, "temp")
  writeFileSync(file, "")
  mkdirSync(temp)
  for (const variable of ["CAIRN_DATA", "XDG_DATA_HOME"]) {
    const env = { ...machine.env, TMPDIR: temp, [variable]: join(file, "data") }
    const run = await runBinary({ ...machine, env }, ["-p", "hello"])
    expect(run).toMatchObject({ status: 1, stdout: "" })
    expect(run.stderr).toContain(join(file, "data"))
    expect(run.stderr).toContain("set CAIRN_DATA to another folder")
    expect(run.stderr).toContain("--no-session")
    expect((await runBinary({ ...machine, env }, ["--no-session", "-p", "hello"])).stdout).toBe("answer to hello\n")
  }
  expect(below(temp)).toEqual([])
})

test("starts, calls and kills leave nothing in the folder for temporary files, and only sessions in the data folder (140)", async () => {
  using machine = localMachine(server, quiet)
  const temp = join(machine.work, "temp")
  mkdirSync(temp)
  const own = { ...machine, env: { ...machine.env, TMPDIR: temp } }
  for (let n = 0; n < 5; n++) expect((await runBinary(own, ["-p", `hello ${n}`])).status).toBe(0)
  for (let n = 0; n < 3; n++) {
    const before = server.requests.length
    goOn = Promise.withResolvers<void>()
    const child = Bun.spawn([await builtBinary(), "-p", "slow"], {
      cwd: machine.work,
      env: own.env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    })
    await eventually(
      () => server.requests.length > before,
      () => "the model is asked",
    )
    child.kill("SIGKILL")
    await child.exited
    goOn.resolve()
  }
  expect(below(temp)).toEqual([])
  const data = join(machine.env.XDG_DATA_HOME ?? "", "cairn")
  expect(readdirSync(data).toSorted()).toEqual(["sessions"])
  expect(readdirSync(join(data, "sessions"))).toHaveLength(8)
})

test("keys are written beside and moved into place, so that a disk without room leaves them as they were (11)", async () => {
  using machine = localMachine(server, quiet)
  const path = join(configFolder(machine), "auth.json")
  const keys = Array.from({ length: 40 }, (_, n) => [`provider-${n}`, { type: "api_key", key: "k".repeat(50) }])
  const before = JSON.stringify(Object.fromEntries(keys), null, 2)
  writeFileSync(path, before, { mode: 0o600 })
  // No file may grow past a kilobyte, as where a disk is full; the signal that goes with it is not taken by anybody.
  const login = `trap '' XFSZ; ulimit -f 2; echo secret | '${await builtBinary()}' login openai`
  const run = Bun.spawnSync(["sh", "-c", login], { env: machine.env, cwd: machine.work })
  expect(run.exitCode).toBe(1)
  expect(run.stderr.toString()).toContain("what is known of openai could not be stored, and stays as it was")
  expect(readFileSync(path, "utf8")).toBe(before)
  expect(below(configFolder(machine))).toEqual(["auth.json", "config.json"])
  const room = Bun.spawnSync(["sh", "-c", login.replace("ulimit -f 2; ", "")], { env: machine.env, cwd: machine.work })
  expect(room.exitCode).toBe(0)
  expect(readFileSync(path, "utf8")).toContain("secret")
})
