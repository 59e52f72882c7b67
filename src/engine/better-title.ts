/**
 * A better title than the first line of the first input: the model is asked for one, once, when nothing else is to be done.
 *
 * - A name that a person gave stays. A try that fails is not repeated: the first line is a title too.
 * - It is no task: where the process dies meanwhile, the next one asks again. What it costs is counted with the rest.
 */
import type { Live } from "../ledger/ledger.ts"
import { addUsage, noUsage, type Usage } from "../message/usage.ts"
import { textOf, type AssistantMessage } from "../message/message.ts"
import { modelName, type Model } from "../providers/model.ts"
import { ProviderError, type Response } from "../providers/provider.ts"
import type { EntryRecord, SessionDocument } from "../protocol/records.ts"
import { headChars } from "../std/lines.ts"
import type { Core } from "./core.ts"
import { emptyUsage, readDocument, writeDocument } from "./documents.ts"
import { entryRecord } from "./entries.ts"

const root = 1
const system =
  "You name conversations between a person and a coding agent. Answer with a title of at most seven words in the language of the person, and nothing else: no quotes, no full stop."
/** What of the first exchange is told, of each side. */
const told = 1_500
/** A title is short; models that think before they speak need room for that. */
const tokensMax = 400
const titleMax = 80
/** Ids below which the first exchange is looked for: a run that answers later than that is named by its first line. */
const idsMax = 400

/** The session's document where its title is still the first line of an input; else undefined. */
function untitled(live: Live): SessionDocument | undefined {
  const session = readDocument(live, 0, "session")
  return session === undefined || session.title === "" || session.titled === true ? undefined : session
}

/** The first input and the first answer to it; null where there is none yet. */
function exchangeOf(entries: readonly EntryRecord[]): string | null {
  const first = entries.find(({ data }) => data.kind === "user")?.data
  const answer = entries.find(
    ({ data }) =>
      data.kind === "assistant" &&
      "message" in data &&
      data.message.stopReason !== "error" &&
      textOf(data.message) !== "",
  )?.data
  if (first?.kind !== "user" || !("content" in first) || answer?.kind !== "assistant" || !("message" in answer))
    return null
  return `<person>\n${headChars(textOf(first), told)}\n</person>\n<agent>\n${headChars(textOf(answer.message), told)}\n</agent>`
}

async function ask(core: Core, model: Model, exchange: string, signal: AbortSignal): Promise<Response> {
  const { models, settings } = core.options
  const api = await models.api(model)
  const key = await models.key(model)
  if ("problem" in key) throw new ProviderError("auth", "no_key", key.problem)
  const messages = [
    { role: "user" as const, content: [{ type: "text" as const, text: exchange }], timestamp: core.clock.now() },
  ]
  const maxTokens = Math.min(model.maxTokens ?? tokensMax, tokensMax)
  const request = { model, system, tools: [], messages, thinking: "off" as const, maxTokens }
  return api.call(request, api.encode(request), {
    apiKey: key.key,
    headers: model.headers,
    signal,
    clock: core.clock,
    stallMs: settings.stallMs,
    firstByteMs: settings.firstByteMs,
    onDelta: () => {},
  })
}

/** One line, without what models put around a title. */
export function titleFrom(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? ""
  const bare = line.replace(/^[\s#*"'“”„«»`]+|[\s*"'“”„«»`.]+$/g, "").replace(/^title:\s*/i, "")
  return headChars(bare, titleMax)
}

function settle(core: Core, model: Model, title: string, usage: Usage): void {
  core.ledger.commit("relaxed", (tx) => {
    const session = untitled(tx.live)
    if (session !== undefined)
      writeDocument(tx, 0, "session", { ...session, ...(title === "" ? {} : { title }), titled: true })
    const before = readDocument(tx.live, root, "usage") ?? emptyUsage
    const name = modelName(model)
    writeDocument(tx, root, "usage", {
      ...before,
      total: addUsage(before.total, usage),
      models: { ...before.models, [name]: addUsage(before.models[name] ?? noUsage, usage) },
    })
  })
}

/** Asks, where there is something to name and nobody has; never throws for what a provider says. */
export async function betterTitle(core: Core, signal: AbortSignal): Promise<void> {
  const { ledger, options } = core
  if (untitled(ledger.live) === undefined || ledger.health().state !== "ok") return
  const resolved = options.models.resolve(readDocument(ledger.live, root, "agent")?.model ?? "")
  if (!resolved.ok) return
  const page = await ledger.entries({ conversation: root, after: 0, before: idsMax })
  const exchange = exchangeOf(page.map(entryRecord))
  if (exchange === null) return
  let title = ""
  let usage: Usage = noUsage
  try {
    const response = await ask(core, resolved.model, exchange, signal)
    title = titleFrom(textOf({ content: response.content } as AssistantMessage))
    usage = response.usage
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    // Stopped since somebody goes on: it is asked again when nobody does.
    if (signal.aborted) return
  }
  if (!core.closing() && ledger.health().state === "ok") settle(core, resolved.model, title, usage)
}
