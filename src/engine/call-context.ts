/** What a call's tool is given: the machine, the session's files, the model's abilities. Nothing here decides. */
import type { Task } from "../ledger/records.ts"
import type { ToolContext } from "../tools/tool.ts"
import { offeredNames } from "../tools/registry.ts"
import type { Core } from "./core.ts"
import { readDocument } from "./documents.ts"
import type { CallProgress } from "./progress.ts"
import { editsOf } from "./request.ts"
import { callInput, callKind } from "./task.ts"
import { askSubagent } from "./subagent.ts"

/** Names of the tools that the conversation's model may call. */
export function toolNames(core: Core, task: Task): readonly string[] {
  const { tools } = callInput(task)
  if (tools !== undefined) return tools
  const agent = readDocument(core.ledger.live, task.conversation, "agent")
  return agent === undefined ? [] : offeredNames(agent.tools, editsOf(core, agent))
}

export function callContext(core: Core, task: Task, signal: AbortSignal, progress: CallProgress): ToolContext {
  const { machine, models } = core.options
  const agent = readDocument(core.ledger.live, task.conversation, "agent")
  const resolved = agent === undefined ? undefined : models.resolve(agent.model)
  return {
    cwd: machine.folder,
    key: `${core.ledger.session}:${task.id}`,
    signal,
    clock: core.clock,
    env: machine.env,
    files: core.ledger.spools.files(task.id, 1),
    outputBytesMax: core.options.settings.output.maxBytes,
    orphanMs: core.options.settings.orphanMs,
    shell: machine.shell,
    home: machine.home,
    cache: machine.cache,
    refused: machine.refused,
    readable: machine.readable,
    history: core.files.of(task.conversation, task.kind === callKind ? callInput(task).entry : undefined),
    images: resolved?.ok === true && resolved.model.input.includes("image"),
    subagent: (ask) => askSubagent(core, task, ask, signal),
    progress: (text, place) => progress.add(text, place),
    remember: async (fact) => {
      core.at("remember")
      const receipt = core.ledger.commit("flushed", (tx) => {
        const now = tx.live.tasks.get(task.id)
        if (now !== undefined) tx.setTask(task.id, { facts: { ...now.facts, ...fact } })
      })
      await receipt.stored
    },
  }
}
