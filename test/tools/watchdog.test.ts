import { expect, test } from "bun:test"
import { bashTool } from "../../src/tools/bash.ts"
import { eventually } from "../support/eventually.ts"
import { commandLine, processes } from "../support/process.ts"
import { workbench } from "./workbench.ts"

test("how long a command may go on alone is as its settings say", async () => {
  using bench = workbench()
  for (const [orphanMs, seconds] of [
    [90_500, "91"],
    [undefined, "86400"],
  ] as const) {
    const files = bench.files()
    const stop = new AbortController()
    const running = bench.call(
      bashTool,
      { command: "sleep 300", timeout: 200 },
      { files, orphanMs, signal: stop.signal },
    )
    let watch: readonly string[] = []
    await eventually(
      () => {
        const lines = processes().map(({ pid }) => commandLine(pid))
        watch = lines.find((words) => words.includes("cairn-watch") && words.includes(files.status)) ?? []
        return watch.length > 0
      },
      () => "no watchdog comes",
    )
    expect(watch.slice(-3)).toEqual(["200", seconds, "10"])
    stop.abort()
    await running
  }
})
