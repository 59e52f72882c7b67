/** A session for the wire to carry: what it publishes and answers is decided by the test. */
import {
  Refusal,
  snapshotEntries,
  type Answers,
  type Command,
  type Cursor,
  type Frame,
  type Port,
  type PortChange,
  type SessionState,
} from "../../src/protocol/port.ts"
import type { HostPort } from "../../src/protocol/host.ts"
import type { SessionsPort } from "../../src/protocol/sessions.ts"
import type { Service } from "../../src/wire/serve.ts"

export const epoch = 7

export function notice(id: number, text: string): PortChange {
  const data = { kind: "notice", level: "info", code: "test", text } as const
  return { type: "entry", entry: { id, conversation: 1, at: 0, byTask: null, data } }
}

/** One entry a commit, the number of the entry being that of the commit. */
export class ScriptedPort implements Port {
  readonly #log: Frame[] = []
  readonly #listeners = new Set<(frame: Frame) => void>()
  readonly commands: Command[] = []
  closed = 0
  answer: (command: Command) => Promise<unknown> = () => Promise.resolve(null)

  get watchers(): number {
    return this.#listeners.size
  }

  get seq(): number {
    return this.#log.length
  }

  commit(text: string): void {
    const seq = this.#log.length + 1
    this.publish({ type: "commit", seq, at: 0, changes: [notice(seq, text)] })
  }

  publish(frame: Frame): void {
    if (frame.type === "commit") this.#log.push(frame)
    for (const listener of [...this.#listeners]) listener(frame)
  }

  watch(listener: (frame: Frame) => void, cursor?: Cursor): () => void {
    this.#listeners.add(listener)
    if (cursor?.epoch === epoch) for (const frame of this.#log.slice(cursor.seq)) listener(frame)
    else listener({ type: "snapshot", seq: this.seq, state: this.#state() })
    return () => this.#listeners.delete(listener)
  }

  async request<C extends Command>(command: C): Promise<Answers[C["type"]]> {
    this.commands.push(command)
    return (await this.answer(command)) as Answers[C["type"]]
  }

  async close(): Promise<void> {
    this.closed++
  }

  #state(): SessionState {
    const newest = this.#log.slice(-snapshotEntries)
    const changes = newest.flatMap((frame) => (frame.type === "commit" ? frame.changes : []))
    return {
      session: "s1",
      epoch,
      conversations: [],
      entries: changes.flatMap((change) => (change.type === "entry" ? [change.entry] : [])),
      older: [],
      tasks: [],
      submissions: [],
      documents: [],
      spools: [],
      held: null,
      health: { state: "ok", reason: "" },
    }
  }
}

export const hostPort: HostPort = {
  async request<C extends Parameters<HostPort["request"]>[0]>(command: C) {
    const info = { pid: 11, build: "1.2.3", session: "s1", folder: "/f", startedAt: 5, busy: true, clients: 1 }
    return (command.type === "hostInfo" ? info : null) as never
  },
}

export const sessionsPort: SessionsPort = {
  list: async (query) => [
    {
      id: "s1",
      title: "first",
      folder: query.folder ?? "",
      createdAt: 1,
      updatedAt: 2,
      bytes: 3,
      interrupted: false,
      archived: false,
      tags: [],
      holder: null,
      state: "ok",
      note: "",
    },
  ],
  find: async (name) => (name === "s1" ? { status: "one", id: "s1" } : { status: "none", near: [] }),
  search: async ({ after }) => ({ hits: [], more: after === undefined ? "12" : null, unread: 3 }),
  preview: async (id) => ({ input: `asked in ${id}`, answer: "said" }),
  change: async (_, { title = "" }) => {
    if (title === "taken") throw new Refusal("taken", "That name is taken.")
  },
  remove: async () => {},
  restore: async () => {
    throw new Error("It is not there any more.")
  },
}

/** A service that opens `port` for everybody but a client that means the session `missing`; `left` counts who went. */
export function scriptedService(port: Port): { -readonly [Key in keyof Service]: Service[Key] } & { gone(): number } {
  let gone = 0
  return {
    build: "1.2.3",
    pid: 11,
    host: hostPort,
    sessions: sessionsPort,
    async open({ open }) {
      if (open.how === "session" && open.id === "missing")
        throw new Refusal("no_session", "There is no session missing.")
      return open.how === "none" ? null : port
    },
    left: () => void gone++,
    gone: () => gone,
  }
}
