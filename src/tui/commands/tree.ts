/** Going back: the tree of a session, forks at an earlier point, and copies as a session of its own. */
import type { CommandName } from "../../home/command-names.ts"
import { textOf } from "../../message/message.ts"
import { scopeOf } from "../blocks/blocks-of.ts"
import type { Item } from "../dialogs/dialog.ts"
import { until } from "../jump.ts"
import { firstHeld, loadOlder } from "../older.ts"
import { ago } from "../status/numbers.ts"
import { entryBefore, forksAt, treeFilters, treeRows, type TreeFilter, type TreeRow } from "../tree.ts"
import { putAside } from "./stash.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

const id = "tree"
/** The row that fetches older entries. */
const olderKey = "older"

const signs: Readonly<Record<TreeRow["kind"], string>> = { input: "› ", answer: "", tool: "· ", other: "· " }
const filterTitles: Readonly<Record<TreeFilter, string>> = {
  inputs: "your inputs",
  noTools: "without tools",
  labelled: "what has a label",
  all: "everything",
}

/** The text of an input; null for anything else. */
function inputOf(stage: Stage, entry: number): string | null {
  const data = stage.store.state.view.entries.find((one) => one.id === entry)?.data
  return data?.kind === "user" && "content" in data ? textOf(data) : null
}

type Fork = { readonly conversation: number; readonly entry: number; readonly text: string | null }

/** Where a fork at a row goes on from: an input is written again, so what counts is what was there before it. */
export async function forkAt(stage: Stage, conversation: number, entry: number): Promise<Fork> {
  // What was before the oldest entry that is held has to be known.
  if (firstHeld(stage.store.state.view, conversation) === entry) await loadOlder(stage, conversation)
  const { view } = stage.store.state
  const text = inputOf(stage, entry)
  const at = text === null ? entry : entryBefore(view, scopeOf(view.conversations, conversation), entry)
  return { conversation, entry: at, text }
}

/** Forks and shows the fork; an input's text goes into the editor, after what was being written. */
export async function fork(stage: Stage, { conversation, entry, text }: Fork, summary?: string): Promise<void> {
  const { link, store, editor } = stage
  const asked = { type: "fork", conversation, entry } as const
  const made = await link.request(summary === undefined ? asked : { ...asked, summary })
  await until(stage, ({ view }) => view.conversations.has(made.conversation))
  store.dispatch({ type: "conversation", id: made.conversation })
  store.dispatch({ type: "focus", focus: { area: "editor" } })
  if (text === null) return
  putAside(stage)
  editor.put(text)
}

/** Whether what is left behind shall be told to the model of the fork, in short. */
function askSummary(stage: Stage, from: Fork): void {
  const go = (summary?: string) => () => attempt(stage, fork(stage, from, summary))
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "confirm",
      id: "tree.summary",
      title: "Go back",
      text: "What was said since stays in the tree. Shall the model know of it in short?",
      choices: [
        { letter: "n", label: "No", run: go() },
        { letter: "s", label: "Summarize it", run: go("") },
        { letter: "m", label: "Summarize it, minding …", run: () => askMind(stage, from) },
      ],
    },
  })
}

function askMind(stage: Stage, from: Fork): void {
  stage.store.dispatch({
    type: "dialog.open",
    dialog: {
      kind: "input",
      id: "tree.mind",
      title: "Summary",
      text: "What the summary has to mind:",
      masked: false,
      submitted: (summary) => attempt(stage, fork(stage, from, summary.trim())),
      cancelled: () => askSummary(stage, from),
    },
  })
}

class Tree {
  readonly #stage: Stage
  #filter: TreeFilter
  /** Forks of which only the first row is shown. */
  readonly #folded = new Set<number>()
  #rows: readonly TreeRow[] = []

  constructor(stage: Stage, filter: TreeFilter) {
    this.#stage = stage
    this.#filter = filter
  }

  open(at?: string): void {
    const { store } = this.#stage
    const { view, conversation } = store.state
    const items = this.#items()
    const last = this.#rows.findLast((row) => row.conversation === conversation) ?? this.#rows.at(-1)
    const start = at ?? (last === undefined ? undefined : String(last.entry))
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id,
        title: this.#title(),
        items,
        empty: view.entries.length === 0 ? "nothing was said yet" : "nothing of that kind",
        ...(start === undefined ? {} : { at: start }),
        actions: [
          { command: "dialog.scope", label: "show more or less", always: () => this.#turn() },
          { command: "dialog.rename", label: "label", run: (item) => this.#label(item) },
          { command: "dialog.archive", label: "fold", run: (item) => this.#fold(item) },
        ],
        chosen: (item) => this.#chosen(item),
      },
    })
  }

  /** As if the row of `entry` were chosen. False where there is none. */
  goBack(entry: number): boolean {
    this.#filter = "all"
    const item = this.#items().find(({ key }) => key === String(entry))
    if (item !== undefined) this.#chosen(item)
    return item !== undefined
  }

  #title(): string {
    return `Tree: ${filterTitles[this.#filter]}`
  }

  #items(): readonly Item[] {
    const { store, options } = this.#stage
    const { view, conversation } = store.state
    this.#rows = treeRows(view, this.#filter, this.#folded)
    const forks = view.conversations.size > 1
    const items = this.#rows.map((row): Item => ({
      key: String(row.entry),
      label: `${"  ".repeat(row.depth)}${signs[row.kind]}${row.text}`,
      detail: row.label === "" ? "" : `[${row.label}]`,
      right: [
        row.behind > 0 ? `▸ ${row.behind} more` : "",
        row.tip && row.conversation === conversation ? "here" : "",
        forks ? `c${row.conversation}` : "",
        ago(options.clock.now() - row.at),
      ]
        .filter(Boolean)
        .join(" · "),
    }))
    const older: Item = { key: olderKey, label: "Older entries …" }
    return view.older.size > 0 ? [older, ...items] : items
  }

  #show(): void {
    this.#stage.store.dispatch({ type: "dialog.items", id, items: this.#items(), title: this.#title() })
  }

  #turn(): void {
    this.#filter = treeFilters[(treeFilters.indexOf(this.#filter) + 1) % treeFilters.length] ?? "inputs"
    this.#show()
  }

  /** Folds the fork that a row belongs to, or those that were made at it; or shows them again. */
  #fold(item: Item): void {
    const row = this.#rows.find(({ entry }) => String(entry) === item.key)
    if (row === undefined) return
    const made = forksAt(this.#stage.store.state.view, row.conversation, row.entry)
    const forks = made.length > 0 && row.behind === 0 ? made : row.depth > 0 ? [row.conversation] : []
    if (forks.length === 0) return this.#stage.say("info", "There is no fork here to fold")
    const open = forks.every((fork) => this.#folded.has(fork))
    for (const fork of forks) {
      if (open) this.#folded.delete(fork)
      else this.#folded.add(fork)
    }
    this.#show()
  }

  #chosen(item: Item): void {
    const { store } = this.#stage
    if (item.key === olderKey) return attempt(this.#stage, this.#older())
    const row = this.#rows.find(({ entry }) => String(entry) === item.key)
    if (row === undefined) return
    // The end of a conversation is where it goes on.
    if (row.tip && row.kind !== "input") {
      store.dispatch({ type: "conversation", id: row.conversation })
      return
    }
    attempt(
      this.#stage,
      forkAt(this.#stage, row.conversation, row.entry).then((from) => askSummary(this.#stage, from)),
    )
  }

  async #older(): Promise<void> {
    const { store } = this.#stage
    for (const conversation of store.state.view.older) await loadOlder(this.#stage, conversation)
    this.open(this.#rows[0] === undefined ? undefined : String(this.#rows[0].entry))
  }

  #label(item: Item): void {
    const row = this.#rows.find(({ entry }) => String(entry) === item.key)
    if (row === undefined) return
    const put = async (label: string): Promise<void> => {
      await this.#stage.link.request({ type: "label", entry: row.entry, label })
      await until(this.#stage, ({ view }) =>
        treeRows(view, "all").some((one) => one.entry === row.entry && one.label === label.trim()),
      )
      this.#show()
    }
    this.#stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "tree.label",
        title: "Label",
        text: "A name for this point; an empty one takes it away:",
        masked: false,
        initial: row.label,
        submitted: (label) => attempt(this.#stage, put(label)),
      },
    })
  }
}

const begun = (stage: Stage): string | null =>
  stage.store.state.view.entries.length === 0 ? "nothing was said yet" : null

const openTree: Command = {
  off: begun,
  run(stage, args) {
    const tree = new Tree(stage, "inputs")
    if (typeof args.entry === "number") return tree.goBack(args.entry)
    tree.open()
    return true
  },
}

/** The earlier inputs of this conversation, the newest at the bar. */
const openFork: Command = {
  off: begun,
  run(stage) {
    const { store, options } = stage
    const { view, conversation } = store.state
    const scope = scopeOf(view.conversations, conversation)
    const inputs = view.entries.filter(
      ({ id: entry, conversation: of, data }) => data.kind === "user" && entry <= (scope.get(of) ?? -1),
    )
    const items = inputs.map(({ id: entry, at }): Item => ({
      key: String(entry),
      label: (inputOf(stage, entry) ?? "").replace(/\s+/g, " ").trim(),
      right: ago(options.clock.now() - at),
    }))
    const more = firstHeld(view, conversation) > 0
    const older: Item = { key: olderKey, label: "Older prompts …" }
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id: "fork",
        title: "Fork at an earlier prompt",
        items: more ? [older, ...items] : items,
        at: items.at(-1)?.key ?? "",
        empty: "nothing was asked yet",
        chosen(item) {
          if (item.key === olderKey)
            attempt(
              stage,
              loadOlder(stage, conversation).then(() => stage.run("session.fork")),
            )
          else
            attempt(
              stage,
              forkAt(stage, conversation, Number(item.key)).then((from) => fork(stage, from)),
            )
        },
      },
    })
    return true
  },
}

const clone: Command = {
  off: (stage) =>
    stage.options.outside.cloneSession === undefined ? "sessions are not copied from here" : begun(stage),
  run(stage) {
    const { store, link, options } = stage
    const { view, conversation } = store.state
    const work = options.outside.cloneSession?.(view.session, conversation)
    if (work === undefined) return false
    attempt(
      stage,
      work.then(async (session) => {
        await link.change({ kind: "session", id: session })
        stage.say("info", "This is a copy; the other session is as it was")
      }),
    )
    return true
  },
}

export const treeCommands = {
  "session.tree": openTree,
  "session.fork": openFork,
  "session.clone": clone,
} as const satisfies Partial<Record<CommandName, Command>>
