/**
 * bash: a command, its output, its end.
 *
 * - With files, the command runs on its own (`command.ts`) and its output is on disk as it comes; without, or with too little disk, it comes
 *   through a pipe into a bounded memory, and ends with this process.
 * - Timeout and abort end everything that the call started. A call that ends by itself leaves running what it left, and says what that is.
 * - After a restart (`recover`) what still runs of the call is ended, and the model gets the output so far: a command is never run twice.
 */
import { Type } from "@sinclair/typebox"
import { stat } from "node:fs/promises"
import type { JsonObject } from "../std/json.ts"
import { capturedFile, commandResult } from "./bash-result.ts"
import { runCommand, type Args } from "./bash-run.ts"
import { readStatus, type CommandSpec } from "./command.ts"
import { EndsKeeper } from "./output.ts"
import { endCommand, isAlive, processTable, storedIdentity, type Identity } from "./processes.ts"
import { defineTool, errorResult, type ToolContext, type ToolResult } from "./tool.ts"

/** The system takes at most 128 KiB for one string of an environment or of arguments. */
const commandBytesMax = 120_000

const parameters = Type.Object({
  command: Type.String(),
  timeout: Type.Optional(Type.Number({ description: "Seconds" })),
})

export const bashTool = defineTool({
  name: "bash",
  description:
    "Run a shell command: no terminal, no input. Long output is cut in the middle and kept in a file that the result names.",
  parameters,
  version: 1,
  effect: "unsafe",
  title: (args) => (typeof args["command"] === "string" ? args["command"] : ""),
  async execute(args, _intent, context) {
    if (context.signal.aborted) return errorResult("Interrupted before it began: the command did not run.")
    const refusal = await refusalOf(args, context.cwd)
    if (refusal !== null) return errorResult(refusal)
    return await runCommand(specOf(args.command, context), args, context)
  },
  recover: (args, facts, context) => recover(args, facts, context),
})

async function refusalOf({ command }: Args, cwd: string): Promise<string | null> {
  if (command.trim() === "") return "The command is empty."
  if (command.includes("\0")) return "The command has a NUL character in it."
  const bytes = Buffer.byteLength(command)
  if (bytes > commandBytesMax)
    return `The command has ${bytes} bytes and may have ${commandBytesMax}: write it to a file, and run that.`
  const isFolder = await stat(cwd).then(
    (info) => info.isDirectory(),
    () => false,
  )
  return isFolder ? null : `The folder of this conversation, ${cwd}, is gone. The person can move it with /cd.`
}

/** Programs that would ask someone are told that nobody is there. */
const nobody = `sh -c 'echo "There is no editor here: give the text on the command line." >&2; exit 1' --`

function specOf(command: string, { cwd, env, key, shell }: ToolContext): CommandSpec {
  const path = env["PATH"]
  return {
    command,
    cwd,
    key,
    shell: shell ?? Bun.which("bash", path === undefined ? {} : { PATH: path }) ?? "/bin/sh",
    env: {
      ...env,
      GIT_TERMINAL_PROMPT: "0",
      GIT_EDITOR: nobody,
      EDITOR: nobody,
      VISUAL: nobody,
      PAGER: "cat",
      GIT_PAGER: "cat",
      SSH_ASKPASS_REQUIRE: "never",
      TERM: "dumb",
    },
  }
}

/** At a restart: the truth where the status file has it; else what still runs is ended, and the outcome is unknown. */
async function recover(args: Args, facts: JsonObject, context: ToolContext): Promise<ToolResult> {
  const { files, key, clock } = context
  const identity = storedIdentity(facts)
  const status = files === null ? null : readStatus(files.status)
  const capture = files === null ? new EndsKeeper().capture() : await capturedFile(files.output)
  const kept = files === null ? null : (files.kept ?? files.output)
  const { command } = args
  if (status !== null) {
    const running = processTable.commandProcesses(key, aliveLeader(identity))
    return commandResult({ command, ending: status, ended: { by: "itself" }, capture, running, notes: [], kept })
  }
  const running = await endCommand(key, aliveLeader(identity), clock)
  const last = files === null ? capture : await capturedFile(files.output)
  return commandResult({
    command,
    ending: { how: "lost" },
    ended: { by: "restart" },
    capture: last,
    running,
    notes: [],
    kept,
  })
}

function aliveLeader(identity: Identity | null): number | null {
  return identity !== null && isAlive(identity) ? identity.pid : null
}
