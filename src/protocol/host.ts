/**
 * What a client and a host say to each other beside a session's port: who they are, which session is meant, and when to go.
 *
 * - The first line of a client is its `Hello`. This line and its answer are read by every version, also by one that then refuses.
 * - A host holds one session, or none before the first accepted input.
 * - A host that is asked to stop answers first, then tells its clients by a `lost` frame, and goes.
 */

/** Which session a client means. A host that holds another one refuses. */
export type OpenChoice =
  /** The one that this host holds. */
  | { readonly how: "held" }
  /** None: the client only asks about the host, and neither counts as a client nor keeps the host. */
  | { readonly how: "none" }
  | { readonly how: "session"; readonly id: string }
  | { readonly how: "newest"; readonly folder: string }
  | { readonly how: "new"; readonly folder: string }

/** `build` is the program's version; `client` names the screen state of this client (`main` unless it was named). */
export type Hello = {
  readonly protocol: number
  readonly build: string
  readonly client: string
  readonly open: OpenChoice
}

/** The host's answer to a hello, before it opens anything. */
export type Welcome = { readonly protocol: number; readonly build: string; readonly pid: number }

export type HostInfo = {
  readonly pid: number
  readonly build: string
  /** Null before the first accepted input of a new session. */
  readonly session: string | null
  readonly folder: string
  readonly startedAt: number
  /** A run is going. */
  readonly busy: boolean
  readonly clients: number
}

export const stopHows = ["idle", "work", "pending"] as const
/**
 * How a host ends: `idle` once its work has ended, `work` ends the work too (a durable abort), `pending` at once, leaving the work to whoever
 * opens the session next.
 */
export type StopHow = (typeof stopHows)[number]

export type HostCommand =
  | { readonly type: "hostInfo" }
  | { readonly type: "stop"; readonly how: StopHow }
  /**
   * Give the session to the process `successor`: at the next turn boundary, or with `now` at once, and what is asked then is asked again. Answered
   * when the session is closed; only that process may open it then, for a few seconds, after which the old host takes it back.
   */
  | { readonly type: "handOver"; readonly successor: number; readonly now: boolean }

export type HostAnswers = {
  hostInfo: HostInfo
  stop: null
  handOver: null
}

/** Errors are those of a session's port: a `Refusal` is a no, anything else means that the host could not be reached. */
export type HostPort = {
  request<C extends HostCommand>(command: C): Promise<HostAnswers[C["type"]]>
}
