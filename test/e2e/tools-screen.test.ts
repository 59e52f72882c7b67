/** Calls as a person sees them on the full screen: written, running, flooding, stopped, and taken back. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "../../src/std/json.ts"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { Reply } from "../support/model-script.ts"
import { bearersOf, commandLine } from "../support/process.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ key: "k" })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

async function open(machine: Machine, width = 100): Promise<Terminal> {
  const terminal = await openTerminal({
    command: [await builtBinary()],
    env: machine.env,
    cwd: machine.work,
    width,
    height: 30,
  })
  await terminal.shows("Ask anything")
  return terminal
}

async function say(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text)
  await terminal.shows(text)
  await terminal.keys("Enter")
}

/** A command by its name, in the editor. */
async function slash(terminal: Terminal, name: string): Promise<void> {
  await terminal.type(name)
  await terminal.shows((rows) => rows.some((row) => row.startsWith(`› ${name}`)))
  await terminal.keys("Enter")
}

/** `letter` says what of the last run: files, conversation or both. */
async function takeBack(terminal: Terminal, letter: string): Promise<void> {
  await slash(terminal, "/undo")
  await terminal.shows("Take back the last run")
  await terminal.keys(letter)
  await terminal.hides("Take back the last run")
}

async function quit(machine: Machine, terminal: Terminal): Promise<void> {
  // While a run goes on, or is being stopped, the same key means to stop it.
  await terminal.hides("escape stops")
  await terminal.keys("C-c", "C-c")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
}

/** The shells of this machine's commands. */
function shells(machine: Machine): readonly number[] {
  const bearers = bearersOf(`XDG_RUNTIME_DIR=${machine.env.XDG_RUNTIME_DIR}`)
  return bearers.map(({ pid }) => pid).filter((pid) => commandLine(pid).includes("-c"))
}

/** A stream of chat completions that waits for each gate before it goes on with the next piece of a call's arguments. */
function writingReply(name: string, pieces: readonly string[], gates: readonly Promise<void>[]): Reply {
  const chunk = (delta: JsonObject, finish: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "test-model", choices })}\n\n`
  }
  const part = (text: string): string => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })
  const first = chunk({
    role: "assistant",
    tool_calls: [{ index: 0, id: "call_0", type: "function", function: { name, arguments: "" } }],
  })
  const raw = pieces.flatMap((piece, at) => {
    const gate = gates[at]
    return gate === undefined ? [part(piece)] : [part(piece), { until: gate }]
  })
  const headers = { "content-type": "text/event-stream" }
  return { raw: [first, ...raw, chunk({}, "tool_calls"), "data: [DONE]\n\n"], headers }
}

const gate = (): { readonly promise: Promise<void>; resolve(): void } => Promise.withResolvers<void>()

test("a file grows on the screen while its call is still being written, and an edit grows as its diff", async () => {
  using machine = localMachine(server)
  await using terminal = await open(machine)
  const [path, half, old] = [gate(), gate(), gate()]
  const lines = Array.from({ length: 30 }, (_, n) => `const value${n} = ${n}\\n`)
  server.script([
    writingReply(
      "write",
      ['{"path":"src/new.ts",', `"content":"${lines.slice(0, 20).join("")}const half`, `way = 1\\n"}`],
      [path.promise, half.promise],
    ),
    writingReply(
      "edit",
      [
        '{"path":"src/new.ts","edits":[{"oldText":"const value7 = 7","newText":"const se',
        'ven = 7"},{"oldText":"const value9',
        ' = 9","newText":"const nine = 9"}]}',
      ],
      [old.promise],
    ),
    { text: "All done." },
  ])
  await say(terminal, "go")
  await terminal.shows((rows) => rows.some((row) => /write src\/new\.ts\s+writing/.test(row)))
  expect(existsSync(join(machine.work, "src"))).toBe(false)
  path.resolve()
  await terminal.shows((rows) => rows.some((row) => row.endsWith("│ const half")))
  const rows = await terminal.rows()
  expect(rows.some((row) => row.includes("lines above"))).toBe(true)
  expect(rows.some((row) => row.endsWith("│ const value19 = 19"))).toBe(true)
  half.resolve()
  await terminal.shows((now) => now.some((row) => /^ 1 - const value7 = 7\b/.test(row)))
  await terminal.shows((now) => now.some((row) => /^ 1 \+ const se\s/.test(row)))
  expect(readFileSync(join(machine.work, "src/new.ts"), "utf8")).toContain("const value7 = 7\n")
  old.resolve()
  await terminal.shows("All done.")
  expect(readFileSync(join(machine.work, "src/new.ts"), "utf8")).toContain(
    "const seven = 7\nconst value8 = 8\nconst nine = 9\n",
  )
  await quit(machine, terminal)
})

test("a run is taken back and made again: its files, what was said, or both, as the person says", async () => {
  using machine = localMachine(server)
  const file = (name: string): string | null => {
    const path = join(machine.work, name)
    return existsSync(path) ? readFileSync(path, "utf8") : null
  }
  writeFileSync(join(machine.work, "old.txt"), "one\ntwo\n")
  const edits = [{ oldText: "two", newText: "2" }]
  server.script((request) =>
    request.results.length > 0
      ? { text: "It is made." }
      : {
          toolCalls: [
            { name: "write", args: { path: "made/new.txt", content: "new\n" } },
            { name: "edit", args: { path: "old.txt", edits } },
          ],
        },
  )
  const before = [null, "one\ntwo\n"]
  const after = ["new\n", "one\n2\n"]
  const files = (): readonly (string | null)[] => [file("made/new.txt"), file("old.txt")]
  const become = (wanted: readonly (string | null)[]): Promise<void> =>
    eventually(
      () => JSON.stringify(files()) === JSON.stringify(wanted),
      () => `the files were ${JSON.stringify(files())}, not ${JSON.stringify(wanted)}`,
    )
  await using terminal = await open(machine)
  const command = (name: string): Promise<void> => slash(terminal, name)
  const undo = (letter: string): Promise<void> => takeBack(terminal, letter)
  await say(terminal, "make it please")
  await terminal.shows("It is made.")
  await become(after)

  await undo("f")
  await become(before)
  // The folder that was made for it goes last.
  await eventually(
    () => !existsSync(join(machine.work, "made")),
    () => "the folder is still there",
  )
  await terminal.shows("It is made.")
  await command("/redo")
  await become(after)

  await undo("c")
  await terminal.hides("It is made.")
  await terminal.shows((rows) => rows.some((row) => row.startsWith("› make it please")))
  expect(files()).toEqual(after)
  await terminal.keys("C-u")
  await command("/redo")
  await terminal.shows("It is made.")
  expect(files()).toEqual(after)

  await undo("b")
  await terminal.hides("It is made.")
  await terminal.shows((rows) => rows.some((row) => row.startsWith("› make it please")))
  await become(before)
  await terminal.keys("C-u")
  await command("/redo")
  await terminal.shows("It is made.")
  await become(after)

  // What others changed since is theirs: that change is refused, the rest is taken back.
  writeFileSync(join(machine.work, "old.txt"), "one\nmine\n")
  await undo("f")
  await terminal.shows("old.txt#1 was not: others changed these lines since")
  await become([null, "one\nmine\n"])
  await quit(machine, terminal)
})

test("while a command floods, keys are answered, its first line is read, and a key ends it (48)", async () => {
  using machine = localMachine(server)
  await using terminal = await open(machine)
  // Endless, and faster than anybody reads, but not so fast that its first line would be freed while this test is at it.
  const command = "echo the first line; while :; do yes 'what a command may print' | head -c 60000; sleep 0.02; done"
  server.script((request) =>
    request.results.length > 0 ? { text: "done" } : { toolCalls: [{ name: "bash", args: { command } }] },
  )
  await say(terminal, "flood")
  await terminal.shows((rows) => rows.some((row) => row.endsWith("│ what a command may print")))
  await terminal.type("typed meanwhile")
  await terminal.shows("› typed meanwhile")
  await terminal.keys("C-u")
  await terminal.hides("typed meanwhile")
  expect(shells(machine).length).toBeGreaterThan(0)
  // Past the conversation, to the panel at its side.
  await terminal.keys("C-x", "Right", "C-x", "Right")
  await terminal.keys("C-Home")
  await terminal.shows((rows) => rows.some((row) => row.includes("│ the first line")))
  await terminal.keys("C-x", "Down", "C-c")
  await terminal.shows((rows) => rows.some((row) => /■ bash .*stopped/.test(row)))
  expect(shells(machine)).toEqual([])
  await quit(machine, terminal)
})

test("a command that waits for what never comes leaves the screen alive, shows its time, and is ended by a key (43, 44, 45)", async () => {
  using machine = localMachine(server)
  await using terminal = await open(machine)
  // Whoever would ask on the terminal finds none; then it waits for a pipe that nobody writes to.
  const command = "printf 'Username: ' >/dev/tty; read -s x </dev/tty; mkfifo p; echo waiting; cat p"
  server.script((request) =>
    request.results.length > 0 ? { text: "done" } : { toolCalls: [{ name: "bash", args: { command } }] },
  )
  await say(terminal, "wait")
  await terminal.shows((rows) => rows.some((row) => row.includes("│ waiting")))
  const rows = await terminal.rows()
  expect(rows.filter((row) => row.includes("/dev/tty: No such device")).length).toBeGreaterThan(1)
  expect(rows.some((row) => row.startsWith("Username:"))).toBe(false)
  await terminal.shows((now) => now.some((row) => /● bash .*running · [1-9]\d* s/.test(row)))
  await terminal.type("and meanwhile")
  await terminal.shows("› and meanwhile")
  await terminal.keys("C-u")
  await terminal.hides("and meanwhile")
  await terminal.keys("C-c")
  await terminal.shows((now) => now.some((row) => /■ bash .*stopped/.test(row)))
  expect(shells(machine)).toEqual([])
  await quit(machine, terminal)
})
