/** The picker of sessions on the screen of the executable: what is done to a session there is done to it, and taken back. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ key: "k", script: ({ lastUser }) => ({ text: `answer to ${lastUser}` }) })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

type Listed = { readonly title: string; readonly tags: readonly string[]; readonly archived: boolean }

async function listed(machine: Machine): Promise<readonly Listed[]> {
  const { stdout } = await runBinary(machine, ["sessions", "list", "--archived", "--json"])
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Listed]))
}

/** Waits until a session stands as it should; null: until there is none of that title. */
function stands(machine: Machine, title: string, wanted: Partial<Listed> | null): Promise<void> {
  return eventually(
    async () => {
      const found = (await listed(machine)).find((one) => one.title === title)
      if (wanted === null || found === undefined) return wanted === null && found === undefined
      return Object.entries(wanted).every(([name, value]) => String(found[name as keyof Listed]) === String(value))
    },
    async () => `${title}: ${JSON.stringify(await listed(machine))}`,
  )
}

async function machineWithSessions(): Promise<Machine> {
  const machine = localMachine(server, { betterTitles: false })
  for (const text of ["mend the parser", "write the manual", "sort the attic"]) await runBinary(machine, ["-p", text])
  return machine
}

async function openPicker(machine: Machine): Promise<Terminal> {
  const command = [await builtBinary(), "-r"]
  const terminal = await openTerminal({ command, env: machine.env, cwd: machine.work, width: 110, height: 36 })
  await terminal.shows("Sessions of this folder")
  return terminal
}

async function quit(machine: Machine, terminal: Terminal): Promise<void> {
  await terminal.keys("Escape")
  await terminal.hides("Sessions of this folder")
  await terminal.keys("C-x", "q")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
}

test("sessions are found by what was said in them, renamed, tagged and put away, and that is taken back", async () => {
  using machine = await machineWithSessions()
  await using terminal = await openPicker(machine)
  await terminal.shows("› sort the attic")
  await terminal.shows("answer to sort the attic")
  // Found by what was answered, not by its title.
  await terminal.type("answer to write")
  await terminal.shows((rows) => rows.some((row) => /› write the manual .*“answer to write the manual”/.test(row)))
  await terminal.hides("mend the parser")
  await terminal.keys("C-u")
  await terminal.shows("mend the parser")

  await terminal.keys("C-Home")
  await terminal.shows("› sort the attic")
  await terminal.keys("C-r")
  await terminal.shows("What this session is called in lists")
  await terminal.keys("C-u")
  await terminal.type("sort the cellar")
  await terminal.keys("Enter")
  await terminal.shows("› sort the cellar")
  await terminal.keys("M-t")
  await terminal.shows("Words to find this session by")
  await terminal.type("home later")
  await terminal.keys("Enter")
  await terminal.shows("› sort the cellar  #home #later")
  await stands(machine, "sort the cellar", { tags: ["home", "later"] })

  await terminal.keys("M-h")
  await terminal.hides("sort the cellar")
  await stands(machine, "sort the cellar", { archived: true })
  await terminal.keys("C-z")
  await terminal.shows("sort the cellar")
  await stands(machine, "sort the cellar", { archived: false })
  await quit(machine, terminal)
})

test("a session is deleted and taken back, and one that is open is changed by its host", async () => {
  using machine = await machineWithSessions()
  await using terminal = await openPicker(machine)
  await terminal.shows("› sort the attic")
  await terminal.type("manual")
  await terminal.shows("› write the manual")
  await terminal.keys("C-d")
  await terminal.hides("› write the manual")
  await stands(machine, "write the manual", null)
  await terminal.keys("C-z")
  await terminal.shows("› write the manual")
  await stands(machine, "write the manual", { archived: false })

  // One that is open is changed by its host.
  await terminal.keys("Enter")
  await terminal.hides("Sessions of this folder")
  await terminal.shows("answer to write the manual")
  await terminal.type("/resume")
  await terminal.shows("› /resume")
  await terminal.keys("Enter")
  await terminal.shows("Sessions of this folder")
  await terminal.shows((rows) => rows.some((row) => /› write the manual +open/.test(row)))
  await terminal.keys("M-t")
  await terminal.shows("Words to find this session by")
  await terminal.type("open")
  await terminal.keys("Enter")
  await terminal.shows("open · #open")
  await stands(machine, "write the manual", { tags: ["open"] })
  await quit(machine, terminal)
})
