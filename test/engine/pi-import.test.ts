/** Session files of pi: what they say is said here, what has no word here is kept, and both come out again. */
import { expect, test } from "bun:test"
import { entryRecord } from "../../src/engine/entries.ts"
import { historyOf } from "../../src/engine/copy.ts"
import { messagesOf } from "../../src/engine/context.ts"
import { importPi } from "../../src/engine/pi-import.ts"
import { piId, piLines } from "../../src/protocol/pi-export.ts"
import type { LabelsDocument, SessionDocument } from "../../src/protocol/records.ts"
import type { SessionRecords } from "../../src/ledger/salvage.ts"
import { textOf } from "../../src/message/message.ts"

const agent = { model: "p/fallback", thinking: "off", tools: ["read"] } as const
const at = (second: number): string => new Date(1_700_000_000_000 + second * 1_000).toISOString()
const usage = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}
const user = (text: string): object => ({ role: "user", content: text, timestamp: 1 })
const assistant = (text: string): object => ({
  role: "assistant",
  content: [{ type: "text", text }],
  api: "openai-completions",
  provider: "p",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 2,
})
const say = (id: string, parentId: string | null, message: object): object => ({
  type: "message",
  id,
  parentId,
  timestamp: at(1),
  message,
})
const file = (...lines: readonly object[]): string =>
  [{ type: "session", version: 3, id: "0190-abc", timestamp: at(0), cwd: "/projects/app" }, ...lines]
    .map((line) => JSON.stringify(line))
    .join("\n")

function imported(text: string): SessionRecords {
  const found = importPi(text, { agent, now: 5 })
  if (found === undefined) throw new Error("it is a session file")
  return found.records
}

function exported(records: SessionRecords, conversation = 1): readonly string[] {
  const document = (name: string): unknown =>
    records.documents.find((it) => it.conversation === 0 && it.name === name)?.value
  return piLines({
    id: "0190-abc",
    session: document("session") as SessionDocument,
    conversations: records.conversations,
    entries: records.entries.map(entryRecord),
    heads: new Map(records.entries.flatMap(({ id, head }) => (head === null ? [] : [[id, head] as const]))),
    labels: document("labels") as LabelsDocument,
    conversation,
  })
}

const contextOf = (records: SessionRecords, conversation = 1): readonly string[] => {
  const all = historyOf({ ...records, tasks: [] }, conversation)
  const marker = all.findLast(({ head }) => head !== null)
  return messagesOf(all.filter(({ id }) => id >= (marker?.head ?? 0))).map(
    (message) => `${message.role}: ${textOf(message)}`,
  )
}

/** A tree with every kind of line: the branch of b1 was left at a2 for the one that goes on with u3. */
const whole = file(
  { type: "model_change", id: "m1", parentId: null, timestamp: at(1), provider: "p", modelId: "vendor/m" },
  { type: "thinking_level_change", id: "t1", parentId: "m1", timestamp: at(1), thinkingLevel: "high" },
  say("u1", "t1", user("one")),
  say("a1", "u1", {
    ...assistant("calling"),
    content: [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }],
    stopReason: "toolUse",
  }),
  say("r1", "a1", {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "read",
    content: [{ type: "text", text: "in a" }],
    details: { lines: 1 },
    isError: false,
    timestamp: 3,
  }),
  say("a2", "r1", assistant("it says: in a")),
  say("b1", "a2", user("a way that was left")),
  say("b2", "b1", assistant("left")),
  say("u3", "a2", user("another way")),
  say("a3", "u3", assistant("taken")),
  { type: "branch_summary", id: "s1", parentId: "a3", timestamp: at(2), fromId: "b2", summary: "it was left" },
  { type: "custom", id: "x1", parentId: "s1", timestamp: at(2), customType: "some.state", data: { n: 1 } },
  {
    type: "custom_message",
    id: "x2",
    parentId: "x1",
    timestamp: at(2),
    customType: "note",
    content: "mind this",
    display: true,
  },
  say("x3", "x2", {
    role: "bashExecution",
    command: "ls",
    output: "a\n",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 4,
  }),
  { type: "usage", id: "x4", parentId: "x3", timestamp: at(2), kind: "cache_warm", provider: "p", model: "m", usage },
  {
    type: "compaction",
    id: "k1",
    parentId: "x4",
    timestamp: at(3),
    summary: "all of it",
    firstKeptEntryId: "u3",
    tokensBefore: 900,
  },
  { type: "label", id: "l1", parentId: "k1", timestamp: at(3), targetId: "a2", label: "here it forks" },
  { type: "session_info", id: "i1", parentId: "l1", timestamp: at(3), name: "A name" },
  say("u4", "i1", user("on")),
)

test("a session file of pi is a session here: its branch, its forks, its choices, its summaries and its labels", () => {
  const records = imported(whole)
  const [root, fork, ...others] = records.conversations
  expect([root?.parent, others]).toEqual([null, []])
  const a2 = records.entries.find(({ data }) => JSON.stringify(data).includes("it says: in a"))
  expect(fork?.parent).toEqual({ conversation: 1, entry: a2?.id ?? 0 })
  expect(contextOf(records)).toEqual([
    "user: Summary of the conversation so far:\n\nall of it",
    "user: another way",
    "assistant: taken",
    "user: Summary of another branch of this conversation, which was left:\n\nit was left",
    "user: mind this",
    "user: I ran this command:\n$ ls\na\n",
    "user: on",
  ])
  expect(contextOf(records, fork?.id)).toEqual([
    "user: one",
    "assistant: ",
    "toolResult: in a",
    "assistant: it says: in a",
    "user: a way that was left",
    "assistant: left",
  ])
  const value = (conversation: number, name: string): unknown =>
    records.documents.find((it) => it.conversation === conversation && it.name === name)?.value
  expect(value(0, "session")).toMatchObject({ title: "A name", folder: "/projects/app", createdAt: 1_700_000_000_000 })
  expect(value(0, "labels")).toEqual({ [a2?.id ?? 0]: "here it forks" })
  expect(value(1, "agent")).toEqual({ model: "p/vendor/m", thinking: "high", tools: ["read"] })
  const ids = records.entries.map(({ id }) => id)
  expect(ids).toEqual([...ids].sort((one, two) => one - two))
})

const parsed = (lines: readonly string[]): readonly object[] => lines.map((line) => JSON.parse(line) as object)

test("what was imported comes out again line by line as it was, and comes in again the same", () => {
  const once = imported(whole)
  const lines = exported(once)
  expect(parsed(lines)).toEqual(parsed(whole.split("\n")))
  expect(lines.every((line) => line.endsWith("\n") && !line.slice(0, -1).includes("\n"))).toBe(true)
  const twice = imported(lines.join(""))
  expect(contextOf(twice)).toEqual(contextOf(once))
  expect(exported(twice)).toEqual(lines)
})

/** Lines that say what our entries have no words for. */
const sayable: readonly object[] = [
  { type: "session", version: 3, id: "0190-abc", timestamp: at(0), cwd: "/a", parentSession: "/elsewhere/x.jsonl" },
  say("s0", null, {
    role: "system",
    content: "",
    sections: { preamble: "p" },
    toolsAdded: [{ name: "read" }],
    timestamp: 1,
  }),
  say("u1", "s0", user("one")),
  say("a1", "u1", {
    ...assistant("thought"),
    content: [
      { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
      { type: "toolCall", id: "c1", name: "read", arguments: {}, argumentsError: "{", namespace: "n" },
    ],
    usage: { ...usage, reasoning: 1, cost: { ...usage.cost, totalFromProvider: true } },
    providerThinkingLevel: "high",
    diagnostics: [{ a: 1 }],
    stopReason: "toolUse",
  }),
  say("r1", "a1", {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "read",
    content: "plain",
    isError: true,
    usage,
    nestedCalls: { calls: [], complete: true },
    durationMs: 7,
    timestamp: 3,
  }),
  say("a2", "r1", { ...assistant(""), content: [], stopReason: "aborted", errorMessage: "stopped" }),
  say("b1", "a2", {
    role: "bashExecution",
    command: "make",
    output: "…",
    cancelled: true,
    truncated: true,
    fullOutputPath: "/tmp/log",
    excludeFromContext: true,
    timestamp: 4,
  }),
  say("q1", "b1", { role: "someday", content: "what comes later", timestamp: 5 }),
  { type: "someday_entry", id: "q2", parentId: "q1", timestamp: at(4), anything: [1, { two: null }] },
  {
    type: "branch_summary",
    id: "k0",
    parentId: "q2",
    timestamp: at(4),
    fromId: "zz",
    summary: "s",
    usage,
    fromHook: true,
  },
  {
    type: "compaction",
    id: "k1",
    parentId: "k0",
    timestamp: at(4),
    summary: "s",
    firstKeptEntryId: "k1",
    tokensBefore: 3,
    systemMessage: { role: "system", content: "", timestamp: 1 },
    usage,
    details: { readFiles: ["a"], modifiedFiles: [] },
    fromHook: false,
  },
  { type: "label", id: "l1", parentId: "k1", timestamp: at(5), targetId: "u1", label: "first" },
  { type: "label", id: "l2", parentId: "l1", timestamp: at(5), targetId: "u1" },
  { type: "label", id: "l3", parentId: "l2", timestamp: at(5), targetId: "a1", label: "kept" },
  { type: "session_info", id: "i1", parentId: "l3", timestamp: at(6), name: "A name" },
]

test("what the format can say and we have no word for comes out as it was", () => {
  const records = imported(sayable.map((line) => JSON.stringify(line)).join("\n"))
  expect(parsed(exported(records))).toEqual(sayable)
  const a1 = records.entries.find(({ data }) => JSON.stringify(data).includes("providerThinkingLevel"))
  expect(records.documents.find(({ name }) => name === "labels")?.value).toEqual({ [a1?.id ?? 0]: "kept" })
})

test("what an extension took out of the conversation or put into its place is told to models so, and comes out as it was", () => {
  const edit = (id: string, parentId: string, targetId: string, replacement: object | null): object => {
    return { type: "context_edit", id, parentId, timestamp: at(2), targetId, replacement }
  }
  const text = file(
    say("u1", null, user("one")),
    say("a1", "u1", { ...assistant("cut"), stopReason: "length" }),
    edit("e1", "a1", "a1", null),
    say("u2", "e1", user("a long paste")),
    edit("e2", "u2", "u2", { content: "the paste, in short" }),
    say("a2", "e2", assistant("answered")),
    say("u3", "a2", user("forget this")),
    edit("e3", "u3", "u3", null),
  )
  const records = imported(text)
  expect(contextOf(records)).toEqual(["user: one", "user: the paste, in short", "assistant: answered"])
  expect(parsed(exported(records))).toEqual(parsed(text.split("\n")))
})

test("what was named otherwise since, and where the conversation goes on, stand behind the lines that came in", () => {
  const text = file(
    say("u1", null, user("one")),
    say("a1", "u1", assistant("taken")),
    { type: "label", id: "l1", parentId: "a1", timestamp: at(1), targetId: "u1", label: "first" },
    say("b1", "l1", user("left")),
    say("b2", "l1", user("went on")),
  )
  const records = imported(text)
  const [root, fork] = records.conversations
  const session = { ...(records.documents[0]?.value as object), title: "Named here", titled: true }
  const changed: SessionRecords = {
    ...records,
    documents: [
      { conversation: 0, name: "session", version: 1, value: session },
      { conversation: 0, name: "labels", version: 1, value: { [records.entries[1]?.id ?? 0]: "second" } },
    ],
  }
  const last = exported(changed).slice(-3)
  expect(parsed(last)).toMatchObject([
    { type: "label", targetId: "a1", label: "second", parentId: "b2" },
    { type: "label", targetId: "u1" },
    { type: "session_info", name: "Named here" },
  ])
  expect(last[1]).not.toContain('"label":')
  const again = imported(exported(changed).join(""))
  expect(again.documents.find(({ name }) => name === "labels")?.value).toEqual({
    [again.entries[1]?.id ?? 0]: "second",
  })
  const other = parsed(exported(records, fork?.id))
  expect(other.at(-1)).toMatchObject({ type: "custom", customType: "cairn.leaf", parentId: "b1" })
  const onFork = imported(exported(records, fork?.id).join(""))
  expect(contextOf(onFork, root?.id)).toEqual(["user: one", "assistant: taken", "user: left"])
})

test("the first version, a list without ids, and the second with its old word, are read", () => {
  const old = [
    { type: "session", version: 1, id: "s", timestamp: at(0), cwd: "/a" },
    { type: "message", timestamp: at(1), message: user("one") },
    { type: "message", timestamp: at(1), message: assistant("1") },
    {
      type: "message",
      timestamp: at(1),
      message: { role: "hookMessage", customType: "h", content: "hooked", display: false, timestamp: 3 },
    },
    { type: "compaction", timestamp: at(2), summary: "so far", firstKeptEntryIndex: 3, tokensBefore: 5 },
    { type: "message", timestamp: at(3), message: user("two") },
  ]
  const records = imported(old.map((line) => JSON.stringify(line)).join("\n"))
  expect(contextOf(records)).toEqual([
    "user: Summary of the conversation so far:\n\nso far",
    "user: hooked",
    "user: two",
  ])
  const lines = parsed(exported(records)) as readonly { readonly id: string; readonly firstKeptEntryId?: string }[]
  expect(lines[4]?.firstKeptEntryId).toBe(lines[3]?.id ?? "")
  expect(lines[3]).toMatchObject({ message: { role: "custom" } })
})

test("a torn line is counted and costs only itself, whatever stands around it; another kind of file is refused", () => {
  const lines = whole.split("\n")
  const torn = [...lines.slice(0, 3), lines[3]?.slice(0, 20), "", "null", ...lines.slice(4)].join("\r\n")
  const found = importPi(torn, { agent, now: 5 })
  expect(found?.unread).toBe(2)
  expect(found?.records.entries.length).toBe(imported(whole).entries.length - 1)
  expect(importPi('{"type":"message"}', { agent, now: 5 })).toBeUndefined()
  expect(importPi("not a session", { agent, now: 5 })).toBeUndefined()
})

test("separators of other kinds in a text do not end a line", () => {
  const odd = "a\u2028b\u2029c\u0085d\u000be\u000cf"
  expect(contextOf(imported(file(say("u", null, user(odd)))))).toEqual([`user: ${odd}`])
  expect(piId(18)).toBe("00000012")
})
