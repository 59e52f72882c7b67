import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import type { EntryRecord, SessionDocument, ShellEntry } from "../../src/protocol/records.ts"
import { systemClock, type Clock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { builtinTools } from "../../src/tools/registry.ts"
import { openAgent, type Agent, type AgentOptions } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"

let top = ""
let folder = ""
type Real = Agent<Clock>

let open: Real[] = []

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cairn-shell-")))
  folder = join(top, "work")
  mkdirSync(folder)
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  rmSync(top, { recursive: true, force: true })
})

/** Commands take the time that they take, so the clock is the machine's. */
function agentOn(ledger: Ledger, more: Partial<AgentOptions<Clock>> = {}): Real {
  const env = { PATH: process.env["PATH"] ?? "" }
  const agent = openAgent({ ledger, clock: systemClock, folder, env, tools: builtinTools(), ...more })
  open.push(agent)
  return agent
}

const inMemory = async (more: Partial<AgentOptions<Clock>> = {}): Promise<Real> =>
  agentOn(await memorySession({ clock: systemClock }), more)

const shell = (agent: Real, command: string, excluded = false) =>
  agent.engine.port.request({ type: "shell", conversation: 1, command, excluded })

const shellEntries = (agent: Real): readonly ShellEntry[] =>
  agent
    .view()
    .entries.map(({ data }: EntryRecord) => data)
    .filter((data): data is ShellEntry => data.kind === "shell")

const sees = (agent: Real, what: (agent: Real) => boolean, name: string): Promise<void> =>
  eventually(
    () => what(agent),
    () => `${name}: ${JSON.stringify(shellEntries(agent))}`,
  )

const liveOutput = (agent: Real): string =>
  [...agent.view().progress.values()].map((progress) => (progress.kind === "output" ? progress.text : "")).join("")

test("a command of the person's is one entry with its output and its end", async () => {
  const agent = await inMemory()
  const answer = await shell(agent, "echo out; echo err >&2; exit 3")
  expect(answer.exit).toBe(3)
  expect(answer.output).toStartWith("out\nerr")
  expect(shellEntries(agent)).toMatchObject([
    { command: "echo out; echo err >&2; exit 3", exit: 3, excluded: false, outcome: "failed" },
  ])
})

test("commands run beside one another, each with a key of its own", async () => {
  const agent = await inMemory()
  writeFileSync(join(folder, "turns"), "")
  // The first ends only after the second has been there.
  const first = shell(agent, "while ! grep -q second turns; do sleep 0.02; done; echo $CAIRN_CALL")
  await sees(agent, ({ view }) => view().tasks.size === 1, "the first runs")
  const second = await shell(agent, "echo second >turns; echo $CAIRN_CALL")
  const keys = [(await first).output, second.output]
  expect(keys.every((key) => key.startsWith(agent.ledger.session))).toBe(true)
  expect(keys[0]).not.toBe(keys[1])
})

test("what a command prints is seen while it runs, by whoever watches", async () => {
  const agent = await inMemory()
  const done = shell(agent, "echo begun; while ! test -e go; do sleep 0.02; done; echo ended")
  await sees(agent, (now) => liveOutput(now).includes("begun"), "its output is seen")
  const [task] = agent.view().tasks.values()
  expect(task?.work).toEqual({
    kind: "shell",
    command: "echo begun; while ! test -e go; do sleep 0.02; done; echo ended",
    excluded: false,
  })
  expect(shellEntries(agent)).toEqual([])
  writeFileSync(join(folder, "go"), "")
  expect((await done).output).toBe("begun\nended")
})

test("a stop ends it with all that it started, and it is recorded with the output that it had", async () => {
  const agent = await inMemory()
  const done = shell(agent, "echo begun; sleep 1000")
  await sees(agent, (now) => liveOutput(now).includes("begun"), "it runs")
  await agent.stop()
  await done
  expect(shellEntries(agent)).toMatchObject([{ exit: 128 + 15, outcome: "aborted" }])
  expect(shellEntries(agent)[0]?.output).toBe("begun\n\n[Interrupted: the command and all that it started were ended.]")
  expect(agent.engine.busy()).toBe(false)
})

test("a command runs while the agent works, and the agent goes on", async () => {
  const hold = Promise.withResolvers<void>()
  const agent = await inMemory({ script: [{ text: "hi", until: hold.promise }] })
  await agent.say("hello")
  expect((await shell(agent, "echo beside")).output).toBe("beside")
  hold.resolve()
  await agent.idle()
  expect(agent.transcript()).toContain("assistant: hi")
})

test("the model is told of it, but for one that it is not to know", async () => {
  const agent = await inMemory()
  await shell(agent, "echo told")
  await shell(agent, "echo hidden", true)
  await agent.say("well?")
  await agent.idle()
  const request = JSON.stringify(agent.model.requests[0]?.messages)
  expect(request).toContain("I ran this command:\\n$ echo told\\ntold")
  expect(request).not.toContain("hidden")
})

test("one that outlives its host is adopted by the next one, with its whole output and true end", async () => {
  const id = uuidv7(systemClock.now())
  const place = { dataDir: top, id, clock: systemClock }
  const first = agentOn(await createSession(place))
  shell(first, "echo one; while ! test -e go; do sleep 0.02; done; echo two; exit 4").catch(() => undefined)
  await sees(first, (now) => liveOutput(now).includes("one"), "it runs")
  await first.engine.close()
  const second = agentOn(await openSession(place), { consent: "ask" })
  writeFileSync(join(folder, "go"), "")
  await sees(second, (now) => shellEntries(now).length === 1, "it is recorded")
  expect(shellEntries(second)).toMatchObject([{ exit: 4, outcome: "failed" }])
  expect(shellEntries(second)[0]?.output).toStartWith("one\ntwo\n")
})

test("an output too long to show is kept, and the entry says where", async () => {
  const place = { dataDir: top, id: uuidv7(systemClock.now()), clock: systemClock }
  const agent = agentOn(await createSession(place))
  const { output } = await shell(agent, "seq 1 100000")
  const [entry] = shellEntries(agent)
  expect(output).toContain(`the whole output is in ${entry?.kept?.path}`)
  expect(readFileSync(entry?.kept?.path ?? "", "utf8")).toEndWith("99999\n100000\n")
})

test("an agent without bash, or a conversation that is not there, runs none", async () => {
  const agent = await inMemory({ tools: [] })
  expect(shell(agent, "ls")).rejects.toThrow("This agent has no bash tool")
  const other = await inMemory()
  const asked = other.engine.port.request({ type: "shell", conversation: 99, command: "ls", excluded: false })
  expect(asked).rejects.toThrow("There is no conversation c99")
})

test("a session in which only a command ran has its name, until an input gives a better one", async () => {
  const agent = await inMemory()
  const title = (): unknown => (agent.ledger.live.document(0, "session")?.value as SessionDocument | undefined)?.title
  await shell(agent, "true first\ntrue second")
  expect(title()).toBe("! true first")
  await shell(agent, "true third")
  expect(title()).toBe("! true first")
  await agent.say("What is here?")
  expect(title()).toBe("What is here?")
  await shell(agent, "true fourth")
  expect(title()).toBe("What is here?")
})
