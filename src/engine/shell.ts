/**
 * Commands that the person runs (`!`, `!!`), through the same tool as the model's.
 *
 * - One at a time in a conversation; what it printed and how it ended is an entry, told to the model with the next input unless excluded.
 * - It does not outlive its host: it runs through a pipe, and its output is capped by the tool.
 */
import type { JsonObject } from "../std/json.ts"
import { isObject } from "../std/json.ts"
import { textOf } from "../message/message.ts"
import { Refusal, type Answers, type Command } from "../protocol/port.ts"
import type { Core } from "./core.ts"
import { append } from "./entries.ts"

const running = new WeakSet<Core>()

function exitOf(details: unknown): number | null {
  return isObject(details) && typeof details.exit === "number" ? details.exit : null
}

export async function runShell(core: Core, command: Extract<Command, { type: "shell" }>): Promise<Answers["shell"]> {
  const tool = core.options.tools.find((candidate) => candidate.name === "bash")
  if (tool === undefined) throw new Refusal("no_tool", "This agent has no bash tool, so commands cannot be run here.")
  if (running.has(core)) throw new Refusal("shell_busy", "A command of yours is still running: wait for it or stop it.")
  running.add(core)
  const started = core.clock.monotonic()
  try {
    const { machine } = core.options
    const args: JsonObject = { command: command.command }
    const result = await tool.execute(
      args,
      {},
      {
        cwd: machine.folder,
        key: `${core.ledger.session}:shell`,
        signal: new AbortController().signal,
        clock: core.clock,
        env: machine.env,
        files: null,
        shell: machine.shell,
        home: machine.home,
        refused: machine.refused,
        readable: machine.readable,
        history: core.files.of(command.conversation),
        images: false,
        progress: () => {},
        remember: async () => {},
      },
    )
    const output = textOf(result)
    const exit = exitOf(result.details)
    const durationMs = Math.round(core.clock.monotonic() - started)
    const { conversation, excluded } = command
    const receipt = core.ledger.commit("flushed", (tx) =>
      append(tx, { conversation }, { kind: "shell", command: command.command, output, exit, excluded, durationMs }),
    )
    await receipt.stored
    return { entry: receipt.value.id, output, exit }
  } finally {
    running.delete(core)
  }
}
