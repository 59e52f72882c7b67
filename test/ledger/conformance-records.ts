/** What every backend of the ledger does with history and with work: the part of conformance.ts that is about records. */
import { expect } from "bun:test"
import type { Tx } from "../../src/ledger/ledger.ts"
import { aTask, fails, say, texts } from "../support/ledger-deeds.ts"
import type { Case } from "../support/ledger-deeds.ts"

export const history: Record<string, Case> = {
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

export const work: Record<string, Case> = {
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
