import { expect, test } from "bun:test"
import { noUsage } from "../../../src/message/usage.ts"
import type { ConversationRecord, EntryData, EntryRecord } from "../../../src/protocol/records.ts"
import { emptyView, type View } from "../../../src/protocol/view.ts"
import { scopeOf } from "../../../src/tui/blocks/blocks-of.ts"
import { entryBefore, forksAt, treeRows, type TreeFilter } from "../../../src/tui/tree.ts"

const entry = (id: number, conversation: number, data: EntryData): EntryRecord => ({
  id,
  conversation,
  at: 0,
  byTask: null,
  data,
})
const input = (id: number, conversation: number, text: string): EntryRecord =>
  entry(id, conversation, { kind: "user", content: [{ type: "text", text }], submission: 1 })

function answer(id: number, conversation: number, text: string, stopReason: "stop" | "error" = "stop"): EntryRecord {
  const content = [{ type: "text", text }] as const
  const message = {
    role: "assistant",
    content,
    api: "a",
    provider: "p",
    model: "m",
    usage: noUsage,
    stopReason,
    timestamp: 0,
  } as const
  return entry(id, conversation, { kind: "assistant", attempt: 1, message })
}

const conversations: readonly ConversationRecord[] = [
  { id: 1, parent: null, owner: null },
  { id: 20, parent: { conversation: 1, entry: 3 }, owner: null },
  { id: 30, parent: { conversation: 20, entry: 21 }, owner: null },
  { id: 40, parent: { conversation: 1, entry: 0 }, owner: null },
  { id: 50, parent: { conversation: 1, entry: 5 }, owner: { conversation: 1, task: 9 } },
]

const view: View = {
  ...emptyView,
  conversations: new Map(conversations.map((one) => [one.id, one])),
  entries: [
    input(2, 1, "first\nquestion"),
    answer(3, 1, "an answer"),
    input(4, 1, "second"),
    answer(5, 1, "broke", "error"),
    answer(6, 1, "the end"),
    input(21, 20, "second, otherwise"),
    answer(22, 20, "fork's end"),
    input(31, 30, "deeper"),
    input(41, 40, "from nothing"),
    input(51, 50, "a subagent's"),
  ],
  documents: new Map([["0/labels", { conversation: 0, name: "labels", value: { 3: "good" } }]]),
}

const called: EntryData = {
  kind: "assistant",
  attempt: 1,
  message: {
    role: "assistant",
    content: [{ type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } }],
    api: "a",
    provider: "p",
    model: "m",
    usage: noUsage,
    stopReason: "toolUse",
    timestamp: 0,
  },
}
const result: EntryData = {
  kind: "toolResult",
  message: { role: "toolResult", toolCallId: "c", toolName: "bash", content: [], isError: false, timestamp: 0 },
  task: 9,
  outcome: "done",
  title: "ls",
  durationMs: 1,
}
const withTools: View = {
  ...view,
  conversations: new Map([[1, { id: 1, parent: null, owner: null }]]),
  entries: [
    input(2, 1, "ask"),
    entry(3, 1, called),
    entry(4, 1, result),
    entry(5, 1, { kind: "shell", command: "ls", output: "", exit: 0, excluded: false, durationMs: 1 }),
    entry(6, 1, { kind: "compaction", summary: "s", tokensBefore: 1 }),
    answer(7, 1, "the end"),
  ],
  documents: new Map(),
}

const picture = (filter: TreeFilter): readonly string[] =>
  treeRows(view, filter).map(
    ({ depth, text, label, tip }) => `${"  ".repeat(depth)}${text}${label && ` [${label}]`}${tip ? " ●" : ""}`,
  )

test("forks stand behind the entry that they were forked at, one step further in", () => {
  expect(picture("noTools")).toEqual([
    "  from nothing ●",
    "first question",
    "an answer [good]",
    "  second, otherwise",
    "    deeper ●",
    "  fork's end ●",
    "second",
    "the end ●",
  ])
})

test("filters show inputs, or what has a label; labelled entries always stay", () => {
  expect(picture("inputs")).toEqual([
    "  from nothing ●",
    "first question",
    "an answer [good]",
    "  second, otherwise",
    "    deeper ●",
    "second",
  ])
  expect(picture("labelled")).toEqual(["an answer [good]"])
})

test("what was before an entry is what its conversation saw, its parents' part included", () => {
  const before = (conversation: number, of: number): number =>
    entryBefore(view, scopeOf(view.conversations, conversation), of)
  expect([before(1, 4), before(1, 2), before(20, 21), before(30, 31), before(40, 41)]).toEqual([3, 0, 3, 21, 0])
})

test("what tools did is left out, and what was summarized or taken back stays", () => {
  const told = (filter: TreeFilter): readonly string[] => treeRows(withTools, filter).map(({ text }) => text)
  expect(told("noTools")).toEqual(["ask", "! ls", "summary", "the end"])
  expect(told("all")).toEqual(["ask", "bash", "bash ls", "! ls", "summary", "the end"])
})

test("a folded fork is its first row, with all that is behind it counted, forks of its own included", () => {
  const rows = treeRows(view, "noTools", new Set([20, 40]))
  expect(rows.map(({ text, behind }) => `${text}${behind > 0 ? ` +${behind}` : ""}`)).toEqual([
    "from nothing",
    "first question",
    "an answer",
    "second, otherwise +2",
    "second",
    "the end",
  ])
  expect(forksAt(view, 1, 3)).toEqual([20])
  expect(forksAt(view, 1, 4)).toEqual([])
})
