/** Field report 145 and its kin, on the executable: whatever others wrote, no byte of it drives the terminal, in any mode that has one. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { Pty } from "../support/pty.ts"

/** Marks that nothing else writes: a screen writes only the cells that differ, so that a word may come in parts, and a character never does. */
const [said, worked, refused, pasted, named, thought, linked] = ["❶", "❷", "❸", "❹", "❺", "❻", "❼"] as const

/** Each by itself, and all together: a clipboard, a title, a link, moves, an erasure, a question, a reset, pictures, eight-bit ones, half ones. */
const corpus: readonly string[] = [
  "\x1b]52;c;aGk=\x07",
  "\x1b]0;owned\x07",
  "\x1b]8;;http://owned.example\x1b\\",
  "\x1b[10A",
  "\x1b[2J",
  "\x1b[6n",
  "\x1bc",
  "\x1bPq#0;2;0;0;0\x1b\\",
  "\x1b_Gowned\x1b\\",
  "\u009b2J",
  "\u009d0;owned\u009c",
  "\x1b[?1049l",
  "\x1b]owned without an end",
  "\x07",
  "\b".repeat(20),
  "\u202e",
  "\u200b",
]
const evil = `before ${corpus.join("|")} after`

let server: ModelServer

function script({ lastUser, results }: ModelRequest): Reply {
  if (lastUser.includes("fail")) return { status: 400, body: { error: { message: `${evil} ${refused}` } } }
  if (lastUser.includes("link")) {
    return { text: "see [words](https://example.org/a), <https://b.example> and [run](javascript:alert(1)) " + linked }
  }
  if (!lastUser.includes("work")) return { text: `said ${evil} ${said}`, thinking: `${thought} ${evil}`, splitAt: 7 }
  const calls = [
    { name: "bash", args: { command: `printf '%s' "$(cat evil.txt)"; echo ${JSON.stringify("told")}` } },
    { name: "read", args: { path: `no ${evil}.txt` } },
    { name: `tool ${evil}`, args: { [evil]: evil } },
    { name: "write", args: { path: `made ${corpus[3]}${corpus[15]}.txt`, content: evil } },
  ]
  const call = calls[results.length]
  return call === undefined ? { text: worked } : { toolCalls: [call], thinking: evil }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(() => server.stop())

/** What no data may bring to the terminal; the program's own sequences are none of these once its screen stands. */
const forbidden: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["a clipboard", /\x1b\]52;c;aGk=/],
  ["a title or a string of others", /owned\x07|\x1b\][^\x07\x1b]*owned|\x1b[_P][^\x1b]*(?:owned|#0;2)/],
  ["a move", /\x1b\[10A/],
  ["an erasure", /\x1b\[2J/],
  ["a question", /\x1b\[6n/],
  ["a reset", /\x1bc/],
  ["an eight-bit control", /[\u0080-\u009f]/],
  ["a bell", /[^\x1b\]\d;=\w\\:/.-]\x07/],
  ["a backspace", /\x08/],
  ["text that turns or hides", /[\u202e\u200b]/],
]

function harmless(text: string): void {
  for (const [name, pattern] of forbidden) expect([name, pattern.exec(text)?.[0] ?? null]).toEqual([name, null])
}

function evilMachine(): Machine {
  const machine = localMachine(server)
  writeFileSync(join(machine.work, "evil.txt"), evil)
  writeFileSync(join(machine.work, `file ${corpus[1]}${corpus[15]}name ${named}.txt`), "x")
  mkdirSync(join(machine.work, ".git"))
  writeFileSync(join(machine.work, ".git/HEAD"), `ref: refs/heads/branch${corpus[4]}${corpus[15]}\n`)
  return machine
}

async function inTerminal(machine: Machine, args: readonly string[]): Promise<string> {
  const command = [await builtBinary(), ...args]
  await using pty = new Pty(command, { columns: 100, rows: 30, env: { ...machine.env }, cwd: machine.work })
  await pty.ended()
  return pty.text
}

test("on the full screen", async () => {
  using machine = evilMachine()
  const command = [await builtBinary()]
  await using pty = new Pty(command, { columns: 120, rows: 40, env: { ...machine.env }, cwd: machine.work })
  await pty.says("Ask anything")
  const from = pty.text.length
  const shown = (): string => pty.text.slice(from)
  pty.write("say\r")
  await pty.says(said, from)
  pty.write("\x14")
  await pty.says(thought, from)
  pty.write("work\r")
  await pty.says(worked, from)
  pty.write("fail\r")
  await pty.says(refused, from)
  // What is pasted, a completion of file names, and everything unfolded.
  pty.write(`\x1b[200~${evil} ${pasted}\x1b[201~`)
  await pty.says(pasted, from)
  pty.write("\x03@nam")
  await pty.says(named, from)
  const folded = pty.text.length
  pty.write("\x1b[27u\x0f")
  await pty.says("▾", folded)
  harmless(shown())
  expect(shown()).toContain("<U+202E>")
  await runBinary(machine, ["stop", "all", "--now"])
})

test("in every other mode whose output is a terminal", async () => {
  using machine = evilMachine()
  const outputs = [
    await inTerminal(machine, ["-p", "say"]),
    await inTerminal(machine, ["-p", "work", "-c"]),
    await inTerminal(machine, ["-p", "fail", "-c"]),
  ]
  const { stdout } = await runBinary(machine, ["sessions", "list", "--json"])
  const { id } = JSON.parse(stdout.split("\n")[0] ?? "") as { id: string }
  for (const args of [["list"], ["show", id], ["search", "before"], ["export", id], ["log", id]]) {
    outputs.push(await inTerminal(machine, ["sessions", ...args]))
  }
  for (const text of outputs) harmless(text)
  expect(outputs[0]).toContain("said before")
})

test("an address is given to a terminal that is known to open it, and only an address", async () => {
  using machine = evilMachine()
  const env = { ...machine.env, VTE_VERSION: "7600" }
  await using pty = new Pty([await builtBinary()], { columns: 120, rows: 40, env, cwd: machine.work })
  await pty.says("Ask anything")
  const from = pty.text.length
  pty.write("link\r")
  await pty.says(linked, from)
  const links = [...pty.text.slice(from).matchAll(/\x1b\]8;[^;]*;([^\x1b\x07]+)/g)].map(([, address]) => address)
  expect(new Set(links)).toEqual(new Set(["https://example.org/a", "https://b.example"]))
  await runBinary(machine, ["stop", "all", "--now"])
})
