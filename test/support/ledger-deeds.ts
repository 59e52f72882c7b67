/** What the ledger's tests do to it again and again, and how they see that something has changed nothing. */
import { expect } from "bun:test"
import type { Tx } from "../../src/ledger/ledger.ts"
import type { Commit, EntryId } from "../../src/ledger/records.ts"
import type { JsonObject } from "../../src/std/json.ts"
import type { World } from "./ledger-backends.ts"

/** A sentence about every backend, to be tried on a new session of one. */
export type Case = (world: World) => Promise<void>

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

export function texts(entries: readonly { readonly data: JsonObject }[]): readonly unknown[] {
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

/** The callback throws, and nothing has changed. */
export async function fails(world: World, work: (tx: Tx) => unknown): Promise<void> {
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
