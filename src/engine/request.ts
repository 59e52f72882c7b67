/**
 * The request of a turn: built from pinned facts, so that it can be built again.
 *
 * - A pin names the entries, the prompt entry, the model, the thinking level and the encoder. The same pin gives the same bytes with the
 *   same encoder; the hash in the pin tells whether it did.
 * - What hooks changed of it is pinned too: they are not asked again for the same request.
 * - A prompt entry is written when prompt or tools differ from the conversation's newest; it is never changed. How a change of the prompt is told
 *   is in `prompt-told.ts`.
 */
import { assert } from "../std/assert.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { modelName, type Model } from "../providers/model.ts"
import type { Api, Encoded, ModelRequest } from "../providers/provider.ts"
import type { AgentDocument, PromptEntry } from "../protocol/records.ts"
import { offeredNames, specOf, type Edits } from "../tools/registry.ts"
import { promptHash } from "./agent-past.ts"
import type { Core } from "./core.ts"
import { contextEntries, messagesOf } from "./context.ts"
import { patched, patchOf } from "./context-patch.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { append } from "./entries.ts"
import { toldPrompt } from "./prompt-told.ts"
import { toldModel, type Asking } from "./hooks.ts"
import type { RequestPin } from "./task.ts"

export type Built = {
  readonly model: Model
  readonly api: Api
  readonly request: ModelRequest
  readonly encoded: Encoded
  readonly pin: RequestPin
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}

/** The tools of an agent that this build has and its model is offered, in this build's order. */
export function toolSpecs(core: Core, agent: AgentDocument): PromptEntry["tools"] {
  const edits = editsOf(core, agent)
  const names = offeredNames(agent.tools, edits)
  return core.options.tools.filter((tool) => names.includes(tool.name)).map((tool) => specOf(tool, edits))
}

/** How the agent's model changes files. */
export function editsOf(core: Core, agent: AgentDocument): Edits {
  const resolved = core.options.models.resolve(agent.model)
  return resolved.ok ? resolved.model.edits : "replace"
}

/** Id of the conversation's prompt entry, written anew if prompt or tools have changed. */
export async function promptEntry(core: Core, conversation: number, agent: AgentDocument): Promise<number> {
  const tools = toolSpecs(core, agent)
  const system = core.options.instructions.system(tools.map((tool) => tool.name))
  const hash = promptHash(system, tools)
  const before = readDocument(core.ledger.live, conversation, "prompt")
  if (before?.hash === hash) return before.entry
  const receipt = core.ledger.commit("relaxed", (tx) => {
    const entry = append(tx, { conversation }, { kind: "prompt", system, tools })
    writeDocument(tx, conversation, "prompt", { entry: entry.id, hash })
    return entry.id
  })
  await receipt.stored
  return receipt.value
}

/**
 * Names what a prompt cache may hold already: forks begin with what their parent said, and a session that began as a copy was asked under
 * the other one's name until then.
 */
function cacheKey(ledger: Ledger, conversation: number, to: number): string {
  const copied = readDocument(ledger.live, 0, "session")?.parent
  const session = copied !== undefined && to <= copied.entry ? copied.session : ledger.session
  let root = ledger.live.conversations.get(conversation)
  while (root?.parent != null) root = ledger.live.conversations.get(root.parent.conversation)
  return `${session}-c${root?.id ?? conversation}`
}

type Facts = Pick<RequestPin, "from" | "to" | "prompt" | "thinking" | "patch" | "tools">

async function requestOf(core: Core, conversation: number, model: Model, facts: Facts): Promise<ModelRequest> {
  const { entries } = await contextEntries(core.ledger, conversation, facts.to)
  const told = await toldPrompt(core.ledger, conversation, entries, facts.prompt)
  assert(told !== undefined, `e${facts.prompt} is the prompt of a request, but no prompt entry`)
  return {
    model,
    system: told.lead.system,
    tools: told.lead.tools,
    messages: messagesOf(entries, told.changes),
    thinking: facts.thinking,
    cacheKey: cacheKey(core.ledger, conversation, facts.to),
  }
}

async function built(core: Core, plain: ModelRequest, facts: Facts): Promise<Built> {
  const { model } = plain
  const api = await core.options.models.api(model)
  const request = patched(plain, facts.patch)
  const encoded = api.encode(request)
  const body = JSON.stringify(encoded.body)
  const encoder = `${api.name}/${api.encoder}`
  const pin = { model: modelName(model), ...facts, encoder, hash: sha256(body), bytes: Buffer.byteLength(body) }
  return { model, api, request, encoded, pin }
}

/** What a turn is asked with: `chosen` where a hook chose otherwise than the conversation. */
export type TurnAgent = { readonly agent: AgentDocument; readonly chosen: boolean }

/** The request of the next turn, from the conversation as it stands and what hooks make of it. */
export async function newRequest(asking: Asking, model: Model, { agent, chosen }: TurnAgent): Promise<Built> {
  const { core, conversation } = asking
  const prompt = await promptEntry(core, conversation, agent)
  const to = core.ledger.live.tail(conversation)
  const { from } = await contextEntries(core.ledger, conversation, to)
  const facts = { from, to, prompt, thinking: agent.thinking }
  const plain = await requestOf(core, conversation, model, facts)
  const { system, messages } = plain
  const patch = patchOf(plain, await toldModel(asking, { system, messages }))
  const tools = chosen ? plain.tools.map(({ name }) => name) : undefined
  return built(core, plain, { ...facts, patch, tools })
}

/** The request that a pin stands for; `pin` of the answer tells what it came to this time. */
export async function rebuildRequest(core: Core, conversation: number, model: Model, pin: RequestPin): Promise<Built> {
  return built(core, await requestOf(core, conversation, model, pin), pin)
}
