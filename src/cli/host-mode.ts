/**
 * `cairn host`: a session held with no screen, served on a unix socket, or on the pipes of the screen that started it.
 *
 * - It says one line on stdout when it listens, or why it does not, and nothing afterwards: whoever started it may be gone.
 * - TERM and HUP end it with its work left pending. An interrupt is not for it: it has no terminal.
 */
import { dirname } from "node:path"
import { mkdirSync } from "node:fs"
import { sleep, systemClock } from "../std/clock.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Farewell } from "../engine/engine.ts"
import type { SessionDocument } from "../protocol/records.ts"
import { overPipes } from "../wire/pipes.ts"
import { servePort, type Served } from "../wire/serve.ts"
import { listenSocket, socketFolder, socketName, socketPath } from "../wire/socket.ts"
import type { RunFlags } from "./args.ts"
import { assemble, lingerMs, type Assembled } from "./assemble.ts"
import { consentOf } from "./consent.ts"
import { Host } from "./host-service.ts"
import { openLedger, type Chosen } from "./open.ts"
import { readPerson, type Person } from "./person.ts"
import { dropUnbegun, findSession, sessionsPort } from "./sessions.ts"
import { onSignals } from "./signals.ts"
import { socketPlaces } from "./places.ts"
import { Stop } from "./stop.ts"

/** A client that does not read is not waited for longer. */
const farewellMsMax = 500

export type HostFlags = {
  readonly words: readonly string[]
  readonly run: RunFlags
  readonly socket: string | undefined
  readonly stdio: boolean
  readonly build: string
}

function begun(ledger: Ledger): boolean {
  return (ledger.live.document(0, "session")?.value as SessionDocument | undefined)?.title !== ""
}

async function chosen(person: Person, flags: HostFlags): Promise<Chosen> {
  const [name] = flags.words
  if (flags.run.session.kind === "memory") return { kind: "memory" }
  if (name === undefined) return { kind: "new", fellBack: false }
  return { kind: "session", id: await findSession(person.dirs.data, name) }
}

class Clients {
  readonly #served = new Set<Served>()

  add(served: Served): Served {
    this.#served.add(served)
    return served
  }

  async end(reason: string): Promise<void> {
    await Promise.all([...this.#served].map((served) => served.end(reason)))
  }
}

async function hold(person: Person, flags: HostFlags, ledger: Ledger, assembled: Assembled): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<Farewell & { readonly code: number }>()
  const clients = new Clients()
  const asked = flags.socket === undefined && !flags.stdio
  const host = new Host({
    engine: assembled.engine,
    session: ledger.session,
    folder: person.folder,
    build: flags.build,
    sessions: sessionsPort(person.dirs.data),
    clock: systemClock,
    lingerMs: lingerMs(person),
    stay: asked,
    begun: () => begun(ledger),
    leave: (reason, stopped) => resolve({ reason, stopped, code: 0 }),
  })
  const stop = await listen(flags, host, clients, ledger, () => resolve({ reason: "", stopped: false, code: 0 }))
  const unhook = onSignals(async (code) => {
    if (code !== 130) resolve({ reason: "The host was ended by a signal; its work is pending.", stopped: false, code })
  })
  const { code, ...farewell } = await promise
  stop()
  unhook()
  const unbegun = !begun(ledger) && flags.run.session.kind !== "memory"
  await assembled.engine.close(farewell)
  await Promise.race([clients.end(farewell.reason), sleep(systemClock, farewellMsMax)])
  if (unbegun) dropUnbegun(person.dirs.data, ledger.session, systemClock.now())
  return code
}

async function listen(
  flags: HostFlags,
  host: Host,
  clients: Clients,
  ledger: Ledger,
  gone: () => void,
): Promise<() => void> {
  if (flags.stdio) {
    overPipes({ input: Bun.stdin.stream(), output: Bun.stdout.writer() }, (connection) => {
      const served = clients.add(servePort(connection, host))
      return { ...bound(served), closed: (reason) => (served.closed(reason), gone()) }
    })
    return () => {}
  }
  const path = flags.socket ?? ownSocket()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const listener = await listenSocket(path, (connection) => clients.add(servePort(connection, host)))
  ledger.setSocket(path)
  process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, session: ledger.session, socket: path })}\n`)
  return () => listener.stop()
}

function bound(served: Served): Pick<Served, "data" | "drained"> {
  return { data: (bytes) => served.data(bytes), drained: () => served.drained() }
}

function ownSocket(): string {
  const folder = socketFolder(socketPlaces())
  if (!folder.ok) throw new Stop(folder.reasons.join(" "), 1)
  return socketPath(folder.path, socketName())
}

/** Does not return once it has held a session: a command that outlives this host would keep it. */
export async function hostMode(flags: HostFlags): Promise<number> {
  // Nobody reads it: what started this host may be gone, and a write to a closed pipe must not end it.
  process.stdout.on("error", () => {})
  try {
    const person = await readPerson(flags.run, false)
    const ledger = await openLedger(person, flags.run, await chosen(person, flags), true)
    const consent = consentOf(person, ledger, systemClock.now())
    const assembled = await assemble({ person, run: flags.run, ledger, consent, report: () => {} })
    process.exit(await hold(person, flags, ledger, assembled))
  } catch (error) {
    if (!(error instanceof Stop) || flags.stdio) throw error
    process.stdout.write(`${JSON.stringify({ ready: false, problem: error.message })}\n`)
    return error.code
  }
}
