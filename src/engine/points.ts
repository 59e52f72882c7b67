/**
 * The named moments of the engine, around each effect; those around commits are the ledger's.
 *
 * - Each effect has one before and one after it: an end of the process at either must cost nothing.
 */
export const enginePoints = [
  // The request of a turn is sent; its answer has come and is not stored.
  "ask",
  "answered",
  // A call is prepared (temporary files, kept contents); its intent is not stored.
  "prepare",
  "prepared",
  // The mark of a call is stored and nothing has happened; its effect has happened and its result is not stored.
  "effect",
  "effected",
  // A command runs, and what would find it again is not stored.
  "remember",
  // A call that was marked by a host before this one is asked after; its end is known and not stored.
  "inherit",
  "inherited",
  // A cut output is kept in full; its result is not stored.
  "keep",
  "kept",
  // The result of a call is stored, and its spool still stands.
  "settled",
  // Progress goes to the spool; it is there, and nobody has been told.
  "append",
  "appended",
  // A summary is asked for; it has come and is not stored.
  "summarize",
  "summarized",
] as const

export type EnginePoint = (typeof enginePoints)[number]
