/** What hooks say around a turn: what it is asked with, whether the run ends after it, whether it goes on. Reads, and decides nothing itself. */
import type { Task } from "../ledger/records.ts"
import { assert } from "../std/assert.ts"
import { readDocument } from "./documents.ts"
import { dataOf } from "./entries.ts"
import { continuation, hooksAt, stopAfterTurn, tellFailure, turnChoices, type Asking } from "./hooks.ts"
import type { TurnAgent } from "./request.ts"
import { generationState } from "./task.ts"

/** How often a run may be made to go on: more is a hook that never has enough. */
const continuationsMax = 25

function turnOf({ core, conversation }: Asking): number {
  return readDocument(core.ledger.live, conversation, "run")?.turn ?? 1
}

/** The conversation's choices, or what hooks choose instead for the next turn. */
export async function turnAgent(asking: Asking): Promise<TurnAgent> {
  const { core, conversation } = asking
  const agent = readDocument(core.ledger.live, conversation, "agent")
  assert(agent !== undefined, `conversation ${conversation} has no agent document`)
  if (hooksAt(core, "nextTurn").length === 0) return { agent, chosen: false }
  const { model, thinking, tools } = agent
  const choices = await turnChoices(asking, { model, thinking, tools }, turnOf(asking))
  return { agent: { ...agent, ...choices }, chosen: !Bun.deepEquals(choices, { model, thinking, tools }) }
}

/** Why the run ends after this turn; undefined where it goes on. */
export async function stopOf(asking: Asking, task: Task): Promise<string | undefined> {
  const { core, conversation } = asking
  const state = generationState(task)
  if (hooksAt(core, "stopAfterTurn").length === 0 || state.phase !== "tools") return undefined
  const entries = await core.ledger.entries({ conversation, after: state.entry })
  const results = entries
    .map(dataOf)
    .filter((data) => data?.kind === "toolResult")
    .map(({ message }) => message)
  const stop = await stopAfterTurn(asking, { turn: turnOf(asking), results })
  return stop === undefined ? undefined : `${stop.by} ended the run after this turn: ${stop.why}`
}

/** What the run goes on with; undefined where it ends with its answer. */
export async function moreOf(asking: Asking, task: Task): Promise<string | undefined> {
  const { core, conversation } = asking
  const state = generationState(task)
  if (state.phase !== "yield") return undefined
  const run = readDocument(core.ledger.live, conversation, "run")
  const inputs = (run?.submissions ?? []).map((id) => core.ledger.live.submissions.get(id)?.requestId ?? "")
  if (inputs.filter((id) => id.startsWith("continue:")).length >= continuationsMax) {
    const names = hooksAt(core, "continueRun").map(({ name }) => name)
    tellFailure(
      asking,
      names.join(", "),
      "continueRun",
      `the run was made to go on ${continuationsMax} times, and ends here`,
    )
    return undefined
  }
  const entry = await core.ledger.entry(state.entry)
  const data = entry === undefined ? undefined : dataOf(entry)
  if (data?.kind !== "assistant") return undefined
  return continuation(asking, { turn: turnOf(asking), answer: data.message })
}
