/**
 * `cairn doctor` and `/doctor`: what Cairn needs of this machine, looked at; what is wrong comes with what to do about it.
 *
 * - Nothing is changed, and nobody is asked over a network.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { errorCode } from "../std/files.ts"
import { sessionsFolder } from "../ledger/folder.ts"
import { modelName } from "../providers/model.ts"
import type { DoctorRow } from "../tui/options.ts"
import { cleanLine } from "../std/clean.ts"
import { summaries } from "./session-rows.ts"
import type { CommandMode } from "./sessions-command.ts"
import { columns, print, sizeText } from "./columns.ts"
import { listHosts } from "./hosts.ts"
import { readPerson, trustStore, type Person } from "./person.ts"
import { terminalFacts } from "./terminal-facts.ts"

/** Commands keep their output on disk only above this; and above the other one nobody needs to be told. */
const spaceLow = 64 * 1024 * 1024
const spaceFair = 1024 * 1024 * 1024

const row = (standing: DoctorRow["standing"], what: string, says: string): DoctorRow => ({ standing, what, says })

/** The nearest folder that there is. */
function existing(path: string): string {
  let at = path
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  return at
}

/** Why nothing can be written at `path`; null where it can. */
function unwritable(path: string): string | null {
  try {
    accessSync(existing(path), constants.W_OK | constants.X_OK)
    return statSync(existing(path)).isDirectory() ? null : `${existing(path)} is no folder`
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}

function folderRow(what: string, path: string, variable: string): DoctorRow {
  const why = unwritable(path)
  if (why !== null)
    return row("wrong", what, `${path} cannot be written to (${why}): set ${variable} to a folder that can`)
  const { bavail, bsize, blocks } = statfsSync(existing(path))
  // A file system without a size says nothing of its room.
  const free = blocks === 0 ? spaceFair : bavail * bsize
  const says = `${path}, ${sizeText(free)} free`
  if (free < spaceLow)
    return row("wrong", what, `${says}: too little, so nothing new may be kept; cairn sessions prune`)
  return row(free < spaceFair ? "note" : "ok", what, says)
}

async function sessionRows({ dirs }: Person): Promise<readonly DoctorRow[]> {
  if (!existsSync(sessionsFolder(dirs.data))) return [row("ok", "sessions", "none yet")]
  const all = await summaries(dirs.data, { archived: true })
  const bad = all.filter(({ state }) => state !== "ok")
  const interrupted = all.filter((one) => one.interrupted).length
  const hosts = await listHosts(dirs.data)
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0)
  const counted = `${all.length} ${all.length === 1 ? "session" : "sessions"}, ${sizeText(bytes)}; ${interrupted} interrupted, ${hosts.length} running`
  return [
    row("ok", "sessions", counted),
    ...bad.map(({ id, note }) => row("wrong", "session", `${join(sessionsFolder(dirs.data), id)}: ${note}`)),
  ]
}

function modelRow({ settings, providers }: Person): DoctorRow {
  const wanted = settings.merged.config.model
  const listed = providers.list()
  const ready = listed.filter((one) => one.ready)
  const others = `${ready.length} of ${listed.length} known models have a key`
  if (wanted === undefined) {
    const model = providers.defaultModel()
    if (model === undefined) return row("wrong", "model", "no model can be asked: cairn login stores a key")
    return row("ok", "model", `${modelName(model)}, chosen since none is set; ${others}`)
  }
  const resolved = providers.resolve(wanted)
  if ("problem" in resolved) return row("wrong", "model", resolved.problem)
  const name = modelName(resolved.model)
  const known = listed.find(({ model }) => modelName(model) === name)
  if (known?.ready === false) return row("wrong", "model", `${name} has no key: cairn login ${resolved.model.provider}`)
  return row("ok", "model", `${name}; ${others}`)
}

async function trustRow({ dirs, project, trusted }: Person): Promise<DoctorRow> {
  const { status } = await trustStore(dirs).check(project)
  return row(
    "ok",
    "folder",
    `${project}: ${trusted ? "trusted" : status === "nothing" ? "wants nothing" : `not trusted (${status})`}`,
  )
}

function programRows({ env, settings }: Person): readonly DoctorRow[] {
  const path = env["PATH"] ?? ""
  const found = (name: string): string | null => Bun.which(name, { PATH: path })
  const shell = settings.merged.config.shellPath ?? found("bash") ?? found("sh")
  const shellRow =
    shell === null || !existsSync(shell)
      ? row("wrong", "shell", `${shell ?? "neither bash nor sh"} is not there: set shellPath`)
      : row("ok", "shell", shell)
  const optional = (name: string, without: string): DoctorRow => {
    const where = found(name)
    return where === null ? row("note", name, `not found: ${without}`) : row("ok", name, where)
  }
  return [
    shellRow,
    optional("git", "branches are not shown, and a folder that was moved is not known again by its repository"),
    optional("rg", "grep and find search by themselves, which is slower"),
  ]
}

function terminalRow({ env, settings }: Person): DoctorRow {
  const { name, colors, remote, multiplexer } = terminalFacts(env, settings.merged.config.colors)
  if (name === "" || name === "dumb") return row("note", "terminal", "TERM names none: lines are written, no screen")
  const inside = multiplexer === "none" ? "" : `, in ${multiplexer}`
  return row("ok", "terminal", `${name}, ${colors}${inside}${remote ? ", over a network" : ""}`)
}

/** All that was looked at, in the order in which it matters. */
export async function findings(person: Person): Promise<readonly DoctorRow[]> {
  const config = join(person.dirs.config, "config.json")
  const problems = person.problems.map((problem) => row("wrong", "settings", problem))
  return [
    ...(problems.length > 0 ? problems : [row("ok", "settings", existsSync(config) ? config : `${config}: none yet`)]),
    folderRow("config", person.dirs.config, "CAIRN_CONFIG"),
    folderRow("data", person.dirs.data, "CAIRN_DATA"),
    ...(await sessionRows(person)),
    modelRow(person),
    await trustRow(person),
    ...programRows(person),
    terminalRow(person),
  ]
}

export async function doctorCommand(mode: CommandMode, version: string): Promise<number> {
  const person = await readPerson(mode.run, false)
  const about = row("ok", "cairn", `${version} on ${process.platform} ${process.arch}`)
  const found = [about, ...(await findings(person))]
  if (mode.options.has("json")) for (const each of found) print(`${JSON.stringify(each)}\n`)
  else print(columns(found.map(({ standing, what, says }) => [standing, what, cleanLine(says)])))
  return found.some(({ standing }) => standing === "wrong") ? 1 : 0
}
