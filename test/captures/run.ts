/**
 * Pictures of the screen: `bun run captures <folder> [size or theme …]`. The executable in tmux at the sizes that people have, in a dark and a light
 * theme; each scene as text (`.txt`) and with its colours (`.ansi`, to be read with `cat`).
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"
import { closing, opening, scenes, script, workingScenes, type Scene } from "./scenes.ts"

const sizes = [
  [200, 50],
  [100, 30],
  [60, 20],
  [40, 10],
] as const
const themes = ["dark", "light"] as const

async function shows(terminal: Terminal, wanted: string | RegExp): Promise<void> {
  const fits = (rows: readonly string[]): boolean =>
    typeof wanted === "string" ? rows.join("\n").includes(wanted) : wanted.test(rows.join("\n"))
  await terminal.shows(fits)
}

/** Looks in a row that have to be alike before a screen counts as still. */
const looksAlike = 40

/** The screen with its colours, once it does not change any more: what a text cannot tell, as where the focus is, has been drawn by then. */
async function still(terminal: Terminal): Promise<string> {
  let last = await terminal.styled()
  for (let alike = 0; alike < looksAlike; alike++) {
    const now = await terminal.styled()
    if (now !== last) alike = 0
    last = now
  }
  return last
}

async function take(terminal: Terminal, scene: Scene, folder: string): Promise<void> {
  // One key after the other, as a hand presses them: a sequence is not a paste.
  for (const key of scene.keys) await terminal.keys(key)
  if (scene.before !== undefined) await shows(terminal, scene.before)
  if (scene.text !== undefined) await terminal.type(scene.text)
  if (scene.text !== undefined) await shows(terminal, scene.text)
  for (const key of scene.then ?? []) await terminal.keys(key)
  await shows(terminal, scene.shows).catch((error: unknown) => {
    throw new Error(`${scene.name}: ${error instanceof Error ? error.message : String(error)}`)
  })
  const picture = await still(terminal)
  writeFileSync(join(folder, `${scene.name}.txt`), `${(await terminal.rows()).join("\n")}\n`)
  writeFileSync(join(folder, `${scene.name}.ansi`), picture)
  for (const key of scene.leave) await terminal.keys(key)
  if (scene.gone !== undefined) await terminal.hides(scene.gone)
}

async function session(
  server: ModelServer,
  out: string,
  theme: string,
  size: readonly [number, number],
): Promise<void> {
  using machine = localMachine(server, { theme })
  const folder = join(out, `${theme}-${size.join("x")}`)
  mkdirSync(folder, { recursive: true })
  const [width, height] = size
  await using terminal = await openTerminal({
    command: [await builtBinary()],
    env: machine.env,
    cwd: machine.work,
    width,
    height,
  })
  await terminal.shows("Ask anything")
  await take(terminal, { name: "welcome", keys: [], shows: "Ask anything", leave: [] }, folder)
  await terminal.type(opening)
  await terminal.shows(opening)
  await terminal.keys("Enter")
  await terminal.shows(closing)
  for (const scene of scenes) await take(terminal, scene, folder)
  await terminal.type("wait")
  await terminal.shows("wait")
  await terminal.keys("Enter")
  await terminal.shows("bash")
  for (const scene of workingScenes) await take(terminal, scene, folder)
  await runBinary(machine, ["stop", "all", "--now"])
}

const [out, ...chosen] = process.argv.slice(2)
if (out === undefined) {
  process.stderr.write("bun run captures <folder> [dark|light] [200x50 …]\n")
  process.exit(2)
}
const server = await startModelServer({ key: "k", script })
try {
  for (const theme of themes) {
    for (const size of sizes) {
      const names = [theme, size.join("x")]
      if (chosen.length > 0 && !chosen.every((name) => names.includes(name))) continue
      await session(server, out, theme, size)
      process.stdout.write(`${names.join(" ")}\n`)
    }
  }
} finally {
  await server.stop()
}
