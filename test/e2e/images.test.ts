/** Images as a person gives them: named, dropped and pasted, to models that see and to one that does not. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { pngOf } from "../support/image.ts"
import { configFor, localMachine, writeConfig } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { Pty } from "../support/pty.ts"
import { openTerminal } from "../support/tmux.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({
    key: "k",
    script: ({ said }) => ({ text: `I see ${said.reduce((sum, { images }) => sum + images, 0)} images` }),
  })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

function seeing(): Machine {
  const machine = localMachine(server)
  writeConfig(machine, configFor(server.completionsUrl, {}, { input: ["text", "image"] }))
  return machine
}

test("an image that is named in print mode goes along, made smaller where it is too large", async () => {
  using machine = seeing()
  writeFileSync(join(machine.work, "shot.png"), await pngOf(2_400, 20))
  expect(await runBinary(machine, ["-p", "@shot.png", "what is it?"])).toMatchObject({
    status: 0,
    stdout: "I see 1 images\n",
    stderr: "",
  })
  writeFileSync(join(machine.work, "cut.png"), (await pngOf(40, 40)).slice(0, 60))
  const cut = await runBinary(machine, ["-p", "@cut.png", "what is it?"])
  expect(cut).toMatchObject({ status: 2, stdout: "" })
  expect(cut.stderr).toContain("cut.png is an image that no model takes: it is damaged")
})

test("a model that takes no images is named to the person, and told that there was one", async () => {
  using machine = localMachine(server)
  writeFileSync(join(machine.work, "shot.png"), await pngOf(20, 20))
  const run = await runBinary(machine, ["-p", "@shot.png", "what is it?"])
  expect(run).toMatchObject({ status: 0, stdout: "I see 0 images\n" })
  expect(run.stderr).toBe(
    "cairn: local/test-model takes no images: it is told that an image was there, and nothing of what it shows. Choose a model that sees with /model.\n",
  )
})

test("an image in the clipboard is pasted as a mark, and one that is dropped too; both are sent and labelled", async () => {
  using machine = seeing()
  const shot = join(machine.work, "shot.png")
  writeFileSync(shot, await pngOf(320, 200))
  const programs = join(machine.work, "programs")
  mkdirSync(programs)
  const reader = join(programs, "wl-paste")
  writeFileSync(reader, `#!/bin/sh\ncase "$*" in *image/png*) exec cat '${shot}';; esac\nexit 1\n`)
  chmodSync(reader, 0o755)
  await using terminal = await openTerminal({
    command: [await builtBinary()],
    env: { ...machine.env, PATH: `${programs}:${machine.env.PATH ?? ""}` },
    cwd: machine.work,
  })
  await terminal.shows("Ask anything")
  await terminal.keys("C-v")
  await terminal.shows("[image #1 320×200]")
  await terminal.paste(`'${shot}'`)
  await terminal.shows("[image #2 shot.png 320×200]")
  await terminal.keys("Enter")
  await terminal.shows("I see 2 images")
  await terminal.shows("[image: image/png, 1 KB]")
  await terminal.keys("C-c", "C-c")
  expect(await terminal.ended()).toBe(0)
  await runBinary(machine, ["stop", "all", "--now"])
})

test("in a terminal that draws pixels the images of a conversation are sent to it, and taken off it again", async () => {
  using machine = seeing()
  const shot = join(machine.work, "shot.png")
  writeFileSync(shot, await pngOf(64, 32, "noise"))
  await using pty = new Pty([await builtBinary()], { env: { ...machine.env, TERM: "xterm-kitty" }, cwd: machine.work })
  await pty.says("Ask anything")
  await pty.says("a=q")
  const query = /\x1b_Gi=(\d+)[^\x1b]*a=q/.exec(pty.text)?.[1] ?? ""
  pty.write(`\x1b_Gi=${query};OK\x1b\\`)
  const before = server.requests.length
  pty.write(`\x1b[200~'${shot}'\x1b[201~`)
  await pty.says("shot.png")
  pty.write("\r")
  await pty.says("state=working")
  await pty.says("state=idle", pty.text.lastIndexOf("state=working"))
  expect(server.requests[before]?.said.at(-1)?.images).toBe(1)
  const from = pty.text.length
  pty.write("\x18I")
  await pty.says("\x1b_Ga=t,f=100", from)
  await pty.says("a=p,", from)
  await pty.says("64×32]", from)
  const shown = pty.text.length
  pty.write("q")
  await pty.says("a=d", shown)
  pty.kill("SIGTERM")
  await pty.ended()
  await runBinary(machine, ["stop", "all", "--now"])
})
