/**
 * bash: a command, its output, its end.
 *
 * - With files, the command runs on its own (`command.ts`) and its output is on disk as it comes; without, or with too little disk, it comes
 *   through a pipe into a bounded memory, and ends with this process.
 * - Timeout and abort end everything that the call started. A call that ends by itself leaves running what it left, and says what that is.
 * - After a restart the command is adopted: followed to its end, or its end is read from its files. Where neither can be (`recover`), what still
 *   runs of the call is ended, and the model gets the output so far. A command is never run twice.
 */
import { Type } from "@sinclair/typebox"
import { stat } from "node:fs/promises"
import type { JsonObject } from "../std/json.ts"
import { noEditor } from "./bash-editor.ts"
import { capturedFile, commandResult } from "./bash-result.ts"
import { adoptCommand, prepareCommand, runCommand } from "./bash-run.ts"
import type { Args } from "./bash-watch.ts"
import type { CommandSpec } from "./command.ts"
import { EndsKeeper } from "./output.ts"
import { endCommand, isAlive, storedIdentity, type Identity } from "./processes.ts"
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
  title: (args) => (typeof args["command"] === "string" ? firstLine(args["command"]) : ""),
  prepare: (_args, context) => prepareCommand(context),
  async execute(args, intent, context) {
    if (context.signal.aborted) return errorResult("Interrupted before it began: the command did not run.")
    const refusal = await refusalOf(args, context.cwd)
    if (refusal !== null) return errorResult(refusal)
    return await runCommand(specOf(args.command, context), args, intent, context)
  },
  adopt: (args, facts, context, intent) => adoptCommand(args, facts, context, intent),
  recover: (args, facts, context) => recover(args, facts, context),
})

function firstLine(command: string): string {
  const [first = "", ...rest] = command.trim().split("\n")
  return rest.length === 0 ? first : `${first} …`
}

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

function specOf(command: string, { cwd, env, key, shell }: ToolContext): CommandSpec {
  const path = env["PATH"]
  return {
    command,
    cwd,
    key,
    shell: shell ?? Bun.which("bash", path === undefined ? {} : { PATH: path }) ?? "/bin/sh",
    env: {
      ...env,
      ...noEditor,
      GIT_TERMINAL_PROMPT: "0",
      PAGER: "cat",
      GIT_PAGER: "cat",
      SSH_ASKPASS_REQUIRE: "never",
      TERM: "dumb",
    },
  }
}

/** After a restart, where nothing better can be told: what still runs is ended, and the outcome is unknown. */
async function recover(args: Args, facts: JsonObject, context: ToolContext): Promise<ToolResult> {
  const { files, key, clock, outputBytesMax = Infinity } = context
  const running = await endCommand(key, aliveLeader(storedIdentity(facts)), clock)
  return commandResult({
    command: args.command,
    ending: { how: "lost" },
    ended: { by: "restart" },
    capture: files === null ? new EndsKeeper().capture() : await capturedFile(files.output),
    running,
    notes: [],
    kept: files === null ? null : { path: files.output, bytesMax: outputBytesMax },
  })
}

function aliveLeader(identity: Identity | null): number | null {
  return identity !== null && isAlive(identity) ? identity.pid : null
}
