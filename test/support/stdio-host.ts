/**
 * A host of the executable on the pipes of the test: driven through its port, killed when the test wants, opened again by another.
 *
 * - It is the real thing from end to end: the binary, the wire, the ledger on a disk.
 * - `view` is what a client of it knows by now.
 */
import type { Frame } from "../../src/protocol/port.ts"
import { protocolVersion } from "../../src/protocol/port.ts"
import { applyFrame, emptyView, type View } from "../../src/protocol/view.ts"
import { attachPort, type AttachedPort } from "../../src/wire/attach.ts"
import { connectPipes } from "../../src/wire/pipes.ts"
import { builtBinary, type Machine } from "./binary.ts"

export type StdioHost = {
  readonly pid: number
  readonly port: AttachedPort
  /** As of the last frame. */
  view(): View
  /** Resolves with the signal that ended it, or null where it left by itself. */
  readonly ended: Promise<NodeJS.Signals | null>
  /** Calls `look` with the view now and after each frame, until what it returns is no longer undefined; undefined where the host ends first. */
  until<T>(look: (view: View) => T | undefined): Promise<T | undefined>
  kill(signal?: NodeJS.Signals): Promise<void>
}

export type StdioHostOptions = {
  /** The session to hold; a new one where none is named. */
  readonly session?: string
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Start it, and watch. Undefined where it ended before it could answer. */
export async function startStdioHost(machine: Machine, options: StdioHostOptions = {}): Promise<StdioHost | undefined> {
  const session = options.session === undefined ? [] : [options.session]
  const child = Bun.spawn([await builtBinary(), "host", ...session, ...(options.flags ?? []), "--stdio"], {
    cwd: machine.work,
    env: { ...machine.env, ...options.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const ended = child.exited.then(() => child.signalCode as NodeJS.Signals | null)
  const hello = { protocol: protocolVersion, build: "test", client: "main", open: { how: "held" } } as const
  const ends = { input: child.stdout, output: child.stdin }
  let port: AttachedPort
  try {
    port = await attachPort({ connect: (events) => connectPipes(ends, events), hello, helloMsMax: 30_000 })
  } catch (error) {
    child.kill("SIGKILL")
    if ((await ended) === null) throw error
    return undefined
  }
  return watched(port, child, ended)
}

function watched(port: AttachedPort, child: Bun.Subprocess, ended: Promise<NodeJS.Signals | null>): StdioHost {
  let view = emptyView
  const looks = new Set<() => void>()
  port.watch((frame: Frame) => {
    view = applyFrame(view, frame)
    for (const look of [...looks]) look()
  })
  return {
    pid: child.pid,
    port,
    view: () => view,
    ended,
    async until<T>(look: (view: View) => T | undefined) {
      const { promise, resolve } = Promise.withResolvers<T | undefined>()
      const again = (): void => {
        const found = look(view)
        if (found !== undefined) resolve(found)
      }
      looks.add(again)
      again()
      void ended.then(() => resolve(undefined))
      return promise.finally(() => looks.delete(again))
    },
    async kill(signal = "SIGKILL") {
      child.kill(signal)
      await ended
    },
  }
}
