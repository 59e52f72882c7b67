/** Entries that the view does not hold yet: which those are, and how they come. */
import type { Port } from "../protocol/port.ts"
import type { View } from "../protocol/view.ts"
import { scopeOf } from "./blocks/blocks-of.ts"
import type { Store } from "./dispatch.ts"

/** Older entries that are fetched at a time: some screens, so that scrolling up does not wait for each; and most, on the way to one. */
const olderEntries = 200
const farEntries = 1_000

/** The oldest entry of what a conversation sees that the view holds; 0 where it holds all. */
export function firstHeld(view: View, conversation: number): number {
  if (!view.older.has(conversation)) return 0
  const scope = scopeOf(view.conversations, conversation)
  return view.entries.find((entry) => entry.id <= (scope.get(entry.conversation) ?? -1))?.id ?? 0
}

type Fetcher = { readonly store: Store; readonly link: Pick<Port, "request"> }

/** One page of older entries. */
export async function loadOlder({ store, link }: Fetcher, conversation: number, limit = olderEntries): Promise<void> {
  const before = firstHeld(store.state.view, conversation)
  if (before === 0) return
  const { session } = store.state.view
  const page = await link.request({ type: "entries", conversation, before, limit })
  if (store.state.view.session !== session) return
  store.dispatch({ type: "older", conversation, page: page.entries, more: page.older })
}

/** Pages of older entries until the view holds `entry`. */
export async function loadBack(fetcher: Fetcher, conversation: number, entry: number): Promise<void> {
  for (;;) {
    const first = firstHeld(fetcher.store.state.view, conversation)
    if (first <= entry) return
    await loadOlder(fetcher, conversation, farEntries)
    if (firstHeld(fetcher.store.state.view, conversation) === first) return
  }
}
