/**
 * Subagents: a conversation that a call owns, asked once and waited for.
 *
 * - What is asked is named by the call and a name of the caller's, so a call that runs again after a crash finds the same conversation and the
 *   same input: one child, one answer. The child goes on by itself meanwhile.
 * - A stop of the call is a stop of the child, durably; a child whose call has ended otherwise is stopped (owned.ts).
 * - A subagent may have subagents, to a depth.
 */
import { assert } from "../std/assert.ts"
import type { Live, Tx } from "../ledger/ledger.ts"
import type { Conversation, Submission, SubmissionId, Task } from "../ledger/records.ts"
import { textOf } from "../message/message.ts"
import type { AgentDocument } from "../protocol/records.ts"
import type { SubagentAnswer, SubagentAsk } from "../tools/tool.ts"
import type { Core } from "./core.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { dataOf } from "./entries.ts"
import { markStopped, ownedBy } from "./owned.ts"
import { startRun } from "./run.ts"
import { callInput } from "./task.ts"

/** A model that asks a model that asks a model: more is a loop that nobody wanted. */
const depthMax = 3

/** Ask, and wait for the answer. Rejects while the engine closes: the call is asked again by whoever opens next. */
export async function askSubagent(
  core: Core,
  task: Task,
  ask: SubagentAsk,
  signal: AbortSignal,
): Promise<SubagentAnswer> {
  const requestId = `t${task.id}/${ask.name ?? ""}`
  const found = await childOf(core, task, requestId)
  if (found === undefined && depthOf(core.ledger.live, task.conversation) >= depthMax)
    return { status: "unanswered", reason: `subagents go ${depthMax} deep at most`, conversation: 0 }
  const child = found ?? (await begin(core, task, ask, requestId))
  const ended = await settled(core, child, signal)
  const { conversation, status, answer, reason } = ended
  if (status !== "done" || answer === null) return { status: "unanswered", reason: reason ?? status, conversation }
  const entry = await core.ledger.entry(answer)
  const data = entry === undefined ? undefined : dataOf(entry)
  return { status: "answered", text: data?.kind === "assistant" ? textOf(data.message) : "", conversation }
}

function depthOf(live: Live, conversation: number): number {
  let depth = 0
  for (let at = live.conversations.get(conversation); at?.owner != null; depth++)
    at = live.conversations.get(at.owner.conversation)
  return depth
}

function childrenOf(live: Live, task: Task): readonly Conversation[] {
  return [...live.conversations.values()].filter(({ owner }) => owner?.task === task.id)
}

async function childOf(core: Core, task: Task, requestId: string): Promise<Submission | undefined> {
  for (const { id } of childrenOf(core.ledger.live, task)) {
    const found = await core.ledger.submissionByRequest(id, requestId)
    if (found !== undefined) return found
  }
  return undefined
}

/** The conversation, its agent, its input and its run, in one commit. */
async function begin(core: Core, task: Task, ask: SubagentAsk, requestId: string): Promise<Submission> {
  const receipt = core.ledger.commit("flushed", (tx) => {
    const { id } = tx.addConversation({ parent: null, owner: { conversation: task.conversation, task: task.id } })
    writeDocument(tx, id, "agent", agentFor(tx, task, ask))
    const content = [{ type: "text", text: ask.prompt }] as const
    const data = { content, mode: "followUp" }
    const { submission } = tx.submit({ conversation: id, requestId, kind: "input", data })
    startRun(tx, id, [submission])
    return submission
  })
  await receipt.stored
  return receipt.value
}

function agentFor(tx: Tx, task: Task, { model, thinking, tools }: SubagentAsk): AgentDocument {
  const parent = readDocument(tx.live, task.conversation, "agent")
  assert(parent !== undefined, `conversation ${task.conversation} has no agent document`)
  const own = callInput(task).name
  return {
    model: model ?? parent.model,
    thinking: thinking ?? parent.thinking,
    tools: tools ?? parent.tools.filter((name) => name !== own),
  }
}

/** The input as it ended; stops its work where the call is stopped. */
async function settled(core: Core, child: Submission, signal: AbortSignal): Promise<Submission> {
  const stop = (): void => {
    if (core.closing()) return
    core.ledger.commit("flushed", (tx) => markStopped(tx, ownedBy(tx.live, child.conversation), "stopped"))
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = (): void => {
    if (!core.ledger.live.submissions.has(child.id)) resolve()
  }
  const unwatch = core.ledger.watch(look)
  const onAbort = (): void => (core.closing() ? reject(new Error("the engine closes")) : stop())
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    look()
    if (signal.aborted) onAbort()
    await promise
  } finally {
    unwatch()
    signal.removeEventListener("abort", onAbort)
  }
  return endOf(core, child.id)
}

async function endOf(core: Core, id: SubmissionId): Promise<Submission> {
  const found = await core.ledger.submission(id)
  assert(found !== undefined, `s${id} was asked`)
  return found
}
