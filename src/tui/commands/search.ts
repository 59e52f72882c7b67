/** Commands of searching: in the panel, in all of the session, in all sessions. */
import type { CommandName } from "../../home/command-names.ts"
import type { SearchHit } from "../../protocol/port.ts"
import type { SessionHit } from "../../protocol/sessions.ts"
import type { Excerpt } from "../../std/query.ts"
import { Beyond } from "../beyond.ts"
import type { Item, ListDialog } from "../dialogs/dialog.ts"
import { jump } from "../jump.ts"
import { sentence } from "../link.ts"
import { firstHeld, loadBack } from "../older.ts"
import { homely } from "../status/footer.ts"
import { sleep } from "../../std/clock.ts"
import type { HeldPart } from "../panels/panel.ts"
import { ago } from "../status/numbers.ts"
import type { Command, Stage } from "./stage.ts"

/** Rows of a list of hits; who wants more says more. */
const listMax = 300
const pageHits = 100
/** Typing goes on for a while before all sessions are searched. */
const typedMs = 80

/** What looks further than the view of the conversation, or of an output. */
function beyondOf(stage: Stage): Beyond | null {
  const { store, link, options } = stage
  const { conversation } = store.state
  const shared = { port: link, client: `${options.client}/line`, conversation, changed: () => store.redraw() }
  const target = stage.slots.target()
  const part = (): HeldPart | null => stage.slots.panel(target)?.part?.() ?? null
  const task = part()?.task
  if (task !== undefined) {
    return new Beyond({
      ...shared,
      rough: true,
      place: ({ output }) => (output?.task === task ? output.at : null),
      held: () => part() ?? { from: 0, to: Number.MAX_SAFE_INTEGER },
      reach: (at) => reachOutput(stage, target, task, at),
    })
  }
  if (target !== "chat") return null
  return new Beyond({
    ...shared,
    rough: false,
    place: ({ entry, output }) => (output === undefined ? entry : null),
    held: () => ({ from: firstHeld(store.state.view, conversation), to: Number.MAX_SAFE_INTEGER }),
    reach: (entry) => loadBack(stage, conversation, entry),
  })
}

/** How long a piece of an output is waited for, and how often it is looked for. */
const pieceMsMax = 2_000
const pieceLookMs = 10

async function reachOutput({ slots, options }: Stage, panel: string, task: number, at: number): Promise<void> {
  slots.panel(panel)?.commands["output.reach"]?.({ task, at })
  for (let waited = 0; waited < pieceMsMax; waited += pieceLookMs) {
    const part = slots.panel(panel)?.part?.()
    if (part === undefined || part === null || (at >= part.from && at < part.to)) return
    await sleep(options.clock, pieceLookMs)
  }
}

/** Begins a search in the focused panel, or the one in front. While one is open, it goes on instead. */
const openSearch: Command = {
  run(stage, args) {
    if (args.scope === "all") return searchAll.run(stage, args)
    if (stage.search.open) return stage.search.next(true)
    const target = stage.slots.reader()
    if (target === null) return false
    stage.search.start(target, args.direction === "forward" ? 1 : -1, beyondOf(stage))
    stage.slots.refocus()
    return true
  },
}

/** The next or previous match: of the open search line, else of the panel's last search. */
/** Nothing to go through: the line is closed and nothing is marked. */
const noSearch = (stage: Stage): string | null =>
  stage.search.open || stage.slots.reader()?.searchState.query ? null : "nothing is being searched for"

function match(on: boolean): Command {
  return {
    off: noSearch,
    run(stage) {
      if (stage.search.open) return stage.search.next(on)
      const reader = stage.slots.reader()
      return reader !== null && stage.search.goOn(reader, on ? 1 : -1)
    },
  }
}

const searchClosed = (stage: Stage): string | null => (stage.search.open ? null : "no search is open")

function closeSearch(accept: boolean): Command {
  return {
    off: searchClosed,
    run(stage) {
      const closed = stage.search.close(accept)
      if (closed) stage.slots.refocus()
      return closed
    },
  }
}

function previewOf({ before, line, after }: Excerpt, where: string): string {
  return [where, before, line, after].filter((text) => text !== "").join("\n")
}

/** One page after the other, until there are enough rows or another query was typed. */
type Pages<H> = (after: string | undefined) => Promise<{ readonly hits: readonly H[]; readonly more: string | null }>

type HitList<H> = {
  readonly id: string
  readonly title: string
  readonly query: string
  pages(stage: Stage, query: string): Pages<H>
  item(stage: Stage, hit: H, key: string): Item
  preview(stage: Stage, hit: H): string
  chosen(stage: Stage, hit: H, query: string): void
}

/** A list that is searched as one types, each row a line that holds what was typed. */
function openHits<H>(stage: Stage, list: HitList<H>): void {
  const { store, options } = stage
  const { id, title } = list
  let hits: readonly H[] = []
  let query = list.query
  let round = 0
  let cancel: () => void = () => {}
  const show = (): void =>
    store.dispatch({ type: "dialog.items", id, items: hits.map((hit, place) => list.item(stage, hit, String(place))) })
  const look = async (own: number): Promise<void> => {
    const pages = list.pages(stage, query)
    let after: string | undefined
    do {
      const page = await pages(after)
      if (own !== round) return
      hits = [...hits, ...page.hits]
      after = page.more ?? undefined
      if (page.hits.length > 0 || after === undefined) show()
    } while (after !== undefined && hits.length < listMax && isOpen(stage, id))
  }
  const ask = (text: string, wait: number): void => {
    query = text.trim()
    const own = ++round
    hits = []
    cancel()
    if (query === "") return show()
    cancel = options.clock.after(wait, () => {
      look(own).catch((error: unknown) => {
        if (own === round) stage.say("warning", sentence(error))
      })
    })
  }
  const hitOf = (item: Item): H | undefined => hits[Number(item.key)]
  const dialog: ListDialog = {
    kind: "list",
    id,
    title,
    items: [],
    filter: list.query,
    empty: "type what was said",
    preview: "",
    asked: (text) => ask(text, typedMs),
    moved(item) {
      const hit = hitOf(item)
      store.dispatch({ type: "dialog.preview", id, text: hit === undefined ? "" : list.preview(stage, hit) })
    },
    chosen(item) {
      round++
      const hit = hitOf(item)
      if (hit !== undefined) list.chosen(stage, hit, query)
    },
    cancelled: () => void round++,
  }
  store.dispatch({ type: "dialog.open", dialog })
  ask(list.query, 0)
}

function isOpen(stage: Stage, id: string): boolean {
  return stage.store.state.dialogs.some((dialog) => dialog.id === id)
}

/** What was typed into the search line, which is left as if it had not been opened. */
function takeQuery(stage: Stage, args: { readonly name?: unknown }): string {
  const { query } = stage.search
  if (stage.search.close(false)) stage.slots.refocus()
  return typeof args.name === "string" && args.name !== "" ? args.name : query
}

const kinds: Readonly<Record<SessionHit["kind"], string>> = {
  title: "title",
  input: "you",
  answer: "answer",
  thinking: "reasoning",
  call: "call",
  output: "output",
  note: "note",
}

/** All of this session: every conversation, folded and cut outputs too. */
const searchList: Command = {
  off: (stage) => (stage.store.state.view.session === "" ? "nothing was said yet" : null),
  run(stage, args) {
    openHits<SearchHit>(stage, {
      id: "search.list",
      title: "Search this session",
      query: takeQuery(stage, args),
      pages({ link, options, search }, query) {
        const client = `${options.client}/list`
        const asked = { type: "search", client, conversation: null, query, limit: pageHits } as const
        return (after) => link.request({ ...asked, regex: search.regex, ...(after === undefined ? {} : { after }) })
      },
      item({ options, store }, hit, key) {
        const times = hit.count === 1 ? "" : `${hit.count}×`
        const fork = store.state.view.conversations.size > 1 ? `c${hit.conversation}` : ""
        const right = [times, kinds[hit.kind], fork, ago(options.clock.now() - hit.at)].filter(Boolean).join(" · ")
        return { key, label: hit.line.trim(), right }
      },
      preview: (_, hit) => previewOf(hit, ""),
      chosen: (on, hit, query) => jump(on, on.store.state.view.session, hit, on.search.regex ? hitText(hit) : query),
    })
    return true
  },
}

/** What an expression matched, to be marked as the text that it is. */
function hitText({ line, from, to }: Excerpt): string {
  return line.slice(from, to)
}

const searchAll: Command = {
  run(stage, args) {
    openHits<SessionHit>(stage, {
      id: "search.all",
      title: "Search all sessions",
      query: takeQuery(stage, args),
      pages({ options }, query) {
        return (after) =>
          options.sessions.search({ text: query, limit: pageHits, ...(after === undefined ? {} : { after }) })
      },
      item({ options }, hit, key) {
        const right = [kinds[hit.kind], ago(options.clock.now() - hit.at)].join(" · ")
        return { key, label: hit.line.trim(), detail: hit.kind === "title" ? "" : hit.title, right }
      },
      preview: ({ options }, hit) => previewOf(hit, `${hit.title} · ${homely(hit.folder, options.home)}`),
      chosen: (on, hit, query) => jump(on, hit.session, hit, query),
    })
    return true
  },
}

export const searchCommands = {
  "search.open": openSearch,
  "search.next": match(true),
  "search.previous": match(false),
  "search.close": closeSearch(false),
  "search.accept": closeSearch(true),
  "search.olderQuery": { run: ({ search }) => search.recall(-1) },
  "search.newerQuery": { run: ({ search }) => search.recall(1) },
  "search.toggleRegex": { off: searchClosed, run: (stage) => stage.search.toggleRegex() },
  "search.list": searchList,
  "search.all": searchAll,
} as const satisfies Partial<Record<CommandName, Command>>
