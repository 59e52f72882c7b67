/** Every command that people know by a name after a slash, and commands of the shell, on the screen of the executable. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { configFolder, localMachine } from "../support/local-model.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer

function script(request: ModelRequest): Reply {
  if (request.lastUser !== "write it" || request.results.length > 0) return { text: `answer to ${request.lastUser}` }
  return { text: "I write.", toolCalls: [{ name: "write", args: { path: "a.txt", content: "one\ntwo\n" } }] }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

async function open(machine: Machine, ...args: readonly string[]): Promise<Terminal> {
  const terminal = await openTerminal({
    command: [await builtBinary(), ...args],
    env: machine.env,
    cwd: machine.work,
    width: 110,
    height: 36,
  })
  await terminal.shows("Ask anything")
  return terminal
}

async function say(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text)
  await terminal.shows((rows) => rows.some((row) => /^[›!] /.test(row) && row.endsWith(text)))
  await terminal.keys("Enter")
}

/** What a command shows, and goes away from with Escape. */
async function opens(terminal: Terminal, command: string, shows: string): Promise<void> {
  await say(terminal, command)
  await terminal.shows(shows)
  await terminal.keys("Escape")
  await terminal.hides(shows)
}

async function end(machine: Machine, terminal: Terminal): Promise<void> {
  await say(terminal, "/quit")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
}

test("what is chosen, read and looked at opens by its name and goes with Escape", async () => {
  using machine = localMachine(server, { betterTitles: false })
  await using terminal = await open(machine)
  await say(terminal, "hello")
  await terminal.shows("answer to hello")
  for (const [command, shows] of [
    ["/model", "╭─ Model"],
    ["/tools", "☑ read"],
    ["/resume", "Sessions of this folder"],
    ["/session", "╭─ Session ─"],
    ["/context", "What the model was told"],
    ["/tree", "Tree: your inputs"],
    ["/fork", "Fork at an earlier prompt"],
    ["/export", "The file to write"],
    ["/import", "A session file of pi"],
    ["/settings", "╭─ Settings"],
    ["/theme", "╭─ Theme"],
    ["/keymap", "╭─ Keymap"],
    ["/hotkeys", "╭─ Keys"],
    ["/login", "╭─ Provider"],
    ["/logout", "╭─ Forget the key of"],
    ["/doctor", "is wrong"],
    ["/name", "What this session is called in lists"],
  ] as const)
    await opens(terminal, command, shows)
  await end(machine, terminal)
})

test("what is done at once is done by its name", async () => {
  using machine = localMachine(server, { betterTitles: false })
  writeFileSync(join(machine.work, "pi.jsonl"), piFile)
  await using terminal = await open(machine)
  await say(terminal, "write it")
  await terminal.shows("answer to write it")
  await say(terminal, "/name the first one")
  await say(terminal, "/changes")
  await terminal.shows("changes: 1 file +2 −0")
  await say(terminal, "/changes")
  await terminal.hides("changes: 1 files")
  await say(terminal, "/undo")
  await terminal.shows("Take back the last run")
  await terminal.type("f")
  await terminal.hides("Take back the last run")
  await terminal.shows("taken back")
  expect(existsSync(join(machine.work, "a.txt"))).toBe(false)
  await say(terminal, "/redo")
  await terminal.shows("made again")
  expect(readFileSync(join(machine.work, "a.txt"), "utf8")).toBe("one\ntwo\n")
  await say(terminal, "/export out.md")
  await terminal.shows("The session is written to")
  expect(readFileSync(join(machine.work, "out.md"), "utf8")).toContain("# the first one")
  await say(terminal, "/copy")
  await terminal.shows("bytes sent to")
  await say(terminal, "/reload")
  await terminal.shows("were read again")
  await opens(terminal, "/thinking", "╭─ Thinking")
  await opens(terminal, "/trust", "Trust this folder?")
  await say(terminal, "/compact")
  await terminal.shows("There is nothing to compact yet")
  await say(terminal, "/clone")
  await terminal.shows("This is a copy")
  await say(terminal, "/import pi.jsonl")
  await terminal.shows("said elsewhere")
  await say(terminal, "/new")
  await terminal.hides("said elsewhere")
  await end(machine, terminal)
  const listed = await runBinary(machine, ["sessions", "list", "--all"])
  expect(listed.stdout.split("\n").filter((row) => row.includes("the first one"))).toHaveLength(2)
  expect(listed.stdout).toContain("said elsewhere")
})

const piFile = [
  { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
  {
    type: "message",
    id: "u",
    parentId: null,
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: "user", content: "said elsewhere", timestamp: 1 },
  },
]
  .map((line) => JSON.stringify(line))
  .join("\n")

test("a command of the person's is told to the model with the next input, a doubled mark keeps it to oneself, and both stay", async () => {
  using machine = localMachine(server, { betterTitles: false })
  await using terminal = await open(machine)
  await say(terminal, "!echo for both; exit 3")
  await terminal.shows("! echo for both; exit 3  exit 3")
  // The next one may run once the line over the editor does not name this one any more.
  await terminal.shows((rows) => !rows.some((row) => row.startsWith("!  echo for both")))
  await say(terminal, "!!echo for me alone")
  await terminal.shows((rows) => rows.filter((row) => row.includes("for me alone")).length >= 2)
  const before = server.requests.length
  await say(terminal, "what was it?")
  await terminal.shows("answer to I ran this command")
  const told = JSON.stringify(server.requests[before]?.body)
  expect(told).toContain("I ran this command")
  expect(told).toContain("for both")
  expect(told.match(/exit status 3/gi)).toHaveLength(1)
  expect(told).not.toContain("for me alone")
  await end(machine, terminal)

  const [id = ""] = (await runBinary(machine, ["sessions", "list"])).stdout.split(" ")
  const shown = (await runBinary(machine, ["sessions", "show", id])).stdout
  for (const text of ["echo for both; exit 3", "exit status 3", "for me alone"]) expect(shown).toContain(text)
})

test("templates and skills are completed and expanded by their names", async () => {
  using machine = localMachine(server, { betterTitles: false })
  const config = configFolder(machine)
  mkdirSync(join(config, "prompts"))
  writeFileSync(
    join(config, "prompts", "review.md"),
    "---\ndescription: read something with care\nargument-hint: <file> [depth]\n---\nReview $1 at depth ${2:-two}: $@\n",
  )
  mkdirSync(join(config, "skills", "brew"), { recursive: true })
  writeFileSync(
    join(config, "skills", "brew", "SKILL.md"),
    "---\nname: brew\ndescription: how tea is made\n---\nBoil water.\n",
  )
  await using terminal = await open(machine)
  await terminal.type("/rev")
  await terminal.shows("read something with care")
  await terminal.keys("Escape")
  await terminal.hides("read something with care")
  await terminal.keys("C-u")
  await terminal.shows("Ask anything")
  await say(terminal, "/review a.ts")
  await terminal.shows("answer to Review a.ts at depth two: a.ts")
  const before = server.requests.length
  expect(JSON.stringify(server.requests[before - 1]?.body)).toContain("how tea is made")
  await say(terminal, "/skill:brew for two")
  await terminal.shows("for two")
  await eventually(
    () => server.requests.length === before + 1,
    () => `${server.requests.length} requests, ${before} before`,
  )
  expect(JSON.stringify(server.requests[before]?.body)).toContain("Boil water")
  await end(machine, terminal)
})
