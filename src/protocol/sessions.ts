/**
 * The sessions on this disk, for pickers and commands; what is inside one goes over its own port.
 *
 * - Lists come from a cache that is rebuilt when missing, stale or damaged; a damaged session is listed as such and hides no other.
 */
export type SessionSummary = {
  readonly id: string
  readonly title: string
  readonly folder: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly bytes: number
  /** Work that had not ended when the session was last written. */
  readonly interrupted: boolean
  /** Pid of the process that holds it now. */
  readonly holder: number | null
  readonly state: "ok" | "damaged" | "newer"
  readonly note: string
}

/** What a person types to name a session, resolved: one, none (with near ones), or several. */
export type Found =
  | { readonly status: "one"; readonly id: string }
  | { readonly status: "none"; readonly near: readonly SessionSummary[] }
  | { readonly status: "several"; readonly ids: readonly string[] }

export type SessionsPort = {
  /** Newest first. `folder`: only those of that real path. */
  list(query: { readonly folder?: string; readonly limit?: number }): Promise<readonly SessionSummary[]>
  find(name: string): Promise<Found>
}
