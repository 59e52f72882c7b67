import { expect, test } from "bun:test"
import type { Port } from "../../../src/protocol/port.ts"
import type { TaskRecord } from "../../../src/protocol/records.ts"
import type { View } from "../../../src/protocol/view.ts"
import { OutputText } from "../../../src/tui/panels/output-text.ts"
import { openToolOutput } from "../../../src/tui/panels/tool-output.ts"
import { seeded } from "../viewport/blocks.ts"
import { called, gave, noPort, noon, openPanel, viewOf } from "./support.ts"

function running(id: number, command: string): TaskRecord {
  const work = {
    kind: "toolCall",
    phase: "execute",
    callId: `c${id}`,
    name: "bash",
    title: command,
    args: {},
    entry: 1,
  } as const
  return { id, conversation: 1, attempt: 1, state: "running", startedAt: noon, aborting: false, work }
}

function printing(id: number, text: string, size = new TextEncoder().encode(text).length): View {
  const progress = new Map([[id, { kind: "output", attempt: 1, size, text, unsaved: false } as const]])
  return { ...viewOf([], [running(id, "make")]), progress }
}

test("a running call is followed to its end, and stays put when the reader goes up", async () => {
  await using screen = await openPanel(openToolOutput, 40, 6)
  const lines = (count: number): string => Array.from({ length: count }, (_, line) => `line ${line}\n`).join("")
  screen.show(printing(7, lines(20)), noon + 3_000)
  expect(await screen.frame()).toEndWith(" line 18\n line 19")
  screen.panel.commands["scroll.top"]?.()
  const top = await screen.frame()
  expect(top).toStartWith(" ▾ ● bash make  running · 3 s\n line 0")
  screen.show(printing(7, lines(40)), noon + 3_000)
  expect(await screen.frame()).toBe(top)
  screen.panel.commands["scroll.bottom"]?.()
  expect(await screen.frame()).toEndWith(" line 39")
})

test("colours that a command printed are kept, and what drives a terminal is not", async () => {
  await using screen = await openPanel(openToolOutput, 40, 6)
  screen.show(printing(7, "\x1b[31mred\x1b[0m \x1b]52;c;aGk=\x07plain\x1b[2J\n10%\r20%\r"))
  expect(await screen.frame()).toContain(" red plain\n 20%")
  const red = screen.captureSpans().lines.flatMap(({ spans }) => spans.filter(({ text }) => text.trim() === "red"))
  expect(red[0]?.fg.intent).toBe("indexed")
  expect(red[0]?.fg.slot).toBe(1)
})

test("without a choice it is about the newest call; a chosen one is kept", async () => {
  await using screen = await openPanel(openToolOutput, 60, 8)
  const entries = [
    gave("a", "bash", "first\n", { title: "one", task: 1 }),
    gave("b", "bash", "second\n", { title: "two", task: 2 }),
  ]
  screen.show(viewOf(entries))
  expect(screen.panel.title()).toBe("bash two")
  expect(await screen.frame()).toContain(" second")
  screen.panel.show(1)
  expect(await screen.frame()).toContain(" first")
  screen.show(viewOf([...entries, gave("c", "bash", "third", { title: "three", task: 3 })]))
  expect(screen.panel.title()).toBe("bash one")
  screen.panel.show(null)
  expect(screen.panel.title()).toBe("bash three")
})

test("an output that was cut for the model is fetched piece by piece, from its end to its start", async () => {
  const whole = Array.from({ length: 60_000 }, (_, line) => `line ${line} 中\n`).join("")
  const bytes = new TextEncoder().encode(whole)
  const asked: [number, number][] = []
  const port: Port = {
    ...noPort,
    request: (command) => {
      if (command.type !== "output") return Promise.reject(new Error("not asked for here"))
      asked.push([command.from, command.to])
      const text = new TextDecoder().decode(bytes.subarray(command.from, command.to))
      const { length } = bytes.subarray(command.from, command.to)
      const answer = { text, from: command.from, bytes: length, size: bytes.length, ended: true }
      return Promise.resolve(answer as never)
    },
  }
  await using screen = await openPanel(openToolOutput, 40, 6, { port })
  screen.show(viewOf([gave("a", "bash", "cut", { title: "x", output: { path: "/o", bytes: bytes.length } })]))
  await screen.frame()
  expect(await screen.frame()).toEndWith(" line 59999 中")
  for (let round = 0; round < 10; round++) {
    screen.panel.commands["scroll.top"]?.()
    await screen.frame()
  }
  expect(await screen.frame()).toStartWith(" ▾ ✓ bash x\n line 0 中\n line 1 中")
  expect(asked[0]?.[1]).toBe(bytes.length)
  expect(asked.at(-1)?.[0]).toBe(0)
  screen.panel.reader?.search("line 31234 ")
  screen.clock.run()
  expect(screen.panel.reader?.searchState.total).toBe(1)
})

test("what cannot be fetched is said once", async () => {
  await using screen = await openPanel(openToolOutput, 40, 6)
  screen.show(viewOf([gave("a", "bash", "cut", { title: "x", output: { path: "/o", bytes: 100 } })]))
  for (let round = 0; round < 4; round++) await screen.frame()
  expect(screen.heard.said).toEqual(["The output could not be read: no host"])
})

test("of an output that is not kept any more what its result says is shown, and that it is gone", async () => {
  const port: Port = {
    ...noPort,
    request: (command) => {
      if (command.type !== "output") return Promise.reject(new Error("not asked for here"))
      return Promise.resolve({ text: "", from: command.from, bytes: 0, size: 0, ended: true } as never)
    },
  }
  await using screen = await openPanel(openToolOutput, 60, 8, { port })
  const text = "first\n[… 9 MB left out …]\nlast\n"
  screen.show(viewOf([gave("a", "bash", text, { title: "x", output: { path: "/o", bytes: 9_000_000 } })]))
  for (let round = 0; round < 4; round++) await screen.frame()
  expect(await screen.frame()).toContain(" first\n [… 9 MB left out …]\n last")
  expect(screen.heard.said).toEqual([
    "The output could not be read: it is not kept any more; of a session's outputs the newest are, up to a limit",
  ])
})

test("raw, a call is its arguments and its bytes, what drives a terminal to be read, and a key draws it again", async () => {
  await using screen = await openPanel(openToolOutput, 40, 8)
  const text = "\x1b[31mred\x1b[0m\r\x07\x9b1m\u202eevil\n"
  screen.show(viewOf([called("a", "bash", { command: "ls" }), gave("a", "bash", text, { title: "ls" })]))
  expect(await screen.frame()).not.toContain("␛")
  expect(screen.panel.commands["output.raw"]?.()).toBe(true)
  const frame = await screen.frame()
  expect(frame).toContain('   "command": "ls"')
  expect(frame).toContain("␛[31mred␛[0m␍␇\\x9b1m")
  expect(frame).not.toContain("\u202e")
  expect(screen.panel.title()).toBe("raw: bash ls")
  screen.panel.reader?.search("[31m")
  screen.clock.run()
  expect(screen.panel.reader?.searchState.total).toBe(1)
  screen.panel.commands["output.raw"]?.()
  expect(await screen.frame()).not.toContain("␛")
})

test("a diff is shown raw as what the model was told", async () => {
  await using screen = await openPanel(openToolOutput, 40, 8)
  const details = { path: "a.ts", diff: "@@ -1,0 +1,1 @@\n+new\n", added: 1, removed: 0 }
  screen.show(viewOf([gave("a", "edit", "Edited a.ts.", { title: "a.ts", details })]))
  screen.panel.commands["output.raw"]?.()
  expect(await screen.frame()).toContain(" Edited a.ts.")
})

test("keys go from call to call, and after the last one the newest is followed again", async () => {
  await using screen = await openPanel(openToolOutput, 60, 8)
  const entries = [1, 2, 3].map((task) => gave(`c${task}`, "bash", `out ${task}`, { title: `t${task}`, task }))
  screen.show(viewOf(entries))
  screen.panel.commands["output.older"]?.()
  screen.panel.commands["output.older"]?.()
  expect(screen.panel.title()).toBe("bash t1")
  expect(screen.panel.commands["output.older"]?.()).toBe(false)
  screen.panel.commands["output.newer"]?.()
  screen.panel.commands["output.newer"]?.()
  screen.panel.commands["output.newer"]?.()
  expect(screen.panel.commands["output.newer"]?.()).toBe(false)
  screen.show(viewOf([...entries, gave("d", "bash", "more", { title: "t4", task: 4 })]))
  expect(screen.panel.title()).toBe("bash t4")
})

test("a pager and an editor get the kept file, else the text that is shown", async () => {
  await using screen = await openPanel(openToolOutput, 40, 6)
  screen.show(viewOf([gave("a", "bash", "one\ntwo\n", { title: "x" })]))
  screen.panel.commands["output.pager"]?.()
  expect(screen.heard.paged).toEqual([{ text: "bash x\none\ntwo" }])
  const kept = { path: "/kept", bytes: 1 }
  screen.show(viewOf([gave("b", "bash", "cut", { title: "x", task: 9, output: kept })]))
  screen.panel.commands["output.pager"]?.()
  screen.panel.commands["block.edit"]?.()
  expect(screen.heard.paged[1]).toEqual({ path: "/kept" })
  expect(screen.heard.edited).toEqual([{ path: "/kept" }])
})

test("an edit is shown as its diff, in full", async () => {
  await using screen = await openPanel(openToolOutput, 40, 30)
  const added = Array.from({ length: 20 }, (_, line) => `+new ${line}`).join("\n")
  const details = { path: "a.ts", diff: `@@ -1,0 +1,20 @@\n${added}\n`, added: 20, removed: 0 }
  screen.show(viewOf([gave("a", "edit", "ok", { title: "a.ts", details })]))
  expect(await screen.frame()).toContain(" 20 + new 19")
})

test("output that grows in pieces gives the lines of the whole, however it is cut", () => {
  const next = seeded(31)
  for (let round = 0; round < 40; round++) {
    const lines = Array.from({ length: 50 + next(800) }, (_, line) => `${line} ${"中é".repeat(next(6))}`)
    const whole = `${lines.join("\n")}\n`
    const output = new OutputText()
    let size = 0
    for (let at = 0; at < whole.length;) {
      const end = Math.min(whole.length, at + 1 + next(700))
      size += new TextEncoder().encode(whole.slice(at, end)).length
      at = end
      output.live(whole.slice(Math.max(0, at - 2_000), at), size)
    }
    const shown = output.blocks.flatMap((block) => block.lines.map((line) => line.map(({ text }) => text).join("")))
    expect(shown).toEqual(lines)
    expect(new Set(output.blocks.map(({ key }) => key)).size).toBe(output.blocks.length)
  }
})
