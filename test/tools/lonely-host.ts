/**
 * A host that runs one command and may be killed at it: `bun lonely-host.ts <folder> <output> <status> <key> <command>`.
 * It prints the facts that it would remember, then the result.
 */
import { systemClock } from "../../src/std/clock.ts"
import { bashTool } from "../../src/tools/bash.ts"
import type { ToolContext } from "../../src/tools/tool.ts"
import { emptyHistory } from "./workbench.ts"

const [cwd = "", output = "", status = "", key = "", command = ""] = process.argv.slice(2)
const context: ToolContext = {
  cwd,
  key,
  signal: new AbortController().signal,
  clock: systemClock,
  env: { PATH: process.env["PATH"] ?? "" },
  files: { output, status, begun: `${status}.begun` },
  home: cwd,
  cache: cwd,
  refused: [],
  readable: [],
  history: emptyHistory,
  images: false,
  progress: () => {},
  remember: (facts) => {
    console.log(JSON.stringify(facts))
    return Promise.resolve()
  },
}
const prepared = await bashTool.prepare?.({ command }, context)
if (prepared?.ok !== true) throw new Error("bash prepares")
const result = await bashTool.execute({ command }, prepared.intent, context)
console.log(JSON.stringify(result))
