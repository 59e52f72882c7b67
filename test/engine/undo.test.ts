import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs"
import { symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import type { Refused } from "../../src/protocol/changes.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { builtinTools } from "../../src/tools/registry.ts"
import { undoText } from "../../src/protocol/undo-text.ts"
import { textOf } from "../../src/message/message.ts"
import { openAgent, type Agent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let top = ""
let folder = ""
let open: Agent[] = []
const clock = new ManualClock()

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cairn-undo-")))
  folder = join(top, "work")
  mkdirSync(folder)
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  rmSync(top, { recursive: true, force: true })
})

const at = (name: string): string => join(folder, name)
const put = (name: string, text: string | Uint8Array): void => writeFileSync(at(name), text)
const get = (name: string): string => readFileSync(at(name), "latin1")

type Call = readonly [tool: string, args: JsonObject]
const edit = (path: string, ...pairs: readonly (readonly [string, string])[]): Call => [
  "edit",
  { path, edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) },
]
const write = (path: string, content: string): Call => ["write", { path, content }]

/** One run for each list of calls, one call a turn. */
function scriptOf(runs: readonly (readonly Call[])[]): readonly Reply[] {
  return runs.flatMap((calls) => [
    ...calls.map(([name, args], n): Reply => ({ calls: [{ id: `${n}`, name, args }] })),
    { text: "done" },
  ])
}

/** An agent that has made these runs; `runs` are their entries. */
async function after(runs: readonly (readonly Call[])[], ledger?: Ledger): Promise<{ agent: Agent; runs: number[] }> {
  const session = ledger ?? (await memorySession({ clock }))
  const agent = openAgent({ ledger: session, clock, folder, tools: builtinTools(), script: scriptOf(runs) })
  open.push(agent)
  for (const _ of runs) {
    await agent.say("go")
    await agent.idle()
  }
  const begun = agent.view().entries.filter(({ data }) => data.kind === "user")
  return { agent, runs: begun.map(({ id }) => id) }
}

const undo = (agent: Agent, run = 0, hunks?: readonly string[]) =>
  agent.engine.port.request({ type: "undo", conversation: 1, run, hunks, what: "files" })
const changes = (agent: Agent, run?: number) => agent.engine.port.request({ type: "changes", conversation: 1, run })

const told = (refused: readonly Refused[]): readonly string[] => refused.map(({ hunk, reason }) => `${hunk}: ${reason}`)

const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join("")

describe("what a run changed", () => {
  test("is told by file and hunk, with its lines and its state", async () => {
    put("a.txt", numbered(20))
    const { agent, runs } = await after([
      [edit("a.txt", ["line 3\n", "three\n"], ["line 15\nline 16\n", ""]), write("sub/new.txt", "x\ny\n")],
    ])
    put("a.txt", readFileSync(at("a.txt"), "utf8").replace("three", "by someone else"))
    const { files, commands } = await changes(agent, runs[0])
    expect(commands).toBe(0)
    expect(files.map(({ path, kind, added, removed }) => [path, kind, added, removed])).toEqual([
      ["a.txt", "edited", 1, 3],
      ["sub/new.txt", "made", 2, 0],
    ])
    const [first, second] = files[0]?.hunks ?? []
    expect(first).toEqual({
      id: "a.txt#1",
      state: "conflict",
      reason: "others changed these lines since",
      oldStart: 3,
      oldLines: 1,
      newStart: 3,
      newLines: 1,
      lines: [" line 1", " line 2", "-line 3", "+three", " line 4", " line 5", " line 6"],
    })
    expect(second).toMatchObject({ id: "a.txt#2", state: "made", oldStart: 15, oldLines: 2, newStart: 14, newLines: 0 })
    expect(files[1]?.hunks.map(({ id, lines }) => [id, lines])).toEqual([["sub/new.txt#1", ["+x", "+y"]]])
  })

  test("is one change where its edits follow on one another, over all runs of a conversation", async () => {
    put("a.txt", numbered(3))
    const { agent, runs } = await after([
      [edit("a.txt", ["line 1", "one"]), edit("a.txt", ["one", "first"])],
      [edit("a.txt", ["first", "FIRST"])],
    ])
    const whole = await changes(agent)
    expect(whole.files.map((file) => [file.runs, file.hunks.map(({ lines }) => lines)])).toEqual([
      [runs, [["-line 1", "+FIRST", " line 2", " line 3"]]],
    ])
    expect((await changes(agent, runs[0])).files[0]?.hunks[0]?.lines).toContain("+first")
  })

  test("says how many commands ran, whose changes are not covered", async () => {
    put("a.txt", "a\n")
    const { agent, runs } = await after([[["bash", { command: "true" }], edit("a.txt", ["a", "b"])]])
    expect((await changes(agent, runs[0])).commands).toBe(1)
    const undone = await undo(agent, runs[0])
    expect(undone.commands).toBe(1)
    expect(agent.view().entries.at(-1)?.data).toMatchObject({ kind: "undo", commands: 1 })
  })

  test("is asked for by a run that there is", async () => {
    const { agent, runs } = await after([[]])
    for (const run of [0, 9_999, (runs[0] ?? 0) + 1])
      expect(changes(agent, run)).rejects.toThrow(`No run of this conversation began with e${run}.`)
  })
})

describe("an undo", () => {
  test("takes a whole run back, made files too, and its undo makes it again", async () => {
    const bytes = Buffer.concat([Buffer.from("\ufeffone\r\ntwo\r\nth"), Buffer.from([0xff]), Buffer.from("ree")])
    put("crlf.txt", bytes)
    put("tool.sh", "#!/bin/sh\nexit 1\n")
    chmodSync(at("tool.sh"), 0o750)
    symlinkSync("tool.sh", at("link"))
    const { agent, runs } = await after([
      [edit("crlf.txt", ["two", "2"]), edit("link", ["exit 1", "exit 0"]), write("deep/new.txt", "new\n")],
    ])
    chmodSync(at("deep/new.txt"), 0o755)
    const made = get("crlf.txt")
    const answer = await undo(agent, runs[0])
    expect(answer.undone).toEqual(["crlf.txt#1", "tool.sh#1", "deep/new.txt#1"])
    expect(answer.refused).toEqual([])
    expect(Buffer.from(get("crlf.txt"), "latin1")).toEqual(bytes)
    expect([get("tool.sh"), statSync(at("tool.sh")).mode & 0o777]).toEqual(["#!/bin/sh\nexit 1\n", 0o750])
    expect(existsSync(at("deep/new.txt"))).toBe(false)
    const redone = await undo(agent, answer.entry ?? 0)
    expect(redone.refused).toEqual([])
    expect([get("crlf.txt"), get("tool.sh"), get("deep/new.txt")]).toEqual([made, "#!/bin/sh\nexit 0\n", "new\n"])
    expect(statSync(at("deep/new.txt")).mode & 0o777).toBe(0o755)
    // And that can be undone too.
    await undo(agent, redone.entry ?? 0)
    expect(get("tool.sh")).toBe("#!/bin/sh\nexit 1\n")
  })

  test("takes the folders that were made with their files, but for those that others put something in", async () => {
    mkdirSync(at("old"))
    const runs = [
      [write("a/b/one", "1\n"), write("a/b/two", "2\n"), write("a/c/three", "3\n"), write("old/four", "4\n")],
    ]
    const {
      agent,
      runs: [run],
    } = await after(runs)
    await undo(agent, run, ["a/b/one#1"])
    expect(existsSync(at("a/b/two"))).toBe(true)
    await undo(agent, run, ["a/b/two#1", "old/four#1"])
    // It was made for a file that has gone before.
    expect([existsSync(at("a/b")), existsSync(at("old"))]).toEqual([false, true])
    put("a/mine", "mine\n")
    const last = await undo(agent, run)
    expect([existsSync(at("a/c")), get("a/mine")]).toEqual([false, "mine\n"])
    await undo(agent, last.entry ?? 0)
    expect(get("a/c/three")).toBe("3\n")
    rmSync(at("a/mine"))
    const again = agent.view().entries.at(-1)?.id ?? 0
    await undo(agent, again)
    // What was there when the file was made again is not this undo's to remove.
    expect([existsSync(at("a/c")), existsSync(at("a"))]).toEqual([false, true])
  })

  test("takes back the hunks that are named, and nothing else", async () => {
    put("a.txt", numbered(20))
    const { agent, runs } = await after([[edit("a.txt", ["line 3", "three"], ["line 15", "fifteen"])]])
    expect(await undo(agent, runs[0], ["a.txt#2"])).toMatchObject({ undone: ["a.txt#2"], refused: [] })
    expect(get("a.txt")).toBe(numbered(20).replace("line 3\n", "three\n"))
    const states = (await changes(agent, runs[0])).files[0]?.hunks.map(({ id, state }) => [id, state])
    expect(states).toEqual([
      ["a.txt#1", "made"],
      ["a.txt#2", "undone"],
    ])
    const again = await undo(agent, runs[0])
    expect([again.undone, told(again.refused)]).toEqual([["a.txt#1"], ["a.txt#2: it is undone already"]])
    expect(get("a.txt")).toBe(numbered(20))
    expect(undo(agent, runs[0], ["a.txt#7", "b.txt#1"])).rejects.toThrow(
      `Run e${runs[0]} has no change named a.txt#7, b.txt#1.`,
    )
  })

  test("keeps what others wrote, and refuses by name where they changed the same lines", async () => {
    put("a.txt", numbered(20))
    put("b.txt", "b\n")
    const { agent, runs } = await after([
      [edit("a.txt", ["line 3", "three"], ["line 15", "fifteen"]), edit("b.txt", ["b", "B"]), write("c.txt", "c\n")],
    ])
    put("a.txt", `mine\n${get("a.txt").replace("three", "3")}and mine\n`)
    rmSync(at("b.txt"))
    put("c.txt", "c\nmore\n")
    const { undone, refused, entry } = await undo(agent, runs[0])
    expect(undone).toEqual(["a.txt#2"])
    expect(told(refused)).toEqual([
      "a.txt#1: others changed these lines since",
      "b.txt#1: the file is gone",
      "c.txt#1: others changed the file since",
    ])
    expect(get("a.txt")).toBe(`mine\n${numbered(20).replace("line 3\n", "3\n")}and mine\n`)
    expect([existsSync(at("b.txt")), get("c.txt")]).toEqual([false, "c\nmore\n"])
    expect(entry).not.toBeNull()
  })

  test("of a run whose file others changed in between takes the newest change back first", async () => {
    put("a.txt", numbered(9))
    let said = 0
    const ledger = await memorySession({ clock })
    const calls = [edit("a.txt", ["line 2", "two"]), edit("a.txt", ["line 8", "eight"]), edit("a.txt", ["two", "2"])]
    const agent = openAgent({
      ledger,
      clock,
      folder,
      tools: builtinTools(),
      script: (_request, n) => {
        // Between two turns, somebody else adds a line of their own.
        if (n > 0 && n < 3) put("a.txt", `${get("a.txt")}theirs ${++said}\n`)
        const [name, args] = calls[n] ?? ["", {}]
        return n < 3 ? { calls: [{ id: "1", name, args }] } : { text: "done" }
      },
    })
    open.push(agent)
    await agent.say("go")
    await agent.idle()
    const run = agent.view().entries.find(({ data }) => data.kind === "user")?.id
    const { files } = await changes(agent, run)
    expect(files[0]?.hunks.map(({ id, state }) => [id, state])).toEqual([
      ["a.txt#1", "made"],
      ["a.txt#2", "made"],
      ["a.txt#3", "made"],
    ])
    // The older change of line 2 is under the newer one, and cannot go alone.
    expect(told((await undo(agent, run, ["a.txt#1"])).refused)).toEqual(["a.txt#1: others changed these lines since"])
    expect((await undo(agent, run)).undone).toEqual(["a.txt#1", "a.txt#2", "a.txt#3"])
    expect(get("a.txt")).toBe(`${numbered(9)}theirs 1\ntheirs 2\n`)
  })

  test("of a file that is no text is all or nothing", async () => {
    const image = new Uint8Array([0, 1, 2, 3, 0, 255])
    put("a.bin", image)
    const { agent, runs } = await after([[write("a.bin", "text now\n")]])
    expect((await changes(agent, runs[0])).files[0]).toMatchObject({
      note: "no lines to show",
      hunks: [{ state: "made" }],
    })
    await undo(agent, runs[0])
    expect(new Uint8Array(readFileSync(at("a.bin")))).toEqual(image)
  })

  test("of a run with steers in it covers all of it, and no other run", async () => {
    for (const name of ["a", "b", "c"]) put(name, `${name}\n`)
    const hold = Promise.withResolvers<void>()
    const replies: readonly Reply[] = [
      { calls: [{ id: "1", name: "edit", args: edit("a", ["a", "A"])[1] }], until: hold.promise },
      { calls: [{ id: "1", name: "edit", args: edit("b", ["b", "B"])[1] }] },
      { text: "done" },
      { calls: [{ id: "1", name: "edit", args: edit("c", ["c", "C"])[1] }] },
      { text: "done" },
    ]
    const ledger = await memorySession({ clock })
    const agent = openAgent({ ledger, clock, folder, tools: builtinTools(), script: replies })
    open.push(agent)
    await agent.say("go")
    await agent.say("and b")
    expect(undo(agent, 1)).rejects.toThrow("The agent is changing files now")
    hold.resolve()
    await agent.idle()
    await agent.say("now c")
    await agent.idle()
    const [first, steer] = agent.view().entries.filter(({ data }) => data.kind === "user")
    expect((await undo(agent, first?.id)).undone).toEqual(["a#1", "b#1"])
    expect([get("a"), get("b"), get("c")]).toEqual(["a\n", "b\n", "C\n"])
    // A steer is no run of its own.
    expect((await changes(agent, steer?.id)).files).toEqual([])
  })

  test("is told to the model, which then knows the files again", async () => {
    put("a.txt", "one\n")
    const { agent, runs } = await after([[edit("a.txt", ["one", "two"])], [write("a.txt", "three\n")]])
    await undo(agent, runs[1])
    await undo(agent, runs[0])
    // Over the whole conversation nothing is left of it.
    expect((await changes(agent)).files).toEqual([])
    await agent.say("what now?")
    await agent.idle()
    const request = agent.model.requests.at(-1)?.messages.map((message) => textOf(message)) ?? []
    expect(request.slice(-3)).toEqual([
      "I took back changes that you made:\na.txt:\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-three\n+two",
      "I took back changes that you made:\na.txt:\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-two\n+one",
      "what now?",
    ])
  })

  test("that is taken back in turn is told as what was made again, to the person and to the model", async () => {
    put("a.txt", "one\n")
    const { agent, runs } = await after([[edit("a.txt", ["one", "two"])]])
    const taken = await undo(agent, runs[0])
    const again = await undo(agent, taken.entry ?? 0)
    await undo(agent, again.entry ?? 0)
    const told = agent.view().entries.flatMap(({ data }) => (data.kind === "undo" && "files" in data ? [data] : []))
    expect(told.map(undoText)).toEqual([
      "Took back changes in a.txt (+1 -1).",
      "Made again what was taken back in a.txt (+1 -1).",
      "Took back changes in a.txt (+1 -1).",
    ])
    await agent.say("what now?")
    await agent.idle()
    const request = agent.model.requests.at(-1)?.messages.map((message) => textOf(message)) ?? []
    expect(request.slice(-4, -1).map((text) => text.split("\n")[0])).toEqual([
      "I took back changes that you made:",
      "I made changes again that I had taken back:",
      "I took back changes that you made:",
    ])
  })

  test("leaves the model free to write what it has been told of", async () => {
    put("a.txt", "one\n")
    const script = [...scriptOf([[edit("a.txt", ["one", "two"])], [write("a.txt", "three\n")]])]
    const agent = openAgent({ ledger: await memorySession({ clock }), clock, folder, tools: builtinTools(), script })
    open.push(agent)
    await agent.say("go")
    await agent.idle()
    await undo(agent, agent.view().entries.find(({ data }) => data.kind === "user")?.id)
    await agent.say("go")
    await agent.idle()
    expect(agent.transcript()).toContain("write (done): Wrote a.txt")
    expect(get("a.txt")).toBe("three\n")
  })

  test("that was cut by a crash is finished by the next host, each file once", async () => {
    const id = uuidv7(clock.now())
    const ledger = await createSession({ dataDir: top, id, clock })
    const names = ["a", "b", "c"]
    for (const name of names) put(name, `${name}\n`)
    const { agent, runs } = await after([names.map((name) => edit(name, [name, name.toUpperCase()]))], ledger)
    await agent.engine.close()
    open = []
    // The plan was stored and the first file written back when the host died; then somebody changed the third.
    put("a", "a\n")
    put("c", "mine\n")
    const sha = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")
    const files = names.map((name) => ({
      name,
      change: {
        path: at(name),
        before: sha(`${name.toUpperCase()}\n`),
        after: sha(`${name}\n`),
        mode: 0o644,
        kept: true,
      },
      hunks: [`${name}#1`],
    }))
    const between = await openSession({ dataDir: top, id, clock })
    between.commit("flushed", (tx) => {
      const checkpoint = { run: runs[0] ?? 0, files, refused: [], commands: 0 }
      tx.addTask({ conversation: 1, kind: "undo", version: 1, input: {}, phase: "write", checkpoint })
    })
    await between.close()
    const next = openAgent({
      ledger: await openSession({ dataDir: top, id, clock }),
      clock,
      folder,
      tools: builtinTools(),
    })
    open.push(next)
    await next.idle()
    expect(names.map(get)).toEqual(["a\n", "b\n", "mine\n"])
    const records = next
      .view()
      .entries.map(({ data }) => data)
      .filter(({ kind }) => kind === "undo")
    expect(records).toMatchObject([
      {
        files: [{ hunks: ["a#1"] }, { hunks: ["b#1"] }],
        refused: [{ hunk: "c#1", reason: "others changed the file meanwhile" }],
      },
    ])
  })
})
