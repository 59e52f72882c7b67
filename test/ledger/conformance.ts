/**
 * What every backend of the ledger does, one sentence each; conformance.test.ts runs them all on each backend.
 *
 * - A case opens its own session and looks only at the ledger, never at how it is stored. Where a session may have been opened again between
 *   two commits, nothing is asked that an opening changes.
 */
import { expect } from "bun:test"
import type { Tx } from "../../src/ledger/ledger.ts"
import type { Commit, EntryId } from "../../src/ledger/records.ts"
import { Bug } from "../../src/std/assert.ts"
import type { JsonObject } from "../../src/std/json.ts"
import type { World } from "../support/ledger-backends.ts"

type Case = (world: World) => Promise<void>

/** Adds an entry that says `text`. */
export function say(tx: Tx, text: string, conversation = 1): EntryId {
  return tx.addEntry({ conversation, kind: "note", data: { text } }).id
}

export const aTask = {
  conversation: 1,
  kind: "job",
  version: 1,
  input: { file: "a" },
  phase: "first",
  checkpoint: { n: 1 },
}

function texts(entries: readonly { readonly data: JsonObject }[]): readonly unknown[] {
  return entries.map(({ data }) => data["text"])
}

/** Everything that a session says of itself, to be compared. */
async function picture({ ledger }: World): Promise<unknown> {
  return {
    conversations: [...ledger.live.conversations],
    tasks: [...ledger.live.tasks],
    submissions: [...ledger.live.submissions],
    documents: [...ledger.live.documents()],
    tail: ledger.live.tail(1),
    entries: await ledger.entries({ conversation: 1 }),
  }
}

async function fails(world: World, work: (tx: Tx) => unknown): Promise<void> {
  const before = await picture(world)
  const { seq } = world.ledger
  const told: Commit[] = []
  const stop = world.ledger.watch((commit) => told.push(commit))
  expect(() => world.ledger.commit("flushed", work)).toThrow()
  stop()
  expect(await picture(world)).toEqual(before)
  expect(world.ledger.seq).toBe(seq)
  expect(told).toEqual([])
}

const atomicity: Record<string, Case> = {
  "a new session has the conversation 1 and nothing else": async ({ ledger }) => {
    expect([...ledger.live.conversations.keys()]).toEqual([1])
    expect(ledger.live.conversations.get(1)).toMatchObject({ parent: null, owner: null })
    expect([...ledger.live.tasks, ...ledger.live.submissions, ...ledger.live.documents()]).toEqual([])
    expect(await ledger.entries({ conversation: 1 })).toEqual([])
  },

  "records of all kinds land in one commit, with ids from one counter": async (world) => {
    const before = world.ledger.seq
    const told: Commit[] = []
    world.ledger.watch((commit) => told.push(commit))
    const ids = await world.commit("flushed", (tx) => [
      tx.addConversation({ parent: null, owner: null }).id,
      tx.addEntry({ conversation: 1, kind: "note", data: {} }).id,
      tx.addTask(aTask).id,
      tx.submit({ conversation: 1, requestId: "r", kind: "input", data: {} }).submission.id,
      tx.setDocument(1, "view", { open: true }),
    ])
    expect(ids).toEqual([2, 3, 4, 5, undefined])
    expect(told.map(({ seq, class: flush }) => [seq, flush])).toEqual([[before + 1, "flushed"]])
    expect(told[0]?.changes.map(({ type }) => type)).toEqual([
      "conversation",
      "entry",
      "task",
      "submission",
      "document",
    ])
  },

  "a callback that throws changes nothing": async (world) => {
    await world.commit("flushed", (tx) => {
      for (const file of ["a", "b", "c"]) tx.addTask({ ...aTask, input: { file } })
      for (const requestId of ["a", "b", "c"]) tx.submit({ conversation: 1, requestId, kind: "input", data: {} })
      tx.setDocument(0, "title", "before")
      tx.setDocument(0, "gone", 1)
      say(tx, "before")
    })
    const [task] = world.ledger.live.tasks.keys()
    const [submission] = world.ledger.live.submissions.keys()
    await fails(world, (tx) => {
      tx.setTask(task ?? 0, { status: "completed" })
      tx.setSubmission(submission ?? 0, { status: "done" })
      tx.addTask(aTask)
      tx.addConversation({ parent: { conversation: 1, entry: tx.live.tail(1) }, owner: null })
      tx.setDocument(0, "title", "after")
      tx.retireDocument(0, "gone")
      say(tx, "after")
      throw new Error("on second thoughts")
    })
  },

  "ids that a failed commit gave out are given out again": async (world) => {
    await fails(world, (tx) => {
      say(tx, "never")
      throw new Error("no")
    })
    expect(await world.commit("flushed", (tx) => say(tx, "first"))).toBe(2)
  },

  "a callback that waits is a bug and changes nothing": async (world) => {
    await fails(world, async (tx) => {
      say(tx, "early")
    })
  },

  "commits do not nest": async (world) => {
    await fails(world, (tx) => {
      say(tx, "outer")
      world.ledger.commit("relaxed", (inner) => say(inner, "inner"))
    })
  },

  "a transaction is of no use after its callback": async (world) => {
    let kept: Tx | undefined
    await world.commit("flushed", (tx) => {
      kept = tx
      return say(tx, "in time")
    })
    expect(() => kept && say(kept, "late")).toThrow(Bug)
    expect(() => kept?.live).toThrow(Bug)
    expect(() => kept?.now).toThrow(Bug)
    expect(texts(await world.ledger.entries({ conversation: 1 }))).toEqual(["in time"])
  },

  "a commit without changes is none": async (world) => {
    const { seq } = world.ledger
    await world.commit("flushed", () => undefined)
    await world.commit("relaxed", (tx) => tx.live.tasks.size)
    const told: Commit[] = []
    world.ledger.watch((commit) => told.push(commit))
    const { stored } = world.ledger.commit("flushed", () => undefined)
    await stored
    expect(told).toEqual([])
    expect(world.ledger.seq).toBeGreaterThanOrEqual(seq)
  },

  "a record that is touched twice is told once, as it was left": async (world) => {
    const told: Commit[] = []
    world.ledger.watch((commit) => told.push(commit))
    await world.commit("flushed", (tx) => {
      const { id } = tx.addTask(aTask)
      tx.setTask(id, { phase: "second" })
      tx.setDocument(0, "title", "one")
      tx.setDocument(0, "title", "two")
    })
    const [commit] = told
    expect(commit?.changes.map(({ type }) => type)).toEqual(["task", "document"])
    expect(commit?.changes).toMatchObject([{ task: { phase: "second" } }, { document: { value: "two" } }])
  },

  "a watcher that commits is told after the others have heard": async (world) => {
    const heard: string[] = []
    const { ledger } = world
    ledger.watch(({ seq }) => {
      heard.push(`first ${seq - start}`)
      if (seq === start + 1) ledger.commit("relaxed", (tx) => say(tx, "an echo"))
    })
    ledger.watch(({ seq }) => heard.push(`second ${seq - start}`))
    const start = ledger.seq
    await ledger.commit("flushed", (tx) => say(tx, "a call")).stored
    await ledger.commit("flushed", (tx) => say(tx, "the end")).stored
    expect(heard).toEqual(["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
  },
}

const values: Record<string, Case> = {
  "what is handed in may be changed afterwards, what is handed out may not": async (world) => {
    const data = { list: [1, 2], deep: { text: "kept" } }
    const made = await world.commit("flushed", (tx) => {
      const entry = tx.addEntry({ conversation: 1, kind: "note", data })
      data.list.push(3)
      data.deep.text = "changed"
      return entry
    })
    data.list.push(4)
    const [read] = await world.ledger.entries({ conversation: 1 })
    expect(made.data).toEqual({ list: [1, 2], deep: { text: "kept" } })
    expect(read).toEqual(made)
    expect(() => Object.assign(read?.data["deep"] ?? {}, { text: "changed" })).toThrow()
  },

  "odd keys and odd texts come back as they went": async (world) => {
    const data = JSON.parse(
      '{"__proto__":{"x":1},"constructor":2,"toString":"\\u0000 \\ud800","":[null,true,-1.5e300]}',
    ) as JsonObject
    await world.commit("flushed", (tx) => {
      tx.addEntry({ conversation: 1, kind: "日本 'quoted' \"twice\"", data })
      tx.setDocument(1, "a name; with \n everything 🗿", data)
    })
    const [entry] = await world.ledger.entries({ conversation: 1 })
    expect(JSON.stringify(entry?.data)).toBe(JSON.stringify(data))
    expect(entry?.kind).toBe("日本 'quoted' \"twice\"")
    expect(JSON.stringify(world.ledger.live.document(1, "a name; with \n everything 🗿")?.value)).toBe(
      JSON.stringify(data),
    )
  },

  "what JSON would change is refused": async (world) => {
    for (const value of [NaN, Infinity, new Date(0), new Map(), () => 1, 10n, Symbol("s")]) {
      await fails(world, (tx) => tx.setDocument(0, "bad", { deep: [value as unknown as number] }))
    }
  },

  "names and request ids that storage would confuse are refused": async (world) => {
    for (const name of ["\ud800", "a\0b"]) {
      await fails(world, (tx) => tx.setDocument(0, name, 1))
      await fails(world, (tx) => tx.submit({ conversation: 1, requestId: name, kind: "input", data: {} }))
    }
  },

  "records of what is not there are refused": async (world) => {
    await fails(world, (tx) => say(tx, "where", 99))
    await fails(world, (tx) => tx.addTask({ ...aTask, conversation: 99 }))
    await fails(world, (tx) => tx.addTask({ ...aTask, owner: 99 }))
    await fails(world, (tx) => tx.setTask(99, { phase: "x" }))
    await fails(world, (tx) => tx.setSubmission(99, { status: "done" }))
    await fails(world, (tx) => tx.submit({ conversation: 99, requestId: "r", kind: "input", data: {} }))
    await fails(world, (tx) => tx.addConversation({ parent: { conversation: 99, entry: 1 }, owner: null }))
    await fails(world, (tx) => tx.addConversation({ parent: null, owner: { conversation: 1, task: 99 } }))
    await fails(world, (tx) => tx.setDocument(99, "x", 1))
    await fails(world, (tx) => tx.retireDocument(0, "x"))
    await fails(world, (tx) => tx.addEntry({ conversation: 1, kind: "note", data: {}, head: 99 }))
  },
}

const history: Record<string, Case> = {
  "a page of a conversation is its newest entries, oldest first": async (world) => {
    const ids = await world.commit("relaxed", (tx) => ["a", "b", "c", "d", "e"].map((text) => say(tx, text)))
    const page = async (query: object): Promise<readonly unknown[]> =>
      texts(await world.ledger.entries({ conversation: 1, ...query }))
    expect(await page({})).toEqual(["a", "b", "c", "d", "e"])
    expect(await page({ limit: 2 })).toEqual(["d", "e"])
    expect(await page({ before: ids[3], limit: 2 })).toEqual(["b", "c"])
    expect(await page({ after: ids[1] })).toEqual(["c", "d", "e"])
    expect(await page({ after: ids[0], before: ids[4], limit: 2 })).toEqual(["c", "d"])
    expect(await page({ limit: 0 })).toEqual([])
    expect(await page({ conversation: 77 })).toEqual([])
    expect(world.ledger.live.tail(1)).toBe(ids[4] ?? 0)
    expect(await world.ledger.entry(ids[2] ?? 0)).toMatchObject({ data: { text: "c" }, byTask: null, head: null })
    expect(await world.ledger.entry(999)).toBeUndefined()
  },

  "a fork sees its parent up to the fork, and theirs, and no more": async (world) => {
    const root = await world.commit("flushed", (tx) => ["r1", "r2", "r3"].map((text) => say(tx, text)))
    const child = await world.commit("flushed", (tx) => {
      const { id } = tx.addConversation({ parent: { conversation: 1, entry: root[1] ?? 0 }, owner: null })
      say(tx, "r4")
      return id
    })
    const own = await world.commit("flushed", (tx) => ["c1", "c2"].map((text) => say(tx, text, child)))
    const grandchild = await world.commit("flushed", (tx) => {
      const { id } = tx.addConversation({ parent: { conversation: child, entry: own[0] ?? 0 }, owner: null })
      say(tx, "g1", id)
      return id
    })
    const sibling = await world.commit("flushed", (tx) => {
      return tx.addConversation({ parent: { conversation: child, entry: root[0] ?? 0 }, owner: null }).id
    })
    const seen = async (query: {
      conversation: number
      limit?: number
      before?: number
      after?: number
    }): Promise<unknown> => texts(await world.ledger.entries(query))
    expect(await seen({ conversation: child })).toEqual(["r1", "r2", "c1", "c2"])
    expect(await seen({ conversation: grandchild })).toEqual(["r1", "r2", "c1", "g1"])
    expect(await seen({ conversation: grandchild, limit: 3 })).toEqual(["r2", "c1", "g1"])
    expect(await seen({ conversation: grandchild, before: own[0] ?? 0 })).toEqual(["r1", "r2"])
    expect(await seen({ conversation: grandchild, after: root[1] ?? 0 })).toEqual(["c1", "g1"])
    expect(await seen({ conversation: sibling })).toEqual(["r1"])
    expect(await seen({ conversation: 1 })).toEqual(["r1", "r2", "r3", "r4"])
    expect(world.ledger.live.tail(sibling)).toBe(0)
  },

  "the newest head is found through forks, at or before an entry": async (world) => {
    const [first, reset] = await world.commit("flushed", (tx) => [
      say(tx, "r1"),
      tx.addEntry({ conversation: 1, kind: "reset", data: {}, head: "self" }).id,
    ])
    const fork = await world.commit("flushed", (tx) => {
      const later = tx.addEntry({ conversation: 1, kind: "compaction", data: {}, head: first ?? 0 })
      const { id } = tx.addConversation({ parent: { conversation: 1, entry: reset ?? 0 }, owner: null })
      return { id, later: later.id, own: say(tx, "c1", id) }
    })
    const head = async (conversation: number, before?: number): Promise<unknown> =>
      (await world.ledger.newestHead(conversation, before))?.id
    expect(await head(1)).toBe(fork.later)
    expect(await head(1, fork.later - 1)).toBe(reset)
    expect(await head(fork.id)).toBe(reset)
    expect(await head(fork.id, reset)).toBe(reset)
    expect(await head(fork.id, first)).toBeUndefined()
    expect((await world.ledger.newestHead(1))?.head).toBe(first ?? 0)
    expect((await world.ledger.newestHead(1, reset))?.head).toBe(reset ?? 0)
  },

  "an entry names the task that made it": async (world) => {
    const entry = await world.commit("flushed", (tx) => {
      return tx.addEntry({ conversation: 1, kind: "result", data: {}, byTask: tx.addTask(aTask).id })
    })
    expect((await world.ledger.entry(entry.id))?.byTask).toBe(entry.byTask)
    expect(entry.byTask).not.toBeNull()
  },
}

const work: Record<string, Case> = {
  "a task is replaced whole, lives until it ends and stays as a receipt": async (world) => {
    const { id } = await world.commit("flushed", (tx) => tx.addTask(aTask))
    expect(world.ledger.live.tasks.get(id)).toMatchObject({
      status: "pending",
      attempt: 1,
      restarts: 0,
      input: { file: "a" },
    })
    await world.commit("flushed", (tx) =>
      tx.setTask(id, {
        status: "waiting",
        phase: "second",
        checkpoint: { n: 2 },
        facts: { pid: 9 },
        abort: { reason: "asked" },
      }),
    )
    expect(world.ledger.live.tasks.get(id)).toMatchObject({
      status: "waiting",
      phase: "second",
      checkpoint: { n: 2 },
      facts: { pid: 9 },
      abort: { reason: "asked" },
      outcome: null,
      endedAt: null,
    })
    await world.commit("flushed", (tx) => tx.setTask(id, { status: "completed", outcome: { ok: true } }))
    expect(world.ledger.live.tasks.has(id)).toBe(false)
    const ended = await world.ledger.task(id)
    expect(ended).toMatchObject({
      status: "completed",
      checkpoint: {},
      facts: {},
      outcome: { ok: true },
      input: { file: "a" },
    })
    expect(ended?.endedAt).not.toBeNull()
    await fails(world, (tx) => tx.setTask(id, { phase: "again" }))
    expect(await world.ledger.task(999)).toBeUndefined()
  },

  "a task may be made and ended in one commit": async (world) => {
    const { id } = await world.commit("flushed", (tx) => tx.setTask(tx.addTask(aTask).id, { status: "failed" }))
    expect(world.ledger.live.tasks.size).toBe(0)
    expect(await world.ledger.task(id)).toMatchObject({ status: "failed", input: { file: "a" } })
  },

  "a new checkpoint or phase forgets restarts, other fields do not": async (world) => {
    const { id } = await world.commit("flushed", (tx) => tx.addTask(aTask))
    const after = async (fields: Parameters<Tx["setTask"]>[1]): Promise<unknown> => {
      await world.commit("flushed", (tx) => tx.setTask(id, { restarts: 2 }))
      await world.commit("flushed", (tx) => tx.setTask(id, fields))
      return world.ledger.live.tasks.get(id)?.restarts
    }
    expect(await after({ facts: { pid: 1 } })).toBe(2)
    expect(await after({ phase: "first" })).toBe(2)
    expect(await after({ checkpoint: { n: 5 } })).toBe(0)
    expect(await after({ phase: "other" })).toBe(0)
    expect(await after({ phase: "third", restarts: 1 })).toBe(1)
  },

  "inputs change when they are replaced and at no other time": async (world) => {
    const [one, two] = await world.commit("flushed", (tx) => [tx.addTask(aTask), tx.addTask(aTask)])
    const first = one?.id ?? 0
    await world.commit("flushed", (tx) => tx.setTask(first, { input: { file: "b" } }))
    await world.commit("flushed", (tx) => tx.setTask(first, { phase: "second" }))
    expect((await world.ledger.task(first))?.input).toEqual({ file: "b" })
    await world.commit("flushed", (tx) => tx.setTask(first, { input: aTask.input }))
    await world.commit("flushed", (tx) => tx.setTask(first, { status: "completed" }))
    expect((await world.ledger.task(first))?.input).toEqual({ file: "a" })
    expect((await world.ledger.task(two?.id ?? 0))?.input).toEqual({ file: "a" })
  },

  "the same request is one submission, for ever and in its conversation": async (world) => {
    const ask = { conversation: 1, requestId: "r1", kind: "input", data: { text: "hello" } }
    const first = await world.commit("flushed", (tx) => tx.submit(ask))
    const again = await world.commit("flushed", (tx) => tx.submit({ ...ask, data: { text: "other" } }))
    expect(first.fresh).toBe(true)
    expect(again).toEqual({ submission: first.submission, fresh: false })
    const { id } = first.submission
    await world.commit("flushed", (tx) => tx.setSubmission(id, { status: "placed", entry: say(tx, "hello") }))
    await world.commit("flushed", (tx) => tx.setSubmission(id, { status: "done", answer: say(tx, "hi") }))
    expect(world.ledger.live.submissions.size).toBe(0)
    const settled = await world.commit("flushed", (tx) => tx.submit(ask))
    expect(settled).toMatchObject({ fresh: false, submission: { id, status: "done", data: { text: "hello" } } })
    const elsewhere = await world.commit("flushed", (tx) => {
      const conversation = tx.addConversation({ parent: null, owner: null }).id
      return tx.submit({ ...ask, conversation })
    })
    expect(elsewhere.fresh).toBe(true)
    expect(await world.ledger.submissionByRequest(1, "r1")).toEqual(settled.submission)
    expect(await world.ledger.submissionByRequest(1, "r2")).toBeUndefined()
    expect(await world.ledger.submission(id)).toEqual(settled.submission)
    await fails(world, (tx) => tx.setSubmission(id, { status: "queued" }))
  },

  "a request is one submission within a commit and before it is stored": async ({ ledger }) => {
    const ask = { conversation: 1, requestId: "r", kind: "input", data: {} }
    const { value } = ledger.commit("flushed", (tx) => {
      const { submission } = tx.submit(ask)
      tx.setSubmission(submission.id, { status: "withdrawn", reason: "asked" })
      return { first: submission.id, second: tx.submit(ask) }
    })
    const { value: third, stored } = ledger.commit("flushed", (tx) => tx.submit(ask))
    expect(value.second).toMatchObject({ fresh: false, submission: { id: value.first, status: "withdrawn" } })
    expect(third).toMatchObject({ fresh: false, submission: { id: value.first, reason: "asked" } })
    await stored
    expect(await ledger.submission(value.first)).toMatchObject({ status: "withdrawn" })
  },

  "documents are replaced, retired and made again, each at its own address": async (world) => {
    await world.commit("relaxed", (tx) => {
      tx.setDocument(0, "view", { of: "session" })
      tx.setDocument(1, "view", { of: "root" }, 3)
    })
    await world.commit("relaxed", (tx) => tx.setDocument(1, "view", null, 4))
    expect(world.ledger.live.document(0, "view")).toMatchObject({ version: 1, value: { of: "session" } })
    expect(world.ledger.live.document(1, "view")).toMatchObject({ version: 4, value: null })
    await world.commit("relaxed", (tx) => {
      tx.retireDocument(1, "view")
      tx.setDocument(1, "passing", 1)
      tx.retireDocument(1, "passing")
    })
    expect([...world.ledger.live.documents()].map(({ conversation, name }) => [conversation, name])).toEqual([
      [0, "view"],
    ])
    await world.commit("relaxed", (tx) => {
      tx.retireDocument(0, "view")
      tx.setDocument(0, "view", "again")
    })
    expect(world.ledger.live.document(0, "view")?.value).toBe("again")
  },

  "what is committed is read before it is stored": async ({ ledger }) => {
    const { value, stored } = ledger.commit("flushed", (tx) => {
      const first = say(tx, "one")
      const head = tx.addEntry({ conversation: 1, kind: "reset", data: { text: "two" }, head: "self" }).id
      const task = tx.setTask(tx.addTask(aTask).id, { status: "completed" }).id
      const fork = tx.addConversation({ parent: { conversation: 1, entry: first }, owner: null }).id
      return { first, head, task, fork }
    })
    expect(texts(await ledger.entries({ conversation: 1, limit: 1 }))).toEqual(["two"])
    const { value: more } = ledger.commit("relaxed", (tx) => say(tx, "three"))
    expect(texts(await ledger.entries({ conversation: 1 }))).toEqual(["one", "two", "three"])
    expect(texts(await ledger.entries({ conversation: 1, limit: 2 }))).toEqual(["two", "three"])
    expect(texts(await ledger.entries({ conversation: value.fork }))).toEqual(["one"])
    expect((await ledger.newestHead(1))?.id).toBe(value.head)
    expect(await ledger.task(value.task)).toMatchObject({ status: "completed" })
    expect((await ledger.entry(more))?.id).toBe(more)
    await stored
  },
}

const rest: Record<string, Case> = {
  "entries and tasks are counted": async (world) => {
    await world.commit("flushed", (tx) => [say(tx, "a"), say(tx, "b"), tx.addTask(aTask)])
    const [task] = world.ledger.live.tasks.keys()
    await world.commit("flushed", (tx) => tx.setTask(task ?? 0, { status: "completed" }))
    expect(await world.ledger.counts()).toMatchObject({ entries: 2, tasks: 1 })
    expect(await world.ledger.verify(true)).toEqual([])
  },

  "spools give back what was appended, by task and attempt, until they are dropped": async (world) => {
    const { id } = await world.commit("flushed", (tx) => tx.addTask(aTask))
    const { spools } = world.ledger
    const spool = spools.open(id, 1)
    expect([spool.append("héllo"), spool.append(""), spool.append("🗿"), spool.size]).toEqual([0, 6, 6, 10])
    const second = spools.open(id, 2)
    second.append("again")
    spool.close()
    second.close()
    expect(() => spool.append("late")).toThrow(Bug)
    await world.commit("relaxed", (tx) => say(tx, "between"))
    expect(await world.ledger.spools.read(id, 1)).toEqual(["héllo", "🗿"])
    const more = world.ledger.spools.open(id, 1)
    expect([more.size, more.append("!"), more.size]).toEqual([10, 10, 11])
    more.close()
    await world.ledger.spools.drop(id, 1)
    expect(await world.ledger.spools.read(id, 1)).toEqual([])
    expect(await world.ledger.spools.read(id, 2)).toEqual(["again"])
    await world.ledger.spools.drop(id)
    expect(await world.ledger.spools.read(id, 2)).toEqual([])
  },

  "the owner is the owner, until it closes; then nothing more is committed": async (world) => {
    const { ledger } = world
    ledger.assertOwner()
    expect(ledger.health()).toEqual({ state: "ok" })
    const { stored } = ledger.commit("relaxed", (tx) => say(tx, "last"))
    await ledger.close()
    await stored
    expect(() => ledger.commit("relaxed", (tx) => say(tx, "late"))).toThrow(Bug)
  },

  "commits that are not awaited are stored in their order": async ({ ledger }) => {
    const told: number[] = []
    ledger.watch(({ seq }) => told.push(seq))
    const start = ledger.seq
    const receipts = Array.from({ length: 20 }, (_, n) =>
      ledger.commit(n % 3 ? "relaxed" : "flushed", (tx) => say(tx, `${n}`)),
    )
    await receipts.at(-1)?.stored
    expect(receipts.map(({ seq }) => seq - start)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    expect(told.map((seq) => seq - start)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  },
}

export const conformance: Readonly<Record<string, Case>> = { ...atomicity, ...values, ...history, ...work, ...rest }
