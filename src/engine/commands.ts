/** What clients may ask, one function a command. A command is refused with a sentence; what it changes is one commit. */
import { unreachable } from "../std/assert.ts"
import { ReadOnly } from "../ledger/errors.ts"
import type { Receipt } from "../ledger/ledger.ts"
import { Refusal, snapshotEntries, type Answers, type Command } from "../protocol/port.ts"
import type { AgentDocument, SessionDocument } from "../protocol/records.ts"
import { tagsFrom } from "../protocol/tags.ts"
import { changeAgent } from "./agent-past.ts"
import { addCompaction } from "./compaction.ts"
import { contextRecord } from "./context-record.ts"
import type { Core } from "./core.ts"
import { roomOf } from "./cut.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { append, entryRecord } from "./entries.ts"
import { explainRequest } from "./explain.ts"
import { forkConversation, labelEntry, tipOf } from "./fork.ts"
import { admit, amend, send, withdraw } from "./inbox.ts"
import { output } from "./live-output.ts"
import { markStopped, ownedBy } from "./owned.ts"
import type { Scheduler } from "./scheduler.ts"
import { cleanCommand } from "./secrets.ts"
import { sessionStats } from "./session-stats.ts"
import { runShell } from "./shell.ts"
import { changes, undo } from "./undo.ts"

type Of<T extends Command["type"]> = Extract<Command, { type: T }>

/** Carry out one command. Throws {@link Refusal}. */
export async function answer(core: Core, scheduler: Scheduler, command: Command): Promise<Answers[Command["type"]]> {
  const { redact } = core.options
  try {
    return await carriedOut(core, scheduler, redact === undefined ? command : cleanCommand(command, redact))
  } catch (error) {
    if (!(error instanceof ReadOnly)) throw error
    throw new Refusal("read_only", `Nothing can be changed here: ${error.message}.`)
  }
}

/** Answers when it is stored. */
async function kept<T>({ stored, value }: Receipt<T>): Promise<T> {
  await stored
  return value
}

async function carriedOut(core: Core, scheduler: Scheduler, command: Command): Promise<Answers[Command["type"]]> {
  switch (command.type) {
    case "submit":
      refuseUnsaved(core)
      return kept(admit(core.ledger, command))
    case "withdraw":
      return kept(withdraw(core.ledger, command.submission))
    case "amend":
      return kept(amend(core.ledger, command.submission, { content: command.content, mode: command.mode }))
    case "send":
      return kept(send(core.ledger, command.conversation))
    case "abort":
      return abort(core, command)
    case "retryNow":
      scheduler.wake(command.conversation)
      return null
    case "resume":
      scheduler.release()
      return null
    case "configure":
      return configure(core, command)
    case "title":
      return title(core, command)
    case "archive":
      return setSession(core, { archived: command.archived })
    case "tag":
      return setSession(core, { tags: tagsFrom(command.tags.join(" ")) })
    case "compact":
      return compact(core, command)
    case "shell":
      return runShell(core, command)
    case "changes":
      return changes(core, command)
    case "undo":
      return undo(core, command)
    case "entries":
      return entries(core, command)
    case "output":
      return output(core, command)
    case "search":
      return core.searches.search(command)
    case "screen":
      return keepScreen(core, command)
    case "models":
      return core.options.models.list()
    case "tools":
      return core.options.tools.map(({ name, description }) => ({ name, description }))
    case "stats":
      return sessionStats(core)
    case "reload":
      return { notices: (await core.options.instructions.reload?.()) ?? [] }
    case "context":
      return contextRecord(core, command.conversation)
    case "fork":
      return forkConversation(core, command)
    case "label":
      return labelEntry(core, command)
    case "request":
      return explainRequest(core, command)
    default:
      return unreachable(command)
  }
}

/** What a screen keeps of itself is not worth a word where nothing can be kept. */
function keepScreen(core: Core, { client, value }: Of<"screen">): null {
  if (core.ledger.health().state === "read-only") return null
  core.ledger.commit("relaxed", (tx) => tx.setDocument(0, `screen/${client}`, value, 1))
  return null
}

/** While the disk takes nothing an input would wait for it, and its client would not know: its draft is the safer place. */
function refuseUnsaved(core: Core): void {
  const health = core.ledger.health()
  if (health.state !== "waiting") return
  const text = `The session cannot be saved now (${health.reason}), so this was not taken. Send it again when it can.`
  throw new Refusal("not_saved", text)
}

/** The durable mark that stops a conversation's work, and that of all it owns; it does nothing to an idle one. */
async function abort(core: Core, command: Of<"abort">): Promise<null> {
  const receipt = core.ledger.commit("flushed", (tx) => {
    markStopped(tx, ownedBy(tx.live, command.conversation), "stopped")
  })
  await receipt.stored
  return null
}

async function compact(core: Core, command: Of<"compact">): Promise<null> {
  const { conversation, focus } = command
  if (readDocument(core.ledger.live, conversation, "run") !== undefined) {
    throw new Refusal("busy", "The agent is working: compact when it is done, or stop it first.")
  }
  const agent = readDocument(core.ledger.live, conversation, "agent")
  const resolved = core.options.models.resolve(agent?.model ?? "")
  const room = roomOf(resolved.ok ? resolved.model.contextWindow : undefined, core.options.settings.compaction)
  const receipt = core.ledger.commit("flushed", (tx) => {
    const to = tipOf(core.ledger, conversation)
    addCompaction(tx, conversation, null, { reason: "manual", focus: focus ?? "", to, keep: room.keep })
  })
  await receipt.stored
  return null
}

async function configure(core: Core, command: Of<"configure">): Promise<Answers["configure"]> {
  const { conversation, model, thinking, tools } = command
  const agent = readDocument(core.ledger.live, conversation, "agent")
  if (agent === undefined) throw new Refusal("no_conversation", `There is no conversation c${conversation} here.`)
  const resolved = model === undefined ? undefined : core.options.models.resolve(model)
  if (resolved?.ok === false) throw new Refusal("no_model", resolved.problem)
  const unknown = tools?.filter((name) => !core.options.tools.some((tool) => tool.name === name)) ?? []
  if (unknown.length > 0) {
    const all = core.options.tools.map((tool) => tool.name).join(", ")
    throw new Refusal("no_tool", `There is no tool named ${unknown.join(", ")}. The tools are: ${all}.`)
  }
  const name = resolved?.ok === true ? `${resolved.model.provider}/${resolved.model.id}` : agent.model
  const next: AgentDocument = { model: name, thinking: thinking ?? agent.thinking, tools: tools ?? agent.tools }
  const receipt = core.ledger.commit("flushed", (tx) => {
    changeAgent(tx, conversation, next)
    if (next.model !== agent.model || next.thinking !== agent.thinking) {
      append(tx, { conversation }, { kind: "model", model: next.model, thinking: next.thinking })
    }
  })
  await receipt.stored
  return { notice: resolved?.ok === true ? resolved.notice : undefined }
}

async function setSession(core: Core, change: Pick<SessionDocument, "archived" | "tags">): Promise<null> {
  const session = readDocument(core.ledger.live, 0, "session")
  if (session === undefined) throw new Refusal("no_session", "Nothing was ever said in this session.")
  const receipt = core.ledger.commit("flushed", (tx) => writeDocument(tx, 0, "session", { ...session, ...change }))
  await receipt.stored
  return null
}

async function title(core: Core, command: Of<"title">): Promise<null> {
  const session = readDocument(core.ledger.live, 0, "session")
  const text = command.title.trim()
  if (session === undefined || text === "") throw new Refusal("empty_title", "The name is empty: write one.")
  const receipt = core.ledger.commit("flushed", (tx) =>
    writeDocument(tx, 0, "session", { ...session, title: text, titled: true }),
  )
  await receipt.stored
  return null
}

async function entries(core: Core, command: Of<"entries">): Promise<Answers["entries"]> {
  const { conversation, before, after } = command
  const limit = Math.max(1, Math.min(command.limit, 5 * snapshotEntries))
  const page = await core.ledger.entries({ conversation, before, after, limit: limit + 1 })
  return { entries: page.slice(-limit).map(entryRecord), older: page.length > limit }
}
