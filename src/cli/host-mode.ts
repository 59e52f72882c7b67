/**
 * `cairn host`: a session held with no screen, served on a unix socket, or on the pipes of the screen that started it.
 *
 * - It says one line on stdout when it listens, or why it does not, and nothing afterwards: whoever started it may be gone.
 * - TERM and HUP end it with its work left pending. An interrupt is not for it: it has no terminal.
 */
import { dirname } from "node:path"
import { mkdirSync } from "node:fs"
import { sleep, systemClock } from "../std/clock.ts"
import { giveBack } from "../std/give-back.ts"
import { isAlive, self } from "../ledger/holder.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { readHolder } from "../ledger/lock.ts"
import { protocolVersion, Refusal } from "../protocol/port.ts"
import type { Farewell } from "../engine/engine.ts"
import type { SessionDocument } from "../protocol/records.ts"
import { modelName } from "../providers/model.ts"
import { tourModel } from "../providers/tour/model.ts"
import { overPipes } from "../wire/pipes.ts"
import { attachPort, Unreachable } from "../wire/attach.ts"
import { servePort, type Served } from "../wire/serve.ts"
import { connectSocket, listenSocket, socketFolder, socketName, socketPath } from "../wire/socket.ts"
import type { RunFlags } from "./args.ts"
import { lingerMs, type Assembled } from "./assemble.ts"
import { consentOf } from "./consent.ts"
import { HostIdle } from "./host-idle.ts"
import { Host } from "./host-service.ts"
import { openLedger, type Chosen } from "./open.ts"
import { readPerson, type Person } from "./person.ts"
import { assembledOn, Reopens } from "./reopens.ts"
import { dropUnbegun, findSession, sessionsPort } from "./sessions.ts"
import { onSignals } from "./signals.ts"
import { socketPlaces } from "./places.ts"
import { Stop } from "./stop.ts"

/** A client that does not read is not waited for longer. */
const farewellMsMax = 500
/** A start is over by then, and what only it needed goes back to the system. */
const startedMs = 1_500
/** The lock keeps a session for its successor for five seconds; then it is anybody's. */
const successionMsMax = 6_000
const successionLookMs = 50

export type HostFlags = {
  readonly words: readonly string[]
  readonly run: RunFlags
  readonly socket: string | undefined
  readonly stdio: boolean
  readonly build: string
  /** Ask the session's present host to hand it over first: at its turn boundary, or `now`. */
  readonly succeed: boolean
  readonly now: boolean
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

/** How holding a session ended; `successor`: to whom it was handed; `inDoubt`: its disk failed, and opening it again tells what is stored. */
type Outcome = Farewell & { readonly code: number; readonly successor?: number; readonly inDoubt?: boolean }

async function hold(person: Person, flags: HostFlags, ledger: Ledger, assembled: Assembled): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const clients = new Clients()
  const asked = flags.socket === undefined && !flags.stdio
  const { data: dataDir } = person.dirs
  const idle = new HostIdle({
    dataDir,
    ledger,
    engine: assembled.engine,
    clock: systemClock,
    report: () => {},
    names() {
      const { betterTitles, model } = person.settings.merged.config
      // The tour says what its script says, whatever it is asked.
      return betterTitles && model !== modelName(tourModel)
    },
  })
  const host = new Host({
    engine: assembled.engine,
    session: ledger.session,
    folder: person.folder,
    build: flags.build,
    sessions: idle.serving(sessionsPort(dataDir)),
    clock: systemClock,
    lingerMs: lingerMs(person),
    stay: asked,
    begun: () => begun(ledger),
    async handOver(successor, now) {
      if (!now) await assembled.engine.drain()
      const farewell = { reason: "Another host takes this session over.", stopped: false }
      await assembled.engine.close(farewell, successor)
      // Behind the answer: who asked has to hear it before it is told that this host goes.
      systemClock.after(0, () => resolve({ ...farewell, code: 0, successor }))
    },
    leave: (reason, stopped) => resolve({ reason, stopped, code: 0, inDoubt: assembled.engine.inDoubt() }),
  })
  const stop = await listen(flags, host, clients, ledger, () => resolve({ reason: "", stopped: false, code: 0 }))
  const unhook = onSignals(async (code) => {
    if (code !== 130) resolve({ reason: "The host was ended by a signal; its work is pending.", stopped: false, code })
  })
  const outcome = await promise
  const { reason, stopped, inDoubt = false } = outcome
  stop()
  unhook()
  const unbegun = !begun(ledger) && flags.run.session.kind !== "memory"
  await idle.stop()
  // It is kept for this process, so that no screen that comes back in between starts another one.
  await assembled.engine.close({ reason, stopped }, inDoubt ? process.pid : undefined)
  await Promise.race([clients.end(reason), sleep(systemClock, farewellMsMax)])
  if (outcome.successor !== undefined || inDoubt) return outcome
  if (unbegun) dropUnbegun(dataDir, ledger.session, systemClock.now())
  else await idle.finish()
  return outcome
}

/** True once somebody holds the session after us; false where nobody came in the time that the lock gives a successor. */
async function taken(dataDir: string, session: string): Promise<boolean> {
  const end = systemClock.monotonic() + successionMsMax
  while (systemClock.monotonic() < end) {
    const holder = readHolder(dataDir, session)
    if (holder !== null && isAlive(holder, self())) return true
    await sleep(systemClock, successionLookMs)
  }
  return false
}

/** Ask whoever holds the session to hand it to this process. Nobody there is as good. */
async function succeed(person: Person, flags: HostFlags, wanted: Chosen): Promise<void> {
  if (!flags.succeed || wanted.kind !== "session") return
  const holder = readHolder(person.dirs.data, wanted.id)
  if (holder === null || holder.socket === null || !isAlive(holder, self())) return
  const { socket } = holder
  const hello = { protocol: protocolVersion, build: flags.build, client: "host", open: { how: "none" } } as const
  const port = await attachPort({ connect: (events) => connectSocket(socket, events), hello })
  try {
    await port.host.request({ type: "handOver", successor: process.pid, now: flags.now })
  } catch (error) {
    // A host that went away in the middle has let go of the session: the lock tells whether it may be opened.
    if (error instanceof Refusal) throw new Stop(error.message, 1)
    if (!(error instanceof Unreachable)) throw error
  } finally {
    await port.close()
  }
}

const failedTwice =
  "its disk failed twice within a minute, so nothing more is written; once the disk is well, stop this host with cairn stop, and open the session again"

/** Hold the session until it is somebody else's or nobody's; the exit status. */
async function serve(person: Person, flags: HostFlags, first: Chosen): Promise<number> {
  const reopens = new Reopens(systemClock)
  let failed = false
  for (let wanted = first; ;) {
    const ledger = await openLedger(person, flags.run, wanted, "always")
    if (failed && !reopens.take()) ledger.refuse(failedTwice)
    const consent = consentOf(person, ledger, systemClock.now())
    const again = { kind: "session", id: ledger.session } as const
    const assembled = await assembledOn({ person, run: flags.run, ledger, consent, report: () => {} })
    if (assembled === null) {
      if (failed) throw new Stop("the session cannot be written: its disk fails", 1)
      failed = true
      wanted = again
      continue
    }
    const outcome = await hold(person, flags, ledger, assembled)
    failed = outcome.inDoubt === true
    // On pipes the screen starts another host: its end of them has gone with this session.
    if (failed && flags.stdio) return 1
    const { successor } = outcome
    if (!failed && (successor === undefined || (await taken(person.dirs.data, ledger.session)))) return outcome.code
    // The successor never came, or the disk failed: the session is this host's again.
    wanted = again
  }
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
  systemClock.after(startedMs, giveBack)
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
    const wanted = await chosen(person, flags)
    await succeed(person, flags, wanted)
    process.exit(await serve(person, flags, wanted))
  } catch (error) {
    if (!(error instanceof Stop) || flags.stdio) throw error
    process.stdout.write(`${JSON.stringify({ ready: false, problem: error.message })}\n`)
    return error.code
  }
}
