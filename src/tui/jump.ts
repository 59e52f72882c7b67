/** To a place that a search found: another session, another conversation, an entry that is not loaded yet, the middle of an output. */
import type { SearchHit } from "../protocol/port.ts"
import { sleep } from "../std/clock.ts"
import { attempt, type Stage } from "./commands/stage.ts"
import { loadBack } from "./older.ts"
import type { ScreenState } from "./state.ts"

/** A host that does not come in this time is told of by the link; nobody is taken anywhere behind their back later. */
const openMsMax = 10_000

export type Target = Pick<SearchHit, "conversation" | "entry" | "output">

/** Resolves when the state is so; rejects with a sentence where it does not come to that. */
export function until(stage: Stage, holds: (state: ScreenState) => boolean): Promise<void> {
  const { store, options } = stage
  if (holds(store.state)) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const end = (): void => {
      unlisten()
      cancel()
    }
    const unlisten = store.listen((state) => {
      if (!holds(state)) return
      end()
      resolve()
    })
    const cancel = options.clock.after(openMsMax, () => {
      end()
      reject(new Error("The host did not answer in time"))
    })
  })
}

/** Shows an entry of the session that is open, in its conversation, and marks there what was searched for. */
export async function jumpHere(stage: Stage, { conversation, entry, output }: Target, query: string): Promise<void> {
  const { store, link, slots } = stage
  store.dispatch({ type: "conversation", id: conversation })
  await loadBack({ store, link }, store.state.conversation, entry)
  store.dispatch({ type: "focus", focus: { area: "panel", id: "chat" } })
  // Panels are told of entries with the next frame.
  await sleep(stage.options.clock, 0)
  slots.panel("chat")?.commands["entry.show"]?.({ entry, query: output === undefined ? query : "" })
  if (output === undefined) return
  store.dispatch({ type: "panel.show", id: "tool", shown: true })
  await sleep(stage.options.clock, 0)
  slots.panel("tool")?.commands["output.show"]?.({ task: output.task, at: output.at, query })
}

/** As {@link jumpHere}, in any session. */
export async function jumpTo(stage: Stage, session: string, target: Target, query: string): Promise<void> {
  const { store, link } = stage
  if (store.state.view.session !== session) {
    await link.change({ kind: "session", id: session })
    await until(stage, ({ view, link: { status } }) => view.session === session && status === "open")
  }
  if (target.entry > 0) await jumpHere(stage, target, query)
}

export function jump(stage: Stage, session: string, target: Target, query: string): void {
  attempt(stage, jumpTo(stage, session, target, query))
}
