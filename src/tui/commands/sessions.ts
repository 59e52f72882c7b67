/**
 * The picker of sessions: found by what is typed, in their titles and in what was said, with the last exchange of the one that the bar stands on; renamed, tagged, put away, thrown away, and
 * all of that taken back.
 */
import type { CommandName } from "../../home/command-names.ts"
import type { SessionPreview, SessionSummary } from "../../protocol/sessions.ts"
import { tagsFrom, tagsText } from "../../protocol/tags.ts"
import { shortId } from "../../std/id.ts"
import type { Item, ItemAction } from "../dialogs/dialog.ts"
import { homely } from "../status/footer.ts"
import { ago } from "../status/numbers.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

const listMax = 1_000
const id = "sessions"
/** The row that leads to what was said. */
const searchKey = "search"
/** What was said is looked through for a text of so many characters, once nobody has typed for so long. */
const saidMin = 3
const typedMs = 120
const hitsMax = 100
/** What the index has not read yet is asked for again after so long, and no more often than that. */
const unreadMs = 400
const unreadTries = 20

const orders = ["newest", "title", "folder"] as const
type Order = (typeof orders)[number]

function standing({ holder, interrupted, archived }: SessionSummary): string {
  if (holder !== null) return "open"
  return [interrupted ? "interrupted" : "", archived ? "put away" : ""].filter(Boolean).join(", ")
}

/** `said`: a line of it that holds what is typed. */
function sessionItem(summary: SessionSummary, stage: Stage, withFolder: boolean, said: string): Item {
  const now = stage.options.clock.now()
  const folder = withFolder ? homely(summary.folder, stage.options.home) : ""
  return {
    key: summary.id,
    label: summary.title === "" ? "untitled" : summary.title,
    detail: [standing(summary), tagsText(summary.tags), folder, said && `“${said}”`].filter(Boolean).join(" · "),
    right: `${ago(now - summary.updatedAt)} · ${shortId(summary.id)}`,
    ...(summary.state === "ok" ? {} : { off: summary.note === "" ? summary.state : summary.note }),
  }
}

function sorted(found: readonly SessionSummary[], order: Order): readonly SessionSummary[] {
  if (order === "newest") return found
  const name = (summary: SessionSummary): string => (order === "title" ? summary.title : summary.folder).toLowerCase()
  return found.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : b.updatedAt - a.updatedAt))
}

function previewText({ input, answer }: SessionPreview): string {
  return [input === "" ? "" : `› ${input.trim()}`, answer.trim()].filter(Boolean).join("\n")
}

class Picker {
  readonly #stage: Stage
  #all: boolean
  #archived = false
  #order: Order = "newest"
  #found: readonly SessionSummary[] = []
  /** What was said in sessions that holds what is typed, by session. */
  #said: ReadonlyMap<string, string> = new Map()
  #round = 0
  #cancelLook: () => void = () => {}
  /** Takes back what was done last. */
  #undo: { readonly what: string; run(): Promise<void> } | null = null

  constructor(stage: Stage, all: boolean) {
    this.#stage = stage
    this.#all = all
  }

  open(): void {
    const { store, link } = this.#stage
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "list",
        id,
        title: this.#title(),
        items: null,
        at: store.state.view.session,
        empty: "no session yet",
        preview: "",
        actions: this.#actions(),
        moved: ({ key }) => this.#preview(key),
        typed: (text) => this.#typed(text.trim()),
        cancelled: () => this.#close(),
        chosen: ({ key }) => {
          this.#close()
          if (key === searchKey) this.#stage.run("search.all")
          else if (key !== store.state.view.session) attempt(this.#stage, link.change({ kind: "session", id: key }))
        },
      },
    })
    // What is known stands there at once; what was written to since is read behind it.
    this.#do(async () => {
      await this.#list(true)
      await this.#list(false)
    })
  }

  #title(): string {
    const where = this.#all ? "all folders" : "this folder"
    const order = this.#order === "newest" ? "" : `, by ${this.#order}`
    return `Sessions of ${where}${order}${this.#archived ? ", those put away too" : ""}`
  }

  #do(work: () => Promise<void>): void {
    attempt(this.#stage, work())
  }

  async #list(quick: boolean): Promise<void> {
    const { options } = this.#stage
    const where = this.#all ? {} : { folder: options.folder }
    this.#found = await options.sessions.list({ limit: listMax, archived: this.#archived, quick, ...where })
    if (!quick || this.#found.length > 0) this.#show()
  }

  #show(): void {
    const items = sorted(this.#found, this.#order).map((summary) =>
      sessionItem(summary, this.#stage, this.#all, this.#said.get(summary.id) ?? ""),
    )
    const search: Item = { key: searchKey, label: "Search what was said in all of them …" }
    const all = this.#found.length === 0 ? [] : [...items, search]
    this.#stage.store.dispatch({ type: "dialog.items", id, items: all, title: this.#title() })
  }

  /** Sessions whose words hold what is typed are found by it as well. */
  #typed(text: string): void {
    const own = ++this.#round
    this.#cancelLook()
    if (this.#said.size > 0) {
      this.#said = new Map()
      this.#show()
    }
    if (text.length < saidMin) return
    const { clock, sessions, folder } = this.#stage.options
    const where = this.#all ? {} : { folder }
    const look = (wait: number, tries: number): void => {
      this.#cancelLook = clock.after(wait, () =>
        this.#do(async () => {
          const { hits, unread } = await sessions.search({ text, limit: hitsMax, ...where })
          if (own !== this.#round) return
          const said = hits.filter(({ kind }) => kind !== "title").toReversed()
          this.#said = new Map(said.map((hit) => [hit.session, hit.line.trim()]))
          if (this.#said.size > 0) this.#show()
          if (unread > 0 && tries > 1) look(unreadMs, tries - 1)
        }),
      )
    }
    look(typedMs, unreadTries)
  }

  /** What is still on its way would be shown in the next list. */
  #close(): void {
    this.#round++
    this.#cancelLook()
  }

  #preview(key: string): void {
    const { store, options } = this.#stage
    const show = (text: string): void => store.dispatch({ type: "dialog.preview", id, text })
    const summary = this.#found.find((one) => one.id === key)
    if (summary === undefined || summary.state !== "ok") return show(summary?.note ?? "")
    options.sessions.preview(key).then(
      (preview) => show(previewText(preview)),
      () => show(""),
    )
  }

  #actions(): readonly ItemAction[] {
    const of = (work: (summary: SessionSummary) => void) => (item: Item) => {
      const summary = this.#found.find((one) => one.id === item.key)
      if (summary !== undefined) work(summary)
    }
    return [
      { command: "dialog.scope", label: "all folders", always: () => this.#turn({ all: !this.#all }) },
      { command: "dialog.rename", label: "rename", run: of((summary) => this.#rename(summary)) },
      { command: "dialog.tag", label: "tags", run: of((summary) => this.#tag(summary)) },
      { command: "dialog.delete", label: "delete", run: of((summary) => this.#remove(summary)) },
      { command: "dialog.archive", label: "put away", run: of((summary) => this.#archive(summary)) },
      { command: "dialog.undo", label: "take back", always: () => this.#takeBack() },
      { command: "dialog.sort", label: "order", always: () => this.#turn({}) },
      { command: "dialog.hidden", label: "put away ones", always: () => this.#turn({ archived: !this.#archived }) },
    ]
  }

  #turn(change: { readonly all?: boolean; readonly archived?: boolean }): void {
    if (change.all === undefined && change.archived === undefined) {
      this.#order = orders[(orders.indexOf(this.#order) + 1) % orders.length] ?? "newest"
      return this.#show()
    }
    this.#all = change.all ?? this.#all
    this.#archived = change.archived ?? this.#archived
    this.#do(() => this.#list(false))
  }

  #rename({ id: session, title }: SessionSummary): void {
    const { store, options } = this.#stage
    const rename = async (to: string): Promise<void> => {
      await options.sessions.change(session, { title: to })
      await this.#list(false)
    }
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "sessions.name",
        title: "Name",
        text: "What this session is called in lists:",
        masked: false,
        initial: title,
        submitted: (to) => {
          if (to.trim() === "" || to.trim() === title) return
          this.#undo = { what: "The session has its name back", run: () => rename(title) }
          this.#do(() => rename(to.trim()))
        },
      },
    })
  }

  #tag({ id: session, tags }: SessionSummary): void {
    const { store, options } = this.#stage
    const tag = async (to: readonly string[]): Promise<void> => {
      await options.sessions.change(session, { tags: to })
      await this.#list(false)
    }
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "sessions.tags",
        title: "Tags",
        text: "Words to find this session by, with blanks between them:",
        masked: false,
        initial: tags.join(" "),
        submitted: (text) => {
          const to = tagsFrom(text)
          if (to.join(" ") === tags.join(" ")) return
          this.#undo = { what: "The session has the tags that it had", run: () => tag(tags) }
          this.#do(() => tag(to))
        },
      },
    })
  }

  #archive({ id: session, archived }: SessionSummary): void {
    const { sessions } = this.#stage.options
    const put = async (to: boolean): Promise<void> => {
      await sessions.change(session, { archived: to })
      await this.#list(false)
    }
    this.#undo = { what: archived ? "The session is put away again" : "The session is back", run: () => put(archived) }
    this.#do(async () => {
      await put(!archived)
      this.#stage.say("info", archived ? "The session is in lists again" : "The session is put away")
    })
  }

  #remove({ id: session, title }: SessionSummary): void {
    const { sessions } = this.#stage.options
    this.#do(async () => {
      await sessions.remove(session)
      this.#undo = {
        what: `${title || "The session"} is back`,
        run: async () => {
          await sessions.restore(session)
          await this.#list(false)
        },
      }
      this.#stage.say("info", `${title || "The session"} is deleted; it can be taken back for some days`)
      await this.#list(false)
    })
  }

  #takeBack(): void {
    const undo = this.#undo
    this.#undo = null
    if (undo === null) return this.#stage.say("info", "There is nothing to take back")
    this.#do(async () => {
      await undo.run()
      this.#stage.say("info", undo.what)
    })
  }
}

const select: Command = {
  run(stage, args) {
    new Picker(stage, args.scope === "all").open()
    return true
  },
}

export const pickerCommands = { "session.select": select } as const satisfies Partial<Record<CommandName, Command>>
