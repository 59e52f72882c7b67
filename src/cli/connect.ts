/**
 * From a screen to the host of its session: the one that runs, or one that is started now.
 *
 * - A session's lock names its holder and the holder's socket. A holder without a socket (a print run) is named, not attached to.
 * - A host that is started gets a session of its own (setsid), its own socket, no terminal and no pipe of ours but one, on which it says that
 *   it listens, or why it does not. It then outlives whoever started it.
 * - Where no folder can hold a socket, the wire is the pipes between the two, and the host ends with its screen.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { isAlive, self } from "../ledger/holder.ts"
import { readHolder } from "../ledger/lock.ts"
import { parseJson, isObject } from "../std/json.ts"
import { protocolVersion } from "../protocol/port.ts"
import type { OpenChoice } from "../protocol/host.ts"
import { attachPort, type AttachedPort } from "../wire/attach.ts"
import { connectPipes } from "../wire/pipes.ts"
import { connectSocket, socketFolder, socketName, socketPath, type SocketPlaces } from "../wire/socket.ts"
import { selfCommand } from "./self.ts"
import { Stop } from "./stop.ts"

export type ConnectOptions = {
  readonly dataDir: string
  readonly places: SocketPlaces
  readonly folder: string
  readonly build: string
  readonly client: string
  /** Flags that the host takes over: model, tools, prompts. */
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export type HostChoice = { readonly kind: "new" } | { readonly kind: "session"; readonly id: string }

function hello(options: ConnectOptions, open: OpenChoice) {
  return { protocol: protocolVersion, build: options.build, client: options.client, open }
}

/** Attach to whoever listens at `path`. */
export function attachAt(path: string, options: ConnectOptions, open: OpenChoice): Promise<AttachedPort> {
  return attachPort({ connect: (events) => connectSocket(path, events), hello: hello(options, open) })
}

/** What the host said on its pipe: that it listens, or a sentence. */
async function answerOf(child: ChildProcess): Promise<{ readonly ready: boolean; readonly problem: string }> {
  let text = ""
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes("\n")) break
  }
  const said = parseJson(text.split("\n")[0] ?? "")
  if (isObject(said) && said.ready === true) return { ready: true, problem: "" }
  const problem =
    isObject(said) && typeof said.problem === "string" ? said.problem : "the host ended before it was ready"
  return { ready: false, problem }
}

function hostArguments(choice: HostChoice, options: ConnectOptions, extra: readonly string[]): readonly string[] {
  const session = choice.kind === "session" ? [choice.id] : []
  return [...selfCommand().slice(1), "host", ...session, ...options.flags, ...extra]
}

function spawnHost(path: string, choice: HostChoice, options: ConnectOptions, extra: readonly string[]): ChildProcess {
  return spawn(selfCommand()[0] ?? "", hostArguments(choice, options, ["--socket", path, ...extra]), {
    cwd: options.folder,
    detached: true,
    env: options.env,
    stdio: ["ignore", "pipe", "ignore"],
  })
}

async function startOnSocket(folder: string, choice: HostChoice, options: ConnectOptions): Promise<AttachedPort> {
  const path = socketPath(folder, socketName())
  const child = spawnHost(path, choice, options, [])
  try {
    const { ready, problem } = await answerOf(child)
    if (!ready) throw new Stop(problem, 1)
  } finally {
    child.stdout?.destroy()
    child.unref()
  }
  return attachAt(path, options, { how: "held" })
}

async function startOnPipes(choice: HostChoice, options: ConnectOptions): Promise<AttachedPort> {
  const child = Bun.spawn([selfCommand()[0] ?? "", ...hostArguments(choice, options, ["--stdio"])], {
    cwd: options.folder,
    env: { ...options.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const ends = { input: child.stdout, output: child.stdin }
  return attachPort({
    connect: (events) => connectPipes(ends, events),
    hello: hello(options, { how: "held" }),
  })
}

/** True where `build` is an older version than `own`, both as `1.2.3`. */
export function isOlder(build: string, own: string): boolean {
  const numbers = (version: string): readonly number[] => version.split(/[.-]/).slice(0, 3).map(Number)
  const [theirs, ours] = [numbers(build), numbers(own)]
  const place = ours.findIndex((number, at) => number !== theirs[at])
  return place >= 0 && (theirs[place] ?? 0) < (ours[place] ?? 0)
}

/**
 * The host that runs; one of an older version is asked, by a new host that is started for it, to hand the session over at its next turn boundary.
 * It is watched until then, and when it lets go the way leads to the new one. Where that fails the old one goes on.
 */
async function attachOrSucceed(
  socket: string,
  choice: Extract<HostChoice, { kind: "session" }>,
  options: ConnectOptions,
): Promise<AttachedPort> {
  const port = await attachAt(socket, options, { how: "session", id: choice.id })
  const folder = socketFolder(options.places)
  if (!isOlder(port.welcome.build, options.build) || !folder.ok) return port
  const successor = spawnHost(socketPath(folder.path, socketName()), choice, options, ["--succeed"])
  successor.stdout?.destroy()
  successor.unref()
  return port
}

/** A port on the session that `choice` means. Throws {@link Stop} with a sentence. */
export async function connectHost(choice: HostChoice, options: ConnectOptions): Promise<AttachedPort> {
  if (choice.kind === "session") {
    const holder = readHolder(options.dataDir, choice.id)
    if (holder !== null && isAlive(holder, self())) {
      if (holder.socket !== null) return attachOrSucceed(holder.socket, choice, options)
      const since = new Date(holder.since).toISOString()
      throw new Stop(
        `that session is held by process ${holder.pid} since ${since}, which has no screen to attach to`,
        1,
      )
    }
  }
  const folder = socketFolder(options.places)
  return folder.ok ? startOnSocket(folder.path, choice, options) : startOnPipes(choice, options)
}
