/**
 * What becomes of each thing in a conversation when it goes to a model: the one that said it, or another. `history.ts` acts by this table.
 *
 * - `kept`: byte for byte. `mapped`: into what the target takes, the same for all that refers to it. `told`: a sentence stands in its place.
 *   `dropped`: nothing is left.
 * - "The same" is the same provider, format and model: signatures and sealed reasoning are of use to nobody else, and most hosts refuse those
 *   of others. Reasoning of others is not told as tagged text either: models then write such tags themselves.
 */
export type Fate = "kept" | "mapped" | "told" | "dropped"

export const handoff = {
  /** What was said. */
  text: { same: "kept", other: "kept" },
  /** The vendor's id or seal of a text. */
  textSignature: { same: "kept", other: "dropped" },
  /** Reasoning that can be read, with its seal or the name of its field. */
  thinking: { same: "kept", other: "dropped" },
  /** Reasoning that cannot. */
  redactedThinking: { same: "kept", other: "dropped" },
  call: { same: "kept", other: "kept" },
  /** The vendor's seal of a call, or its own id of it. */
  callSignature: { same: "kept", other: "dropped" },
  /** Ids of calls and of their results, and names of tools: kept where they fit and are used once. */
  callId: { same: "mapped", other: "mapped" },
  toolName: { same: "mapped", other: "mapped" },
  /** Text that was to be arguments and is none: the call has none, and its result says so. */
  brokenArguments: { same: "told", other: "told" },
  /** A call that has no result. */
  missingResult: { same: "told", other: "told" },
  /** A picture, for a model that sees and for one that does not. */
  image: { same: "kept", other: "kept" },
  unseenImage: { same: "told", other: "told" },
  /** An answer that was stopped or that failed, with all that is in it. */
  attempt: { same: "dropped", other: "dropped" },
  /** A summary of what a compaction left out, and a command that the person ran: words of the person. */
  summary: { same: "told", other: "told" },
} as const satisfies Readonly<Record<string, { readonly same: Fate; readonly other: Fate }>>

/** Whether `thing` goes along. */
export function goes(thing: keyof typeof handoff, same: boolean): boolean {
  return handoff[thing][same ? "same" : "other"] !== "dropped"
}
