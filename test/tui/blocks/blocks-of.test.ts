import { expect, test } from "bun:test"
import type { Delta } from "../../../src/message/delta.ts"
import type { Frame, PortChange } from "../../../src/protocol/port.ts"
import type { TaskRecord } from "../../../src/protocol/records.ts"
import { applyFrame, emptyView, type View } from "../../../src/protocol/view.ts"
import type { Block } from "../../../src/tui/blocks/block.ts"
import { allBlocks, blocksOf, emptyTranscript, type Transcript } from "../../../src/tui/blocks/blocks-of.ts"
import { answered, called, entry, gave, noon, said, viewOf } from "../panels/support.ts"

/** Blocks in a line each: kind, and what tells it from others. */
function drawn(blocks: readonly Block[]): readonly string[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case "input":
      case "answer":
      case "thinking":
      case "notice":
      case "queued":
        return `${block.kind}: ${block.text}`
      case "call":
        return `call: ${block.name} ${block.title} (${block.state})${block.output === "" ? "" : ` ${block.output}`}`
      case "attempt":
        return `attempt: ${block.reason}${block.again ? ", asked again" : ""}`
      case "retry":
        return `retry in ${block.seconds}`
      case "working":
        return `working: ${block.what} ${block.seconds}`
      default:
        return block.kind
    }
  })
}

function generation(
  id: number,
  work: Partial<TaskRecord & { readonly phase: "request" | "retry" | "tools" }> = {},
): TaskRecord {
  const { phase = "request", ...more } = work
  const base = { id, conversation: 1, attempt: 1, state: "running", startedAt: noon, aborting: false } as const
  return { ...base, work: { kind: "generation", phase, model: "m" }, ...more }
}

function commit(...changes: readonly PortChange[]): Frame {
  return { type: "commit", seq: 1, at: noon, changes }
}

function streamed(task: number, at: number, ...deltas: readonly Delta[]): Frame {
  const text = deltas.map((delta) => `${JSON.stringify(delta)}\n`).join("")
  return { type: "progress", seq: 1, task, attempt: 1, at, text }
}

test("what was said, thought and done, in order, results in the place of their calls", () => {
  const view = viewOf([
    said("fix it"),
    answered(
      [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "looking" },
        { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
        { type: "toolCall", id: "c2", name: "bash", arguments: { command: "ls" } },
      ],
      { stop: "toolUse" },
    ),
    gave("c2", "bash", "x", { title: "ls" }),
    gave("c1", "read", "y", { title: "a.ts", outcome: "failed" }),
    answered("", { stop: "error", error: "overloaded", again: true }),
    answered("done"),
  ])
  expect(drawn(allBlocks(blocksOf(view, 1, noon)))).toEqual([
    "input: fix it",
    "thinking: hm",
    "answer: looking",
    "call: read a.ts (failed)",
    "call: bash ls (done)",
    "attempt: overloaded, asked again",
    "answer: done",
  ])
})

test("an entry of a kind that nobody knows is shown by its name", () => {
  const odd = {
    ...entry({ kind: "notice", level: "info", code: "", text: "" }),
    data: { kind: "?vote", value: {} },
  } as const
  expect(allBlocks(blocksOf(viewOf([odd]), 1, noon))[0]).toMatchObject({ kind: "unknown", name: "vote" })
})

test("a result without its call, and the same call id twice, each find their place", () => {
  const lone = viewOf([gave("gone", "bash", "out", { title: "ls" })])
  expect(drawn(allBlocks(blocksOf(lone, 1, noon)))).toEqual(["call: bash ls (done)"])
  const again = viewOf([
    called("c", "bash", { command: "one" }),
    gave("c", "bash", "", { title: "one" }),
    called("c", "bash", { command: "two" }, 101),
  ])
  expect(drawn(allBlocks(blocksOf(again, 1, noon)))).toEqual(["call: bash one (done)", "call: bash two (queued)"])
})

test("a fork begins with what was said before it, and not with what came after", () => {
  const before = said("shared")
  const after = said("only in the parent")
  const own = { ...said("only in the fork"), conversation: 2 }
  const view: View = {
    ...viewOf([before, after, own]),
    conversations: new Map([
      [1, { id: 1, parent: null, owner: null }],
      [2, { id: 2, parent: { conversation: 1, entry: before.id }, owner: null }],
    ]),
  }
  expect(drawn(allBlocks(blocksOf(view, 2, noon)))).toEqual(["input: shared", "input: only in the fork"])
})

test("a response keeps its keys from the first character to its entry, and a call through its whole life", () => {
  let view: View = { ...emptyView, session: "s" }
  let transcript: Transcript = emptyTranscript
  const keys: string[][] = []
  const step = (frame: Frame, now = noon): readonly string[] => {
    view = applyFrame(view, frame)
    transcript = blocksOf(view, 1, now, transcript)
    keys.push(allBlocks(transcript).map(({ key }) => key))
    return drawn(allBlocks(transcript))
  }
  step(commit({ type: "entry", entry: said("go") }, { type: "task", task: generation(9) }))
  expect(step(commit({ type: "task", task: generation(9) }), noon + 3_000)).toEqual([
    "input: go",
    "working: Waiting for m 3",
  ])
  const start: Delta = { type: "text_start", contentIndex: 0 }
  expect(step(streamed(9, 0, start, { type: "text_delta", contentIndex: 0, delta: "Hel" }))).toEqual([
    "input: go",
    "answer: Hel",
  ])
  const call: Delta = { type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "bash" }
  const args: Delta = { type: "toolcall_delta", contentIndex: 1, delta: '{"command":"npm te' }
  expect(step(streamed(9, 500, call, args))).toEqual(["input: go", "answer: Hel", "call: bash npm te (writing)"])
  const parts = [
    { type: "text", text: "Hello" },
    { type: "toolCall", id: "c1", name: "bash", arguments: { command: "npm test" } },
  ] as const
  const work = {
    kind: "toolCall",
    phase: "execute",
    callId: "c1",
    name: "bash",
    title: "npm test",
    args: {},
    entry: 1,
  } as const
  const running: TaskRecord = { ...generation(10), work }
  const tools = generation(9, { phase: "tools", state: "waiting" })
  step(commit({ type: "entry", entry: answered(parts, { task: 9, stop: "toolUse" }) }, { type: "task", task: tools }))
  expect(step(commit({ type: "task", task: running }))).toEqual([
    "input: go",
    "answer: Hello",
    "call: bash npm test (running)",
  ])
  const printed: Frame = { type: "progress", seq: 1, task: 10, attempt: 1, at: 0, text: "ok 1" }
  expect(step(printed).at(-1)).toBe("call: bash npm test (running) ok 1")
  const ended = { type: "task", task: { ...running, state: "ended" } } as const
  expect(step(commit({ type: "entry", entry: gave("c1", "bash", "ok 1", { title: "npm test" }) }, ended)).at(-1)).toBe(
    "call: bash npm test (done)",
  )
  const [input = ""] = keys[0] ?? []
  expect(keys.map((list) => list.join(" "))).toEqual([
    `${input} w9`,
    `${input} w9`,
    `${input} t9.0`,
    ...Array.from({ length: 5 }, () => `${input} t9.0 t9.1`),
  ])
})

test("nothing new gives the same list, and a new entry leaves all others the same objects", () => {
  const entries = [said("a"), answered("b"), called("c1", "bash", { command: "x" }), gave("c1", "bash", "y")]
  const view = viewOf(entries)
  const first = blocksOf(view, 1, noon)
  expect(allBlocks(blocksOf(view, 1, noon + 60_000, first))).toBe(allBlocks(first))
  expect(allBlocks(blocksOf({ ...view, entries: [...entries] }, 1, noon, first))).toEqual(allBlocks(first))
  const more = blocksOf(viewOf([...entries, said("d")]), 1, noon, first)
  expect(
    allBlocks(more)
      .slice(0, -1)
      .every((block, place) => block === allBlocks(first)[place]),
  ).toBe(true)
  const older = blocksOf(viewOf([said("older"), ...entries]), 1, noon, first)
  expect(
    allBlocks(older)
      .slice(2)
      .every((block, place) => block === allBlocks(first)[place + 1]),
  ).toBe(true)
})

test("what is folded from frames step by step is what the whole view gives at once", () => {
  const entries = [
    said("a"),
    called("c1", "read", { path: "p" }),
    said("steered"),
    gave("c1", "read", "x"),
    answered("b"),
    called("c2", "bash", { command: "ls" }, 101),
    gave("c2", "bash", "", { outcome: "aborted" }),
    answered("end"),
  ]
  let transcript = emptyTranscript
  for (let count = 1; count <= entries.length; count++) {
    transcript = blocksOf(viewOf(entries.slice(0, count)), 1, noon, transcript)
    expect(allBlocks(transcript)).toEqual(allBlocks(blocksOf(viewOf(entries.slice(0, count)), 1, noon)))
  }
})

test("a retry counts down by the second, and what is queued stands at the end", () => {
  const retry = { until: noon + 4_200, attempt: 2, of: 3, error: "busy" }
  const task: TaskRecord = { ...generation(9), work: { kind: "generation", phase: "retry", model: "m", retry } }
  const queued = {
    id: 3,
    conversation: 1,
    requestId: "r",
    status: "queued",
    mode: "followUp",
    content: [{ type: "text", text: "then this" }],
    entry: null,
    reason: null,
  } as const
  const view: View = { ...viewOf([said("go")], [task]), submissions: new Map([[3, queued]]) }
  expect(drawn(allBlocks(blocksOf(view, 1, noon)))).toEqual(["input: go", "retry in 5", "queued: then this"])
  const first = blocksOf(view, 1, noon + 1_300)
  expect(drawn(allBlocks(first))[1]).toBe("retry in 3")
  expect(blocksOf(view, 1, noon + 1_900, first).live).toBe(first.live)
})

test("a file that is being written shows its path, then its text growing, at every byte of the call (9)", () => {
  const calls = [
    ["write", { path: "src/a.ts", content: 'one "1"\nzwei ä\n' }],
    [
      "edit",
      {
        path: "src/a.ts",
        edits: [
          { oldText: "a\n", newText: "b\nc" },
          { oldText: "d", newText: "" },
        ],
      },
    ],
  ] as const
  for (const [name, args] of calls) {
    const json = JSON.stringify(args)
    let view = applyFrame(viewOf([said("go")]), commit({ type: "task", task: generation(9) }))
    const start: Delta = { type: "toolcall_start", contentIndex: 0, id: "c1", toolName: name }
    let last = { title: "", text: "" }
    let at = 0
    for (const delta of [
      start,
      ...[...json].map((delta): Delta => ({ type: "toolcall_delta", contentIndex: 0, delta })),
    ]) {
      const frame = streamed(9, at, delta)
      at += Buffer.byteLength(frame.type === "progress" ? frame.text : "")
      view = applyFrame(view, frame)
      const block = allBlocks(blocksOf(view, 1, noon)).at(-1)
      if (block?.kind !== "call") throw new Error("the call is not shown")
      const { path = "", ...rest } = block.args as { path?: string }
      const now = { title: block.title, text: JSON.stringify(rest).replace(/[\]}"]*$/, "") }
      expect([block.state, block.name]).toEqual(["writing", name])
      expect(now.title === path && now.title.startsWith(last.title)).toBe(true)
      // What is shown of the text never shrinks, and is there only once the path is.
      expect(now.text.length).toBeGreaterThanOrEqual(last.text.length)
      if (now.text !== "{") expect(now.title).toBe("src/a.ts")
      last = now
    }
    expect(last.text.length).toBeGreaterThan(20)
  }
})

test("a command of the person's is shown while it runs, with its output as it comes", () => {
  const work = { kind: "shell", command: "make", excluded: true } as const
  let view = applyFrame(emptyView, commit({ type: "task", task: { ...generation(9), work } }))
  view = applyFrame(view, { type: "progress", seq: 1, task: 9, attempt: 1, at: 0, text: "cc a.c\n" })
  expect(allBlocks(blocksOf(view, 1, noon + 4_000))).toMatchObject([
    { kind: "shell", command: "make", excluded: true, output: "cc a.c\n", seconds: 4 },
  ])
})
