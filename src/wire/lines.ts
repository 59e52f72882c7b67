/**
 * What the lines of a connection say, each way.
 *
 * - A client's first line is `hello`. The host answers `hello`, then `opened`, or `refused` and closes.
 * - `id` ties a reply to its request, `watch` a frame to its watch; both are numbers that the client makes and never uses again.
 * - A line of an unknown type is refused by a host where it has an id, and passed over by a client: minor versions may add some.
 */
import type { Command, Cursor, Frame } from "../protocol/port.ts"
import type { Hello, HostCommand, Welcome } from "../protocol/host.ts"
import type { SessionChange, SessionSearch, SessionsPort, SessionsQuery } from "../protocol/sessions.ts"
import { unreachable } from "../std/assert.ts"
import type { Json } from "../std/json.ts"

/** The methods of the sessions' port, as lines. */
export type SessionsCommand =
  | { readonly type: "list"; readonly query: SessionsQuery }
  | { readonly type: "find"; readonly name: string }
  | { readonly type: "search"; readonly query: SessionSearch }
  | { readonly type: "preview" | "remove" | "restore"; readonly id: string }
  | { readonly type: "change"; readonly id: string; readonly change: SessionChange }

/** Carries out one of them. */
export function askSessions(sessions: SessionsPort, command: SessionsCommand): Promise<unknown> {
  switch (command.type) {
    case "list":
      return sessions.list(command.query)
    case "find":
      return sessions.find(command.name)
    case "search":
      return sessions.search(command.query)
    case "preview":
      return sessions.preview(command.id)
    case "change":
      return sessions.change(command.id, command.change)
    case "remove":
      return sessions.remove(command.id)
    case "restore":
      return sessions.restore(command.id)
    default:
      return unreachable(command)
  }
}

/** The sessions' port at the other end of `ask`. */
export function sessionsOver(ask: (command: SessionsCommand) => Promise<unknown>): SessionsPort {
  return {
    list: (query) => ask({ type: "list", query }) as ReturnType<SessionsPort["list"]>,
    find: (name) => ask({ type: "find", name }) as ReturnType<SessionsPort["find"]>,
    search: (query) => ask({ type: "search", query }) as ReturnType<SessionsPort["search"]>,
    preview: (id) => ask({ type: "preview", id }) as ReturnType<SessionsPort["preview"]>,
    change: (id, change) => ask({ type: "change", id, change }) as Promise<void>,
    remove: (id) => ask({ type: "remove", id }) as Promise<void>,
    restore: (id) => ask({ type: "restore", id }) as Promise<void>,
  }
}

export type DownLine =
  | ({ readonly type: "hello" } & Hello)
  | { readonly type: "watch"; readonly watch: number; readonly cursor?: Cursor }
  | { readonly type: "unwatch"; readonly watch: number }
  | { readonly type: "command"; readonly id: number; readonly command: Command }
  | { readonly type: "host"; readonly id: number; readonly command: HostCommand }
  | { readonly type: "sessions"; readonly id: number; readonly command: SessionsCommand }

export type ReplyLine = { readonly type: "reply"; readonly id: number } & (
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly refused: { readonly code: string; readonly message: string } }
  | { readonly ok: false; readonly failed: string }
)

export type FrameLine = Frame & { readonly watch: number }

export type UpLine =
  | ({ readonly type: "hello" } & Welcome)
  | { readonly type: "opened" }
  | { readonly type: "refused"; readonly code: string; readonly message: string }
  | ReplyLine
  | FrameLine
  /** Without a watch: the host goes, or lets this client go. */
  | { readonly type: "lost"; readonly reason: string; readonly watch?: undefined }

const frameTypes: Readonly<Record<Frame["type"], true>> = {
  snapshot: true,
  commit: true,
  progress: true,
  health: true,
  settled: true,
  lost: true,
}

/** True for a frame that this build knows how to fold. */
export function isFrameType(type: unknown): type is Frame["type"] {
  return typeof type === "string" && Object.hasOwn(frameTypes, type)
}
