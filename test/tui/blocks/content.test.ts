import { expect, test } from "bun:test"
import { plainHighlighter } from "../../../src/tui/highlight/highlighter.ts"
import { makeBlock, type Block, type BlockData } from "../../../src/tui/blocks/block.ts"
import { blockSource } from "../../../src/tui/blocks/content.ts"
import { parseDiff } from "../../../src/tui/blocks/diff.ts"
import { layoutContent } from "../../../src/tui/rows/content.ts"
import { drawing, picture } from "../rows/support.ts"
import { gave, noon } from "../panels/support.ts"

const source = blockSource(plainHighlighter)

function drawn(data: BlockData, open: boolean, width = 60): string {
  const block: Block = makeBlock({ key: "k", entry: null }, null, data)
  return drawing(layoutContent(source.content(block, open, undefined), 0, width, "unicode"))
}

type CallData = Extract<BlockData, { readonly kind: "call" }>

function call(more: Partial<CallData>): CallData {
  const start = { kind: "call", name: "bash", title: "npm test", state: "queued", args: {}, task: 7 } as const
  return { ...start, output: "", unsaved: false, result: null, seconds: null, ...more }
}

function resultOf(record: ReturnType<typeof gave>) {
  if (record.data.kind !== "toolResult") throw new Error("not a result")
  return record.data
}

test("an input is shown as it was typed, and a paste of thousands is told", () => {
  expect(drawn({ kind: "input", text: "do **this**\nand that", images: ["image/png, 3 KB"] }, true)).toBe(
    picture(`
      › do **this**
        and that
        [image: image/png, 3 KB]
    `),
  )
  const long = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join("\n")
  const rows = drawn({ kind: "input", text: long, images: [] }, true).split("\n")
  expect(rows.length).toBe(201)
  expect(rows[100]).toBe("  … 4800 more lines")
})

test("thinking is one line until it is unfolded, and shows its newest rows while it comes", () => {
  const thinking = { kind: "thinking", text: "first\nsecond", redacted: false } as const
  expect(drawn({ ...thinking, streaming: false }, false)).toBe("▸ Thinking, 12 characters")
  expect(drawn({ ...thinking, streaming: false }, true)).toBe("▾ Thinking, 12 characters\n│ first\n│ second")
  expect(drawn({ ...thinking, streaming: true }, false)).toBe("▸ Thinking…\n│ first\n│ second")
  const long = { ...thinking, text: `${"start ".repeat(40)}\n${"word ".repeat(60)}end`, streaming: true }
  const rows = drawn(long, false).split("\n")
  expect(rows).toHaveLength(5)
  expect(rows.at(-1)).toEndWith("end")
})

test("a command that runs shows the end of its output, live, and how long it has been running", () => {
  const output = Array.from({ length: 30 }, (_, line) => `\x1b[32mline ${line}\x1b[0m\n`).join("")
  const rows = drawn(call({ state: "running", output, seconds: 75, unsaved: true }), false).split("\n")
  expect(rows[0]).toBe("▸ ● bash npm test  running · 1 m 15 s · not saved")
  expect(rows[1]).toBe("│ … 22 more lines")
  expect(rows.at(-1)).toBe("│ line 29")
  expect(rows.length).toBe(10)
})

test("a command that failed says its exit status; unfolded it shows everything", () => {
  const result = resultOf(
    gave("c", "bash", "a\nb\n", { title: "npm test", outcome: "failed", details: { exit: 2 }, ms: 61_000 }),
  )
  expect(drawn(call({ state: "failed", result }), false)).toBe(
    picture(`
      ▸ ✗ bash npm test  failed · exit 2 · 1 m 1 s
      │ a
      │ b
    `),
  )
  const long = resultOf(gave("c", "bash", "x\n".repeat(50), {}))
  expect(drawn(call({ state: "done", result: long }), true).split("\n").length).toBe(51)
})

test("each way that a call can end says which it was", () => {
  const word = (state: CallData["state"]): string => drawn(call({ state }), false).split("\n")[0] ?? ""
  expect(word("unknown")).toBe("▸ ? bash npm test  outcome unknown")
  expect(word("aborted")).toBe("▸ ■ bash npm test  stopped")
  expect(word("not started")).toBe("▸ – bash npm test  not started")
  expect(word("reconciled")).toBe("▸ ✓ bash npm test  done before the restart")
})

test("a read is told by its range, an edit by its diff", () => {
  const read = resultOf(gave("c", "read", "const a = 1\n", { title: "a.ts", details: { from: 1, to: 40 } }))
  expect(drawn(call({ name: "read", title: "a.ts", state: "done", result: read }), false)).toBe(
    "▸ ✓ read a.ts  lines 1-40",
  )
  expect(drawn(call({ name: "read", title: "a.ts", state: "done", result: read }), true)).toBe(
    "▾ ✓ read a.ts  lines 1-40\n│ const a = 1",
  )
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -9,3 +9,4 @@\n same\n-old\n+new\n+more\n end\n"
  const edit = resultOf(
    gave("c", "edit", "ok", { title: "a.ts", details: { path: "a.ts", diff, added: 2, removed: 1 } }),
  )
  expect(drawn(call({ name: "edit", title: "a.ts", state: "done", result: edit }), false)).toBe(
    picture(`
      ▸ ✓ edit a.ts  +2 -1
         @@ -9,3 +9,4 @@
       9   same
      10 - old
      10 + new
      11 + more
      12   end
    `),
  )
})

test("a file shows while it is being written, an edit while it is being thought out", () => {
  const content = Array.from({ length: 20 }, (_, line) => `row ${line}`).join("\n")
  const writing = call({ name: "write", title: "a.txt", state: "writing", args: { path: "a.txt", content } })
  const rows = drawn(writing, false).split("\n")
  expect(rows.slice(0, 2)).toEqual(["▸ ○ write a.txt  writing", "│ … 12 lines above"])
  expect(rows.at(-1)).toBe("│ row 19")
  const edits = [{ oldText: "a\nb", newText: "a\nc" }, { oldText: "x" }]
  expect(drawn(call({ name: "edit", title: "a.ts", state: "writing", args: { path: "a.ts", edits } }), false)).toBe(
    picture(`
      ▸ ○ edit a.ts  writing
      1 - a
      2 - b
      1 + a
      2 + c
        ⋯
      1 - x
    `),
  )
})

test("attempts, notices, retries and summaries, one look each", () => {
  const at = new Date(noon)
  const clock = `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`
  const attempt = {
    kind: "attempt",
    aborted: false,
    reason: "Overloaded",
    at: noon,
    tokens: 12,
    again: true,
    text: "half",
  } as const
  expect(drawn(attempt, false, 80)).toBe(`▸ Attempt failed: Overloaded · ${clock} · 12 tokens · asked again`)
  expect(drawn(attempt, true, 80)).toEndWith("\n│ half")
  expect(drawn({ kind: "notice", level: "error", text: "No key. Set KEY,\nor log in." }, true)).toBe(
    "✗ No key. Set KEY,\n  or log in.",
  )
  expect(drawn({ kind: "retry", seconds: 4, attempt: 2, of: 3, error: "busy" }, true)).toBe(
    "↻ Asking again in 4 s (try 2 of 3): busy",
  )
  expect(drawn({ kind: "compaction", summary: "did **it**", tokensBefore: 12_345, branch: null }, true)).toBe(
    "▾ Earlier conversation summarized (12,345 tokens before)\n│ did it",
  )
  expect(drawn({ kind: "compaction", summary: "did **it**", tokensBefore: 1, branch: 2 }, false)).toBe(
    "▸ Summary of what was said in the branch that was left (c2)",
  )
  expect(drawn({ kind: "queued", text: "then\nthis", steer: false, submission: 1 }, true)).toBe(
    "⧗ then this  queued, after this run",
  )
})

const nasty = "a\x1b]52;c;aGk=\x07\x1b[2Jb\u202ec\rd"

test("no field of any block lets a control character through", () => {
  const record = resultOf(gave("c", nasty, nasty, { title: nasty, details: { exit: 1, raw: nasty, signal: nasty } }))
  const diffed = resultOf(
    gave("c", "edit", "", { details: { diff: `@@ -1 +1 @@\n-${nasty}\n+${nasty}x\n`, path: nasty } }),
  )
  const all: readonly BlockData[] = [
    { kind: "input", text: nasty, images: [nasty] },
    { kind: "answer", text: nasty, streaming: false },
    { kind: "thinking", text: nasty, streaming: true, redacted: false },
    call({ name: nasty, title: nasty, output: nasty, state: "running" }),
    call({ name: nasty, title: nasty, state: "failed", result: record }),
    call({ name: "edit", state: "done", result: diffed }),
    call({ state: "writing", args: { path: nasty, content: nasty } }),
    call({ state: "writing", args: { [nasty]: nasty, command: `${nasty}\n${nasty}` } }),
    { kind: "attempt", aborted: true, reason: nasty, at: noon, tokens: 1, again: false, text: nasty },
    { kind: "notice", level: "info", text: nasty },
    { kind: "retry", seconds: 1, attempt: 1, of: 2, error: nasty },
    { kind: "working", what: nasty, seconds: 1 },
    { kind: "compaction", summary: nasty, tokensBefore: 1, branch: null },
    { kind: "shell", command: nasty, output: nasty, exit: 1, excluded: true, durationMs: 1 },
    { kind: "queued", text: nasty, steer: true, submission: 1 },
    { kind: "model", model: nasty, thinking: "high" },
    { kind: "unknown", name: nasty, value: { [nasty]: nasty } },
  ]
  for (const data of all) {
    for (const open of [true, false]) {
      for (const width of [12, 60]) expect(drawn(data, open, width)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    }
  }
})

test("a diff is read line by line, and what is no diff is left out", () => {
  expect(parseDiff("junk\n--- a\n+++ b\n@@ -1,2 +5,2 @@ f()\n ctx\n-old\n+new\n\\ No newline at end of file")).toEqual([
    { kind: "hunk", text: "@@ -1,2 +5,2 @@ f()" },
    { kind: "context", text: "ctx", number: 5 },
    { kind: "removed", text: "old", number: 2 },
    { kind: "added", text: "new", number: 6 },
    { kind: "hunk", text: "No newline at end of file" },
  ])
})

test("a command of the person's says that it runs, and how it ended", () => {
  const shell = { kind: "shell", command: "make", output: "cc a.c", excluded: false, durationMs: 0 } as const
  const rows = [
    [{ exit: null, seconds: 4 }, "▸ ! make  running · 4 s"],
    [{ exit: 0 }, "▸ ! make"],
    [{ exit: 2 }, "▸ ! make  exit 2"],
    [{ exit: null, outcome: "aborted" }, "▸ ! make  stopped"],
    [{ exit: null, outcome: "unknown" }, "▸ ! make  outcome unknown"],
    [{ exit: null }, "▸ ! make  ended by a signal"],
  ] as const
  for (const [more, head] of rows) expect(drawn({ ...shell, ...more }, false).split("\n")).toEqual([head, "│ cc a.c"])
})

test("why a run failed, and what to do about it, is read in full without unfolding anything", () => {
  const reason = 'local answered 401: Incorrect API key provided. Check the key of "local" and what it may use.'
  const attempt = { kind: "attempt", aborted: false, reason, at: noon, tokens: 0, again: false, text: "" } as const
  const rows = drawn(attempt, false, 40).split("\n")
  expect(rows[0]).toStartWith("▸ ✗ Failed: local answered 401")
  expect(rows.join(" ").replace(/\s+/g, " ")).toContain('Check the key of "local" and what it may use.')
})
