/**
 * Unix sockets, and where they live.
 *
 * - The folder is the check: 0700, this user's, and no link. Whoever can open a socket in it may drive the host.
 * - `$XDG_RUNTIME_DIR/cairn`, else `/tmp/cairn-<uid>`. Where neither will do, the caller is told why and uses pipes.
 * - A socket file that nobody listens on is stale: it is taken over by the next one of that name, and swept when looked at.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import type { Accept, Connection, ConnectionEvents } from "./connection.ts"

/** Bytes of a socket's path, its closing zero left out: 108 on Linux, 104 on macOS; the smaller serves both. */
const pathBytesMax = 103

/** `<8 hex>.sock` */
const namePattern = /^[0-9a-f]{8}\.sock$/
const nameBytes = 8 + ".sock".length

export type SocketPlaces = {
  /** `$XDG_RUNTIME_DIR`, where it is set. */
  readonly runtime: string | undefined
  /** `/tmp`: the short folder that every machine has. */
  readonly temporary: string
  readonly uid: number
}

export type SocketFolder =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reasons: readonly string[] }

/** The folder for sockets, made if need be. */
export function socketFolder(places: SocketPlaces): SocketFolder {
  const reasons: string[] = []
  for (const folder of candidates(places)) {
    const reason = unfit(folder, places.uid)
    if (reason === undefined) return { ok: true, path: folder }
    reasons.push(reason)
  }
  return { ok: false, reasons }
}

function candidates({ runtime, temporary, uid }: SocketPlaces): readonly string[] {
  const own = join(temporary, `cairn-${uid}`)
  return runtime !== undefined && isAbsolute(runtime) ? [join(runtime, "cairn"), own] : [own]
}

/** Why `folder` cannot hold sockets, in a sentence; undefined where it can. */
function unfit(folder: string, uid: number): string | undefined {
  if (Buffer.byteLength(folder) + 1 + nameBytes > pathBytesMax) return `${folder} is too long for a socket's path.`
  try {
    mkdirSync(folder, { mode: 0o700 })
    // The umask may have taken from the mode what we need ourselves.
    chmodSync(folder, 0o700)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") return `${folder} could not be made: ${messageOf(error)}.`
  }
  try {
    const stat = lstatSync(folder)
    if (stat.isSymbolicLink()) return `${folder} is a link: remove it.`
    if (!stat.isDirectory()) return `${folder} is not a folder: remove it.`
    if (stat.uid !== uid) return `${folder} belongs to user ${stat.uid}, not to you.`
    if ((stat.mode & 0o777) !== 0o700) return `${folder} is open to others or closed to you: set its mode to 700.`
  } catch (error) {
    return `${folder} could not be looked at: ${messageOf(error)}.`
  }
  return undefined
}

/** The path of the socket `name` (8 hex digits) in `folder`. */
export function socketPath(folder: string, name: string): string {
  return join(folder, `${name}.sock`)
}

/** A name for a socket, from four random bytes. */
export function socketName(random: Uint8Array = crypto.getRandomValues(new Uint8Array(4))): string {
  return random.subarray(0, 4).toHex()
}

/** The sockets in `folder`, in order of name; none where the folder is missing. */
export function socketsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => namePattern.test(name))
    return names.sort().map((name) => join(folder, name))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw error
  }
}

export type SocketState = "live" | "stale" | "missing"

/** Whether somebody listens at `path`. */
export async function socketState(path: string): Promise<SocketState> {
  try {
    const connection = await connectSocket(path, { data() {}, drained() {}, closed() {} })
    connection.close()
    return "live"
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "missing" : codeOf(error) === "ECONNREFUSED" ? "stale" : "live"
  }
}

/** Removes a socket file that nobody listens on; true where it did. */
export async function sweepSocket(path: string): Promise<boolean> {
  if ((await socketState(path)) !== "stale") return false
  rmSync(path, { force: true })
  return true
}

export type Listener = {
  /** Takes no new connections and removes the socket; open connections go on. */
  stop(): void
}

type Held = { connection: SocketConnection; events: ConnectionEvents }

/** Listens at `path`. Throws where somebody else does, or where the socket cannot be made. */
export async function listenSocket(path: string, accept: Accept): Promise<Listener> {
  if ((await socketState(path)) === "live") throw new Error(`Another process listens at ${path}.`)
  rmSync(path, { force: true })
  const server = Bun.listen<Held>({
    unix: path,
    socket: {
      open(socket) {
        const connection = new SocketConnection(socket)
        socket.data = { connection, events: accept(connection) }
      },
      ...handlers,
    },
  })
  return { stop: () => server.stop(false) }
}

/** Connects to the host that listens at `path`. Throws with the code of the system: ENOENT, ECONNREFUSED. */
export async function connectSocket(path: string, events: ConnectionEvents): Promise<Connection> {
  const opened = Promise.withResolvers<Connection>()
  // The library rejects too; one rejection is enough to hear of.
  opened.promise.catch(() => {})
  await Bun.connect<Held | undefined>({
    unix: path,
    socket: {
      open(socket) {
        const connection = new SocketConnection(socket)
        socket.data = { connection, events }
        opened.resolve(connection)
      },
      connectError: (_, error) => opened.reject(error),
      ...handlers,
    },
  })
  return opened.promise
}

type Raw = Bun.Socket<Held | undefined> | Bun.Socket<Held>

const handlers = {
  binaryType: "uint8array",
  data: (socket: Raw, bytes: Uint8Array): void => socket.data?.events.data(bytes),
  drain: (socket: Raw): void => socket.data?.events.drained(),
  close: (socket: Raw, error?: Error): void => socket.data?.connection.gone(socket.data.events, error),
  // A close follows, with the same error.
  error: (): void => {},
} as const

class SocketConnection implements Connection {
  readonly #socket: Raw
  #open = true
  #closedHere = false

  constructor(socket: Raw) {
    this.#socket = socket
  }

  write(bytes: Uint8Array): number {
    return this.#open ? Math.max(0, this.#socket.write(bytes)) : 0
  }

  close(): void {
    if (!this.#open || this.#closedHere) return
    this.#closedHere = true
    this.#socket.end()
  }

  gone(events: ConnectionEvents, error: Error | undefined): void {
    if (!this.#open) return
    this.#open = false
    const who = this.#closedHere ? "This side" : "The other side"
    events.closed(error === undefined ? `${who} closed the connection.` : `The connection broke: ${error.message}.`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : ""
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
