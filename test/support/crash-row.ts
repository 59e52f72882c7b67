/**
 * One row of the table of what a restart does: a host of the executable ends itself by SIGKILL at that very moment, another process opens the
 * session, and what then comes of it is told.
 *
 * - The moment is a named one (`CAIRN_KILL=name:n`); where it is one of many of its name, what stands on the disk says which of them is the row's.
 * - The scene is played twice, by the same words: once to the death, once to the end. Its inputs bear the same request ids both times.
 * - Its model looks at the request alone, but for `asked`, which counts the requests before it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readWhole, type AllRecords } from "../../src/ledger/peek.ts"
import type { JsonObject } from "../../src/std/json.ts"
import type { View } from "../../src/protocol/view.ts"
import { runBinary, type Machine } from "./binary.ts"
import { ask, Died, sessionsOf, until, type Step, type Told } from "./kill-point.ts"
import { configFolder, localMachine } from "./local-model.ts"
import type { ModelRequest, Reply } from "./model-script.ts"
import { startModelServer } from "./model-server.ts"
import { startStdioHost, type StdioHost } from "./stdio-host.ts"
import { labExtension } from "./crash-lab.ts"

export type Scene = {
  readonly script: (request: ModelRequest, asked: number) => Reply
  /** What the person does: each step is done again after the death, from the first one on. */
  readonly steps: readonly Step[]
  readonly config?: JsonObject
  /** Between the death and the next opening. */
  readonly meanwhile?: (machine: Machine) => void
}

/** What there is when the host has died. */
export type Fallen = {
  readonly disk: AllRecords
  /** What its client knew. */
  readonly seen: View
  /** Inputs that its client was told are taken. */
  readonly acknowledged: ReadonlySet<string>
  /** Requests that had reached the model. */
  readonly asked: number
}

export type Row = Fallen & {
  /** What stands on the disk in the end. */
  readonly end: AllRecords
  /** What the next host's client knows in the end. */
  readonly view: View
  readonly requests: readonly ModelRequest[]
  /** What the tools did to the world: a line for each effect, `tool key`. */
  readonly effects: readonly string[]
  /** Each line names one broken promise. */
  readonly problems: readonly string[]
}

/** More would be a scene of another size. */
const momentsMax = 60

const nothing: AllRecords = { conversations: [], entries: [], tasks: [], submissions: [], documents: [] }

function onDisk(machine: Machine): AllRecords {
  const [id] = sessionsOf(machine)
  if (id === undefined) return nothing
  const whole = readWhole({ dataDir: join(machine.env.XDG_DATA_HOME ?? "", "cairn"), id })
  if (whole.state !== "ok") throw new Error(`the session cannot be read: ${whole.note}`)
  return whole.records
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []
}

/**
 * Plays the scene with a death at `moment` (`name:n`, or `name`: the first of its name for which `isRow` is true), and once more to its end.
 */
export async function fall(
  scene: Scene,
  moment: string,
  isRow: (fallen: Fallen) => boolean = () => true,
): Promise<Row> {
  const isCounted = /:\d+$/.test(moment)
  for (let n = 1; n <= (isCounted ? 1 : momentsMax); n++) {
    const row = await fallOnce(scene, isCounted ? moment : `${moment}:${n}`, isRow)
    if (row !== undefined) return row
  }
  throw new Error(`no death at ${moment} is what this row is about`)
}

async function fallOnce(scene: Scene, death: string, isRow: (fallen: Fallen) => boolean): Promise<Row | undefined> {
  let asked = 0
  const server = await startModelServer({ key: "k", script: (request) => scene.script(request, asked++) })
  using machine = localMachine(server, { retry: { baseDelayMs: 20 }, ...scene.config })
  const extensions = join(configFolder(machine), "extensions")
  mkdirSync(extensions)
  writeFileSync(join(extensions, "lab.ts"), labExtension)
  try {
    const fallen = await toDeath(scene, machine, death, () => asked)
    if (fallen === undefined || !isRow(fallen)) return undefined
    scene.meanwhile?.(machine)
    const view = await toEnd(scene, machine)
    const end = onDisk(machine)
    const problems = [...server.violations, ...(await checked(machine))]
    const effects = linesOf(join(machine.work, "effects"))
    return { ...fallen, end, view, problems, effects, requests: server.requests }
  } finally {
    await server.stop()
  }
}

/** Undefined where it dies before anybody can speak to it. */
async function toDeath(
  scene: Scene,
  machine: Machine,
  death: string,
  asked: () => number,
): Promise<Fallen | undefined> {
  const host = await startStdioHost(machine, { env: { CAIRN_KILL: death } })
  if (host === undefined) return undefined
  const told: Told = { acknowledged: new Set() }
  try {
    await play(scene, host, told)
  } catch (error) {
    if (!(error instanceof Died)) throw error
    if ((await host.ended) !== "SIGKILL") throw new Error(`the host left by itself instead of at ${death}`)
    return { disk: onDisk(machine), seen: host.view(), acknowledged: told.acknowledged, asked: asked() }
  }
  await host.kill()
  throw new Error(`the scene is over before ${death}`)
}

async function play({ steps }: Scene, host: StdioHost, told: Told): Promise<void> {
  await until(host, (view) => (view.session === "" ? undefined : true))
  for (const step of steps) await step(host, told)
}

async function toEnd(scene: Scene, machine: Machine): Promise<View> {
  const [session] = sessionsOf(machine)
  const host = await startStdioHost(machine, { session })
  if (host === undefined) throw new Error("the session does not open again")
  try {
    await play(scene, host, { acknowledged: new Set() })
    await ask(host, { type: "resume" })
    await host.port.host.request({ type: "stop", how: "pending" }).catch(() => undefined)
    await host.ended
    return host.view()
  } finally {
    await host.kill()
  }
}

async function checked(machine: Machine): Promise<readonly string[]> {
  const { status, stdout, stderr } = await runBinary(machine, ["sessions", "check", "--all"])
  return status === 0 ? [] : [`sessions check: ${stdout}${stderr}`]
}
