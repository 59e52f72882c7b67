/**
 * A host that runs one command and may be killed at it: `bun lonely-host.ts <folder> <output> <status> <key> <command>`.
 * It prints the facts that it would remember, then the result.
 */
import { systemClock } from "../../src/std/clock.ts"
import { bashTool } from "../../src/tools/bash.ts"
import { emptyHistory } from "./workbench.ts"

const [cwd = "", output = "", status = "", key = "", command = ""] = process.argv.slice(2)
const result = await bashTool.execute(
  { command },
  {},
  {
    cwd,
    key,
    signal: new AbortController().signal,
    clock: systemClock,
    env: { PATH: process.env["PATH"] ?? "" },
    files: { output, status },
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
  },
)
console.log(JSON.stringify(result))
