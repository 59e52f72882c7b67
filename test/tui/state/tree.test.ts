import { expect, test } from "bun:test"
import { noUsage } from "../../../src/message/usage.ts"
import type { ConversationRecord, EntryData, EntryRecord } from "../../../src/protocol/records.ts"
import { emptyView, type View } from "../../../src/protocol/view.ts"
import { scopeOf } from "../../../src/tui/blocks/blocks-of.ts"
import { entryBefore, treeRows, type TreeFilter } from "../../../src/tui/tree.ts"

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

const picture = (filter: TreeFilter): readonly string[] =>
  treeRows(view, filter).map(
    ({ depth, text, label, tip }) => `${"  ".repeat(depth)}${text}${label && ` [${label}]`}${tip ? " ●" : ""}`,
  )

test("forks stand behind the entry that they were forked at, one step further in", () => {
  expect(picture("talk")).toEqual([
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
