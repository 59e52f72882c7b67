/** The commands that are no run: each one function, its output fit for a pipe. */
import { unreachable } from "../std/assert.ts"
import { cleanLine } from "../std/clean.ts"
import { fuzzy } from "../std/fuzzy.ts"
import { shortId } from "../std/id.ts"
import { systemClock } from "../std/clock.ts"
import { configSchema } from "../home/config.ts"
import { modelName } from "../providers/model.ts"
import type { Mode } from "./args.ts"
import { columns, print, printed, when } from "./columns.ts"
import { listHosts, stopHosts, type HostRow } from "./hosts.ts"
import { readPerson } from "./person.ts"
import { Stop } from "./stop.ts"

type CommandMode = Extract<Mode, { kind: "command" }>

async function models(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  await person.providers.findLocal()
  const listed = person.providers.list()
  const wanted = mode.words.join(" ")
  const found =
    wanted === ""
      ? listed
      : fuzzy(wanted, listed, ({ model }) => [modelName(model), model.name]).map(({ item }) => item)
  if (found.length === 0) throw new Stop(`no model is named like ${wanted}`, 1)
  const rows = found.map(({ model, ready }) => {
    const price = model.cost === undefined ? "?" : `$${model.cost.input}/${model.cost.output}`
    const files = model.edits === "whole" ? "whole files" : "edits"
    return [modelName(model), ready ? "ready" : "no key", `${model.contextWindow ?? "?"}`, price, files]
  })
  print(columns([["model", "key", "context", "per million tokens in/out", "changes files by"], ...rows]))
  return 0
}

function config(mode: CommandMode): number {
  const [what] = mode.words
  if (what !== "schema") throw new Stop(`"config ${what ?? ""}" is unknown; there is: config schema`, 2)
  print(`${JSON.stringify(configSchema(), null, 2)}\n`)
  return 0
}

function hostRow(row: HostRow): readonly string[] {
  const session = row.session === null ? "-" : shortId(row.session)
  return [`${row.pid}`, row.kind, session, row.state, when(row.startedAt), cleanLine(row.about)]
}

async function ps(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const rows = await listHosts(person.dirs.data)
  if (mode.options.has("json")) for (const row of rows) print(`${JSON.stringify(row)}\n`)
  else if (rows.length > 0)
    print(columns([["pid", "kind", "session", "state", "since", "folder or command"], ...rows.map(hostRow)]))
  return 0
}

async function stop(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const [name] = mode.words
  if (name === undefined) throw new Stop('say which: a session\'s id, or "all". See: cairn ps', 2)
  const stopped = await stopHosts(person.dirs.data, name, mode.options.has("now"), systemClock)
  if (stopped === 0)
    throw new Stop(name === "all" ? "nothing is running" : `nothing runs for ${name}. See: cairn ps`, 1)
  return 0
}

export async function commandMode(mode: CommandMode, version: string): Promise<number> {
  const code = await carriedOut(mode, version)
  await printed()
  return code
}

async function carriedOut(mode: CommandMode, version: string): Promise<number> {
  switch (mode.command) {
    case "sessions":
      return (await import("./sessions-command.ts")).sessionsCommand(mode)
    case "models":
      return models(mode)
    case "login":
    case "logout": {
      const person = await readPerson(mode.run, false)
      const { loginCommand, logoutCommand } = await import("./login.ts")
      return mode.command === "login" ? loginCommand(mode.words, person) : logoutCommand(mode.words, person)
    }
    case "config":
      return config(mode)
    case "doctor":
      return (await import("./doctor.ts")).doctorCommand(mode, version)
    case "keymap":
      return (await import("./keymap.ts")).keymapCommand(mode)
    case "ps":
      return ps(mode)
    case "stop":
      return stop(mode)
    case "host": {
      const { words, run, options, values } = mode
      if (options.has("match")) return (await import("./match-process.ts")).matchMode()
      return (await import("./host-mode.ts")).hostMode({
        words,
        run,
        socket: values.get("socket"),
        stdio: options.has("stdio"),
        succeed: options.has("succeed"),
        now: options.has("now"),
        build: version,
      })
    }
    case "attach":
    case "tour":
    case "reset-terminal":
      return (await import("./screen-mode.ts")).screenCommand(mode, version)
    default:
      return unreachable(mode.command)
  }
}
