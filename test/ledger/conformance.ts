/**
 * What every backend of the ledger does, one sentence each; conformance.test.ts runs them all on each backend.
 *
 * - A case opens its own session and looks only at the ledger, never at how it is stored. Where a session may have been
 *   opened again between two commits, nothing is asked that an opening changes.
 */
import { expect } from "bun:test"
import type { Tx } from "../../src/ledger/ledger.ts"
import type { Commit } from "../../src/ledger/records.ts"
import { Bug } from "../../src/std/assert.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { aTask, fails, say, texts } from "../support/ledger-deeds.ts"
import type { Case } from "../support/ledger-deeds.ts"
import { history, work } from "./conformance-records.ts"

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
    const anew = world.ledger.spools.open(id, 1, "new")
    expect([anew.size, anew.append("other"), anew.size]).toEqual([0, 0, 5])
    anew.close()
    expect(await world.ledger.spools.read(id, 1)).toEqual(["other"])
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
