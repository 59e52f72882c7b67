/** The full screen as a person has it: the executable in a real terminal, at the sizes that people have. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, tempMachine, type Machine } from "../support/binary.ts"
import { configFolder, configFor, localMachine, writeConfig } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { eventually } from "../support/eventually.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer

const command = "for i in 1 2 3 4 5 6; do echo out $i; done; exit 3"

function script(request: ModelRequest): Reply {
  if (request.lastUser.includes("evil")) return { text: "safe \u001b[2J\u001b]0;title\u0007\u001b[10Aand sound" }
  if (!request.lastUser.includes("work")) return { text: `**bold** answer to ${request.lastUser}` }
  if (request.results.length === 0) return { thinking: "hm, hm", toolCalls: [{ name: "bash", args: { command } }] }
  if (request.results.length === 1) {
    return {
      toolCalls: [{ name: "write", args: { path: "PLAN.md", content: "# The plan\n\n- [x] look\n- [ ] mend\n" } }],
    }
  }
  return { text: "All *done*.\n\n```ts\nconst answer = 42\n```\n" }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

type Size = { readonly width: number; readonly height: number }

async function open(machine: Machine, size: Size, args: readonly string[] = [], env = {}): Promise<Terminal> {
  return openTerminal({
    command: [await builtBinary(), ...args],
    env: { ...machine.env, ...env },
    cwd: machine.work,
    ...size,
  })
}

/** Waits until the screen has a colour, as it is written for a terminal. */
async function colored(terminal: Terminal, code: string): Promise<void> {
  await eventually(
    async () => (await terminal.styled()).includes(code),
    async () => `no ${code} in:\n${await terminal.styled()}`,
  )
}

async function say(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text)
  await terminal.shows(text)
  await terminal.keys("Enter")
}

async function quit(machine: Machine, terminal: Terminal): Promise<void> {
  await terminal.keys("C-c", "C-c")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
}

for (const size of [
  { width: 200, height: 50 },
  { width: 100, height: 30 },
  { width: 60, height: 20 },
  { width: 40, height: 10 },
]) {
  test(`a task is watched from its input to its answer at ${size.width} by ${size.height}`, async () => {
    using machine = localMachine(server)
    await using terminal = await open(machine, size)
    await terminal.shows("Ask anything")
    await say(terminal, "work")
    await terminal.shows("const answer = 42")
    const rows = await terminal.rows()
    expect(rows.length).toBeLessThanOrEqual(size.height)
    expect(rows.some((row) => row.includes("**") || row.includes("```"))).toBe(false)
    expect(rows.some((row) => row.includes("test-model"))).toBe(true)
    if (size.width >= 100) await terminal.shows("☐ mend")
    await quit(machine, terminal)
  })
}

test("the palette has every command and its key, narrows while one types, and goes with Escape", async () => {
  using machine = localMachine(server)
  await using terminal = await open(machine, { width: 100, height: 30 })
  await terminal.shows("Ask anything")
  await terminal.keys("C-p")
  await terminal.shows("Commands")
  await terminal.type("theme")
  await terminal.shows((rows) => rows.some((row) => /theme/i.test(row) && row.includes("ctrl+x t")))
  await terminal.keys("Escape")
  await terminal.hides("Commands")
  await quit(machine, terminal)
})

test("a search counts its hits, goes from one to the next, and Escape brings the reader back", async () => {
  using machine = localMachine(server)
  await using terminal = await open(machine, { width: 100, height: 30 })
  await terminal.shows("Ask anything")
  await say(terminal, "work")
  await terminal.shows("const answer = 42")
  await terminal.keys("C-f")
  await terminal.type("out")
  await terminal.shows((rows) => rows.some((row) => /out\s+[1-9]\d*$/.test(row)))
  await terminal.keys("Down")
  await terminal.shows((rows) => rows.some((row) => /out\s+\d+\/\d+$/.test(row)))
  await terminal.keys("Escape")
  await terminal.hides("? out")
  await terminal.shows("const answer = 42")
  await quit(machine, terminal)
})

test("a theme and a keymap that are saved change the screen that runs; a broken one is named and the last good one stays", async () => {
  using machine = localMachine(server, { theme: "mine", keymap: "own" })
  const themes = join(configFolder(machine), "themes")
  const keymaps = join(configFolder(machine), "keymaps")
  mkdirSync(themes)
  mkdirSync(keymaps)
  const theme = (color: string): string => JSON.stringify({ extends: "dark", theme: { text: color, textMuted: color } })
  writeFileSync(join(themes, "mine.json"), theme("#112233"))
  writeFileSync(join(keymaps, "own.json"), JSON.stringify({ bindings: { global: { "ctrl+y": "app.palette" } } }))
  await using terminal = await open(machine, { width: 100, height: 30 }, [], { COLORTERM: "truecolor" })
  await terminal.shows("Ask anything")
  await say(terminal, "hello")
  await terminal.shows("answer to hello")
  await colored(terminal, "38;2;17;34;51")
  writeFileSync(join(themes, "mine.json"), theme("#445566"))
  await colored(terminal, "38;2;68;85;102")
  writeFileSync(join(themes, "mine.json"), '{\n  "theme": {{}\n}')
  await terminal.shows("mine.json:2")
  expect(await terminal.styled()).toContain("38;2;68;85;102")
  writeFileSync(
    join(keymaps, "own.json"),
    JSON.stringify({ bindings: { global: { "ctrl+y": null, "ctrl+g": "app.palette" } } }),
  )
  await eventually(
    async () => {
      await terminal.keys("C-g")
      return (await terminal.rows()).some((row) => row.includes("Commands"))
    },
    () => "the new key does not open the palette",
  )
  await terminal.keys("Escape")
  await terminal.hides("Commands")
  await quit(machine, terminal)
})

test("a model of the other wire format takes the conversation over in its middle", async () => {
  using machine = tempMachine()
  const config = configFor(server.completionsUrl) as { providers: Record<string, unknown> }
  const other = {
    api: "anthropic-messages",
    baseUrl: server.anthropicUrl,
    apiKey: "k",
    models: [{ id: "other-model", contextWindow: 100_000, maxTokens: 4_000, reasoning: true }],
  }
  writeConfig(machine, { ...config, providers: { ...config.providers, second: other } } as never)
  await using terminal = await open(machine, { width: 100, height: 30 })
  await terminal.shows("Ask anything")
  await say(terminal, "first work")
  await terminal.shows("const answer = 42")
  await say(terminal, "/model second/other-model")
  await terminal.shows("other-model")
  await say(terminal, "and then")
  await terminal.shows("answer to and then")
  expect(server.requests.at(-1)?.format).toBe("anthropic")
  await quit(machine, terminal)
})

test("with no key at all the tour can be taken, says what it is, and works on real files", async () => {
  using machine = tempMachine()
  await using terminal = await open(machine, { width: 100, height: 30 })
  await terminal.shows("tour")
  await terminal.keys("Enter")
  await terminal.shows("a script, not an AI")
  await say(terminal, "hello")
  await terminal.shows("Write `stones.sh`".replaceAll("`", ""), 60_000)
  await terminal.keys("C-c")
  await terminal.shows("Stopped")
  await quit(machine, terminal)
})

test("no control sequence of a model reaches the terminal", async () => {
  using machine = localMachine(server)
  await using terminal = await open(machine, { width: 100, height: 30 })
  await terminal.shows("Ask anything")
  await say(terminal, "be evil")
  await terminal.shows("safe and sound")
  await quit(machine, terminal)
})

test("a terminal that cannot place text gets a prompt and plain lines", async () => {
  using machine = localMachine(server)
  const command = ["env", "TERM=dumb", await builtBinary()]
  await using terminal = await openTerminal({ command, env: machine.env, cwd: machine.work, width: 80, height: 24 })
  await terminal.shows(">")
  await terminal.type("hello")
  await terminal.keys("Enter")
  await terminal.shows("answer to hello")
  expect(await terminal.styled()).not.toContain("\u001b[")
  await terminal.type("/quit")
  await terminal.keys("Enter")
  expect(await terminal.ended()).toBe(0)
})

test("a key that is typed at the first start is not seen, and is stored for its owner alone", async () => {
  using machine = tempMachine()
  await using terminal = await open(machine, { width: 100, height: 30 })
  await terminal.shows("tour")
  await terminal.type("groq")
  await terminal.shows((rows) => rows.some((row) => row.includes("› Use Groq")))
  await terminal.keys("Enter")
  await terminal.shows("key")
  await terminal.type("gsk-secret-1234")
  await terminal.keys("Enter")
  await terminal.shows("is stored")
  expect((await terminal.rows()).join("\n")).not.toContain("gsk-secret")
  const auth = readFileSync(join(configFolder(machine), "auth.json"), "utf8")
  expect(auth).toContain("gsk-secret-1234")
  await quit(machine, terminal)
})
