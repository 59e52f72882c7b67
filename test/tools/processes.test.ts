import { expect, test } from "bun:test"
import { systemClock } from "../../src/std/clock.ts"
import { endCommand, linuxTable, type Found, type ProcessTable } from "../../src/tools/processes.ts"

test("a stop that meets our own shell just before it becomes the command is heard by the command", async () => {
  await using command = Bun.spawn(["sleep", "300"])
  const { pid } = command
  // No such process is: a signal to its group is heard by nobody, as one that our shell lets pass.
  const leader = 2 ** 22 - 1
  let looks = 0
  const table: ProcessTable = {
    ...linuxTable,
    startTime: () => null,
    commandProcesses(): readonly Found[] {
      if (linuxTable.startTime(pid) === null) return []
      return [{ pid, group: leader, command: looks++ === 0 ? "/bin/sh -c …" : "sleep 300" }]
    },
  }
  expect(await endCommand("asked:1", leader, systemClock, table)).toEqual([])
  await command.exited
  expect(command.signalCode).toBe("SIGTERM")
})
