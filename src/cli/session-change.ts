/**
 * Changing what a session says of itself: its title, its tags, and whether it is put away.
 *
 * - A session that a host holds is changed by that host; one that nobody holds is opened for a moment, and none of its work is taken up.
 */
import { SessionHeld } from "../ledger/errors.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { readHolder } from "../ledger/lock.ts"
import { openSession } from "../ledger/open.ts"
import { protocolVersion } from "../protocol/port.ts"
import type { SessionDocument } from "../protocol/records.ts"
import type { SessionChange } from "../protocol/sessions.ts"
import { tagsFrom } from "../protocol/tags.ts"
import { systemClock } from "../std/clock.ts"
import type { Json } from "../std/json.ts"
import { attachPort } from "../wire/attach.ts"
import { connectSocket } from "../wire/socket.ts"

async function changeThere(socket: string, id: string, { title, archived, tags }: SessionChange): Promise<void> {
  const hello = { protocol: protocolVersion, build: "", client: "change", open: { how: "session", id } } as const
  const port = await attachPort({ connect: (events) => connectSocket(socket, events), hello })
  try {
    if (title !== undefined) await port.request({ type: "title", title })
    if (archived !== undefined) await port.request({ type: "archive", archived })
    if (tags !== undefined) await port.request({ type: "tag", tags })
  } finally {
    await port.close()
  }
}

function changed(document: SessionDocument, { title, archived, tags }: SessionChange): SessionDocument {
  return {
    ...document,
    ...(title === undefined ? {} : { title, titled: true }),
    ...(archived === undefined ? {} : { archived }),
    ...(tags === undefined ? {} : { tags: tagsFrom(tags.join(" ")) }),
  }
}

function changeHere(ledger: Ledger, change: SessionChange): void {
  const document = ledger.live.document(0, "session")?.value as SessionDocument | undefined
  if (document === undefined) throw new Error("nothing was ever said in this session, so it cannot be changed")
  ledger.commit("flushed", (tx) => tx.setDocument(0, "session", changed(document, change) as Json, 1))
}

/** Throws an error with a sentence where it cannot be changed now. */
export async function changeSession(dataDir: string, id: string, change: SessionChange): Promise<void> {
  const title = change.title?.trim()
  if (title === "") throw new Error("the name is empty: write one")
  const asked = title === undefined ? change : { ...change, title }
  const holder = readHolder(dataDir, id)
  if (holder !== null && holder.socket !== null) return changeThere(holder.socket, id, asked)
  if (holder !== null) throw new SessionHeld(id, holder, false, "named")
  const ledger = await openSession({ dataDir, id, clock: systemClock })
  try {
    changeHere(ledger, asked)
  } finally {
    await ledger.close()
  }
}
