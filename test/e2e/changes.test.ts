/** The changes of a run, read hunk by hunk on the screen of the executable, taken back one by one, and opened in the person's own editor. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer

const text = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("")

function script({ lastUser, results }: ModelRequest): Reply {
  if (results.length > 0) return { text: `done with ${lastUser}` }
  const change = (from: string, to: string) => ({ oldText: `${from}\n`, newText: `${to}\n` })
  const edits =
    lastUser === "first" ? [change("line 3", "LINE 3"), change("line 27", "LINE 27")] : [change("line 15", "LINE 15")]
  return {
    toolCalls: [
      { name: "read", args: { path: "a.txt" } },
      { name: "edit", args: { path: "a.txt", edits } },
    ],
  }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

async function say(terminal: Terminal, words: string): Promise<void> {
  await terminal.type(words)
  await terminal.shows(`› ${words}`)
  await terminal.keys("Enter")
}

/** What the panel shows: its title, and lines that are in it or not. Other panels show the same changes. */
async function shown(
  terminal: Terminal,
  title: string,
  has: readonly string[],
  hasNot: readonly string[],
): Promise<void> {
  await terminal.shows((rows) => {
    const from = rows.findIndex((row) => row.includes(`│ ${title}`))
    const column = rows[from]?.indexOf(`│ ${title}`) ?? 0
    const panel = rows
      .slice(Math.max(0, from))
      .map((row) => row.slice(column))
      .join("\n")
    return from !== -1 && has.every((line) => panel.includes(line)) && !hasNot.some((line) => panel.includes(line))
  })
}

test("a run's changes are read, one hunk is taken back, and another opens at its line in the person's editor; all runs show together", async () => {
  using machine = localMachine(server, { betterTitles: false })
  const file = join(machine.work, "a.txt")
  writeFileSync(file, text)
  const opened = join(machine.work, "opened")
  const editor = join(machine.work, "editor")
  writeFileSync(editor, `#!/bin/sh\necho "$@" > '${opened}'\n`)
  chmodSync(editor, 0o755)
  await using terminal = await openTerminal({
    command: [await builtBinary()],
    env: { ...machine.env, EDITOR: editor },
    cwd: machine.work,
    width: 140,
    height: 40,
  })
  await terminal.shows("Ask anything")
  await say(terminal, "first")
  await terminal.shows("done with first")
  await say(terminal, "second")
  await terminal.shows("done with second")
  await say(terminal, "/changes")
  await shown(terminal, "changes: 1 file +1 −1", ["15 + LINE 15", "@@ -12,7 +12,7 @@"], ["LINE 27"])
  // From the editor back to the last panel.
  await terminal.keys("C-x", "Left")
  await terminal.keys("<")
  await shown(terminal, "changes: 1 file +2 −2", [" 3 + LINE 3", "27 + LINE 27"], ["LINE 15"])
  await terminal.keys("a")
  await shown(terminal, "all changes: 1 file +3 −3", ["LINE 3", "LINE 15"], [])
  await terminal.keys("a")
  await shown(terminal, "changes: 1 file +1 −1", ["LINE 15"], ["LINE 27"])
  await terminal.keys("<")
  await shown(terminal, "changes: 1 file +2 −2", ["LINE 27"], [])
  // From the hunk that it begins at to the next one, which opens in the editor at its line.
  await terminal.keys("j", "j", "j")
  await terminal.keys("e")
  await eventually(
    () => readFileSync(opened, { encoding: "utf8", flag: "a+" }).includes("a.txt"),
    () => "no editor was opened",
  )
  expect(readFileSync(opened, "utf8")).toBe(`+27 ${file}\n`)
  await shown(terminal, "changes: 1 file +2 −2", ["LINE 27"], [])
  await terminal.keys("r")
  await eventually(
    () => readFileSync(file, "utf8").includes("line 27"),
    () => readFileSync(file, "utf8"),
  )
  const now = readFileSync(file, "utf8")
  for (const line of ["LINE 3\n", "LINE 15\n", "line 27\n"]) expect(now).toContain(line)
  await terminal.keys("C-x", "q")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
})
