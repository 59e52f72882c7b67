/**
 * An extension with a tool of every effect class. Each effect is a line `tool key` in the file `effects` of the folder that it works in, flushed: what the
 * world knows, whatever the agent remembers.
 */
export const labExtension = `
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { defineTool, errorResult, textResult, Type } from "cairn"

const fileOf = (context) => join(context.cwd, "effects")

const act = (name, context) => {
  const file = openSync(fileOf(context), "a")
  writeSync(file, name + " " + context.key + "\\n")
  fsyncSync(file)
  closeSync(file)
}

const acted = (name, context) =>
  existsSync(fileOf(context)) && readFileSync(fileOf(context), "utf8").split("\\n").includes(name + " " + context.key)

const sleep = (clock, ms) => new Promise((resolve) => clock.after(ms, resolve))

const tool = (name, effect, more = {}) =>
  defineTool({
    name,
    description: "Does it.",
    parameters: Type.Object({}),
    version: 1,
    effect,
    title: () => name,
    execute: async (_args, _intent, context) => {
      context.progress("half of it\\n")
      // What it put out is shown, and so stored, before it acts.
      await sleep(context.clock, 60)
      act(name, context)
      return textResult(name + " is done")
    },
    ...more,
  })

const waits = async (_args, _intent, context) => {
  act("hold", context)
  context.progress("holding\\n")
  if (!context.signal.aborted)
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve, { once: true }))
  return errorResult("let go")
}

const asks = (name) => async (_args, _intent, context) => {
  act(name, context)
  const answer = await context.subagent({ name: "child", prompt: "child" })
  return textResult("the child: " + (answer.status === "answered" ? answer.text : answer.reason))
}

export const extension = {
  api: 1,
  name: "lab",
  tools: [
    tool("look", "pure"),
    tool("post", "keyed"),
    tool("fire", "unsafe"),
    tool("walk", "unsafe", { sequential: true }),
    tool("swap", "reconcile", {
      prepare: async () => ({ ok: true, intent: {} }),
      reconcile: async (_args, _intent, context) =>
        acted("swap", context)
          ? { status: "done", result: textResult("swap is done") }
          : { status: "not started" },
    }),
    tool("hold", "unsafe", { execute: waits }),
    tool("ask", "keyed", { execute: asks("ask") }),
    tool("askOnce", "unsafe", { execute: asks("askOnce") }),
  ],
}
`
