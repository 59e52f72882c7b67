/** What a person writes for a key: `$NAME` (environment), `!command` (what it prints), or the key itself. */
import type { Clock } from "../std/clock.ts"
import { variableNamed, type Env } from "./env.ts"

/** Password managers may ask for a finger; one that never answers is ended. */
const commandMsMax = 60_000

export type KeyValue =
  | { readonly kind: "literal"; readonly key: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "command"; readonly command: string }

/** `$$` and `$!` at the start are a literal dollar and exclamation mark. */
export function parseKey(text: string): KeyValue {
  const name = variableNamed(text)
  if (name !== undefined) return { kind: "variable", name }
  if (text.startsWith("!")) return { kind: "command", command: text.slice(1).trim() }
  return { kind: "literal", key: text.startsWith("$$") || text.startsWith("$!") ? text.slice(1) : text }
}

export type KeyResult = { readonly key: string } | { readonly problem: string }

/** Runs a key's command: what it printed, or a sentence. Its output never stands in a message. */
export type RunCommand = (command: string) => Promise<{ readonly output: string } | { readonly problem: string }>

/** The key that `text` stands for. `whose` names it in messages. */
export async function readKey(text: string, whose: string, env: Env, run: RunCommand): Promise<KeyResult> {
  const value = parseKey(text)
  if (value.kind === "literal") return { key: value.key }
  if (value.kind === "variable") {
    const key = env[value.name]
    return key === undefined || key === ""
      ? { problem: `The key of ${whose} is to come from $${value.name}, which is not set.` }
      : { key }
  }
  const ran = await run(value.command)
  if ("problem" in ran) return { problem: `The command for the key of ${whose} failed: ${ran.problem}` }
  const key = ran.output.trim()
  return key === "" ? { problem: `The command for the key of ${whose} printed nothing.` } : { key }
}

/** Runs commands with the person's shell and environment. */
export function commandRunner(env: Env, clock: Clock): RunCommand {
  return async (command) => {
    const child = Bun.spawn(["/bin/sh", "-c", command], { env, stdin: "ignore", stdout: "pipe", stderr: "ignore" })
    let late = false
    const cancel = clock.after(commandMsMax, () => {
      late = true
      child.kill("SIGKILL")
    })
    const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited])
    cancel()
    if (late) return { problem: `it did not end within ${commandMsMax / 1_000} seconds.` }
    return code === 0 ? { output } : { problem: `it ended with exit status ${code}.` }
  }
}
