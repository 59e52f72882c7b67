/** What other tests stand on: a terminal that shows what is there, and processes that are seen while they are. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { tempMachine } from "./binary.ts"
import { eventually } from "./eventually.ts"
import { bearersOf, descendants, isAlive, waitGone } from "./process.ts"
import { openTerminal } from "./tmux.ts"

const shell = ["sh", "-c", 'echo "size $(stty size)"; while read -r line; do echo "read <$line>"; done'] as const

test("a terminal shows what its program prints, takes keys and text, and has the size that it was given", async () => {
  using machine = tempMachine()
  await using terminal = await openTerminal({
    command: shell,
    env: machine.env,
    cwd: machine.work,
    width: 60,
    height: 12,
  })
  await terminal.shows("size 12 60")
  await terminal.type("zwölf; 漢字 -x")
  await terminal.keys("Enter")
  await terminal.shows("read <zwölf; 漢字 -x>")
  expect((await terminal.rows()).length).toBe(12)
  expect(await terminal.cursor()).toEqual({ column: 0, row: 3, shown: true })
})

test("a program in a terminal has the environment that was asked for and nothing else", async () => {
  using machine = tempMachine()
  const env = { ...machine.env, MINE: "yes" }
  await using terminal = await openTerminal({ command: ["sleep", "600"], env, cwd: machine.work })
  const has = (): string => readFileSync(`/proc/${terminal.pid}/environ`, "utf8")
  // Until then it is still the program that clears the environment.
  await eventually(() => readFileSync(`/proc/${terminal.pid}/comm`, "utf8") === "sleep\n", has)
  const names = has()
    .split("\0")
    .flatMap((entry) => (entry === "" ? [] : [entry.slice(0, entry.indexOf("="))]))
  expect(names.sort()).toEqual(Object.keys(env).sort())
})

test("a terminal can be resized, and tells how its program ended", async () => {
  using machine = tempMachine()
  const command = ["sh", "-c", 'trap "stty size" WINCH; echo ready; while ! read -r end; do :; done; exit 7'] as const
  await using terminal = await openTerminal({ command, env: machine.env, cwd: machine.work })
  await terminal.shows("ready")
  await terminal.resize(50, 10)
  await terminal.shows("10 50")
  await terminal.keys("Enter")
  expect(await terminal.ended()).toBe(7)
})

test("a program that is killed in a terminal has the status that a shell gives", async () => {
  using machine = tempMachine()
  await using terminal = await openTerminal({ command: ["sleep", "600"], env: machine.env, cwd: machine.work })
  process.kill(terminal.pid, "SIGKILL")
  expect(await terminal.ended()).toBe(137)
})

test("a wait that fails shows the screen as it was", async () => {
  using machine = tempMachine()
  await using terminal = await openTerminal({
    command: ["sh", "-c", "echo here; cat"],
    env: machine.env,
    cwd: machine.work,
  })
  await terminal.shows("here")
  await expect(terminal.shows("not there", 20)).rejects.toThrow(/waited for "not there"; the screen was:\nhere/)
})

test("a killed terminal leaves no process behind", async () => {
  using machine = tempMachine()
  const terminal = await openTerminal({ command: ["sleep", "600"], env: machine.env, cwd: machine.work })
  const { pid } = terminal
  expect(isAlive(pid)).toBe(true)
  await terminal.kill()
  expect(isAlive(pid)).toBe(false)
})

test("descendants are found below a process, and bearers by what their environment says", async () => {
  const marker = `CAIRN_TEST_MARKER=${crypto.randomUUID()}`
  const child = Bun.spawn(["env", marker, "sh", "-c", "sleep 600 & wait"], { stdout: "ignore" })
  try {
    let below = descendants(child.pid)
    while (below.length === 0 || !below.some((info) => info.name === "sleep")) below = descendants(child.pid)
    expect(below.map((info) => info.name)).toEqual(["sleep"])
    const bearers = bearersOf(marker)
    expect(bearers.map((info) => info.pid).sort()).toEqual([child.pid, ...below.map((info) => info.pid)].sort())
    for (const { pid } of bearers) process.kill(pid, "SIGKILL")
    await child.exited
    await waitGone(bearers.map((info) => info.pid))
    expect(bearersOf(marker)).toEqual([])
  } finally {
    child.kill("SIGKILL")
  }
})
