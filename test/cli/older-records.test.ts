/** Records as an older build wrote them, without the fields that came later: nothing is refused that can be read. */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exportText } from "../../src/cli/sessions-export.ts"
import { indexAll, searchSessions } from "../../src/cli/session-search.ts"
import { summaries } from "../../src/cli/session-rows.ts"
import { sessionsPort } from "../../src/cli/sessions.ts"
import { begin, rootConversation } from "../../src/engine/engine.ts"
import { dirsOf } from "../../src/home/dirs.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { emptyTranscript, blocksOf } from "../../src/tui/blocks/blocks-of.ts"
import type { Json, JsonObject } from "../../src/std/json.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const clock = new ManualClock()

/** What every build wrote of each kind of entry, and no more. */
const oldest: readonly { readonly kind: string; readonly data: JsonObject }[] = [
  { kind: "user", data: { content: [{ type: "text", text: "asked long ago" }] } },
  {
    kind: "assistant",
    data: {
      message: {
        role: "assistant",
        content: [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }],
        api: "a",
        provider: "p",
        model: "m",
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
        stopReason: "toolUse",
      },
    },
  },
  {
    kind: "toolResult",
    data: {
      message: { role: "toolResult", toolCallId: "c1", toolName: "read", content: [{ type: "text", text: "in a" }] },
    },
  },
  { kind: "shell", data: { command: "ls", output: "a\n" } },
  { kind: "compaction", data: { summary: "what was said" } },
  { kind: "notice", data: { text: "something happened" } },
  { kind: "once.known", data: { anything: [1, 2] } },
]

test("a session whose records lack the newest fields is listed, searched, read, exported and gone on with (17)", async () => {
  const root = mkdtempSync(join(tmpdir(), "cairn-older-"))
  const found = dirsOf({ HOME: root, CAIRN_DATA: join(root, "data") }, { homedir: root, uid: 0 })
  if ("problem" in found) throw new Error(found.problem)
  const { dirs } = found
  const id = uuidv7(1_700_000_000_000)
  const made = await createSession({ dataDir: dirs.data, id, clock })
  begin(made, { folder: root, agent: { model: "test/model", thinking: "off", tools: [] } })
  made.commit("flushed", (tx) => {
    tx.setDocument(0, "session", { title: "An old one", folder: root, createdAt: 1 } as Json, 1)
    for (const entry of oldest) tx.addEntry({ conversation: rootConversation, ...entry })
  })
  await made.close()

  expect(await summaries(dirs.data, {})).toMatchObject([
    { id, title: "An old one", tags: [], archived: false, state: "ok" },
  ])
  await indexAll(dirs.data, async () => true)
  expect((await searchSessions(dirs.data, { text: "in a", limit: 9 }, clock)).hits).toHaveLength(1)
  expect(await sessionsPort(dirs.data).preview(id)).toEqual({ input: "asked long ago", answer: "" })
  for (const format of ["md", "html", "jsonl"]) {
    const text = await exportText({ dirs, redact: (plain) => plain }, { session: id, format })
    for (const said of ["asked long ago", "in a", "what was said", "something happened"]) expect(text).toContain(said)
  }

  const ledger = await openSession({ dataDir: dirs.data, id, clock })
  const agent = openAgent({ ledger, clock })
  await agent.settle()
  const kinds = blocksOf(agent.view(), rootConversation, 0, emptyTranscript).settled.map(({ kind }) => kind)
  expect(kinds).toEqual(["input", "call", "shell", "compaction", "notice", "unknown"])
  await agent.say("and on")
  await agent.idle()
  expect(agent.transcript()).toEndWith("user: and on\nassistant: done")
  expect(agent.reports).toEqual([])
  await agent.engine.close()
  rmSync(root, { recursive: true, force: true })
})
