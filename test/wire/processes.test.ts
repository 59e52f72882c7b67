import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { backlogFramesMax, protocolVersion, type Frame } from "../../src/protocol/port.ts"
import type { Hello } from "../../src/protocol/host.ts"
import { attachPort, type AttachedPort } from "../../src/wire/attach.ts"
import { connectPipes, type PipeEnds } from "../../src/wire/pipes.ts"
import { servePort } from "../../src/wire/serve.ts"
import { connectSocket, listenSocket, socketState } from "../../src/wire/socket.ts"
import { epoch, ScriptedPort, scriptedService } from "./scripted-port.ts"
import { tempFolder, until } from "./temp.ts"

const hello: Hello = { protocol: protocolVersion, build: "1.2.3", client: "main", open: { how: "held" } }

/** Ten-fold of what a busy machine takes to start a process that answers. */
const patienceMs = 30_000

function start(script: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    exited: child.exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    // A stopped process hears no gentler word.
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await child.exited
    },
  }
}

/** The lines that a process prints, each asked for in turn. */
function linesOf(output: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = output.getReader()
  const decoder = new TextDecoder()
  let text = ""
  return async () => {
    while (!text.includes("\n")) {
      const part = await reader.read()
      if (part.done) throw new Error(`the process ended with "${text}"`)
      text += decoder.decode(part.value, { stream: true })
    }
    const line = text.slice(0, text.indexOf("\n"))
    text = text.slice(line.length + 1)
    return line
  }
}

async function startHost(path: string) {
  const host = start("host-process.ts", path)
  expect(await linesOf(host.stdout)()).toBe("ready")
  return host
}

const attach = (path: string): Promise<AttachedPort> =>
  attachPort({ connect: (events) => connectSocket(path, events), hello, helloMsMax: patienceMs })

const shell = (command: string) => ({ type: "shell", conversation: 1, command, excluded: true }) as const

test("T30: a killed host is lost to its clients, and the next one takes its socket and goes on from the cursor", async () => {
  using folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  await using first = await startHost(path)
  const client = await attach(path)
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await client.request(shell("commit 2 5"))
  await until(() => frames.length === 3)
  const killed = await client.request(shell("die")).catch((error: unknown) => error)
  expect(killed).toMatchObject({ name: "Unreachable" })
  expect(frames.at(-1)).toEqual({ type: "lost", reason: "The other side closed the connection." })
  await first.exited
  expect(existsSync(path)).toBe(true)
  expect(await socketState(path)).toBe("stale")

  await using _second = await startHost(path)
  const again = await attach(path)
  await again.request(shell("commit 3 5"))
  const later: Frame[] = []
  again.watch((frame) => later.push(frame), { epoch, seq: 2 })
  await until(() => later.length === 1)
  expect(later).toMatchObject([{ type: "commit", seq: 3 }])
})

test("T30: a stopped client holds up neither the session nor another client, and gets a snapshot when it goes on", async () => {
  using folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  const port = new ScriptedPort()
  const listener = await listenSocket(path, (connection) => servePort(connection, scriptedService(port)))
  const last = 5 * backlogFramesMax
  await using stopped = start("client-process.ts", path, String(last))
  const said = linesOf(stopped.stdout)
  expect(await said()).toBe("watching")
  await using reader = start("client-process.ts", path, String(last))
  const heard = linesOf(reader.stdout)
  expect(await heard()).toBe("watching")

  stopped.kill("SIGSTOP")
  for (let count = 0; count < last; count++) {
    port.commit("x".repeat(5_000))
    // The one that reads gets its turn; the one that is stopped never asks for one.
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await heard()
  // Far over both limits, and let go: the session no longer even tells the stopped one.
  expect(port.watchers).toBe(1)
  stopped.kill("SIGCONT")
  const seen = JSON.parse(await said()) as { snapshots: number; commits: number; gaps: number }
  expect(seen.gaps).toBe(0)
  expect(seen.snapshots).toBeGreaterThanOrEqual(2)
  expect(seen.commits).toBeLessThan(2 * backlogFramesMax)
  listener.stop()
})

test("T30: a client killed while it is behind is forgotten", async () => {
  using folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  const port = new ScriptedPort()
  const service = scriptedService(port)
  const listener = await listenSocket(path, (connection) => servePort(connection, service))
  await using client = start("client-process.ts", path, "0")
  expect(await linesOf(client.stdout)()).toBe("watching")
  client.kill("SIGSTOP")
  for (let count = 0; count < 2 * backlogFramesMax; count++) port.commit("x".repeat(5_000))
  client.kill("SIGKILL")
  await until(() => service.gone() === 1)
  expect(port.watchers).toBe(0)
  listener.stop()
})

test("a host that is stopped is called silent, and whoever asked may go on", async () => {
  using folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  await using host = await startHost(path)
  host.kill("SIGSTOP")
  const silent = await attachPort({ connect: (events) => connectSocket(path, events), hello, helloMsMax: 20 }).catch(
    (error: unknown) => error,
  )
  expect(silent).toMatchObject({
    name: "Unreachable",
    message: "The host did not answer in time: it may be stopped or busy.",
  })
})

test("a socket that a live host listens on is not taken from it", async () => {
  using folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  await using _host = await startHost(path)
  await expect(listenSocket(path, () => ({ data() {}, drained() {}, closed() {} }))).rejects.toThrow(
    `Another process listens at ${path}.`,
  )
  const client = await attach(path)
  expect(await client.host.request({ type: "hostInfo" })).toMatchObject({ pid: 11 })
})

test("over pipes a session is the same, and a screen that does not read holds up nobody else", async () => {
  using folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  await using host = start("host-process.ts", path, "pipes")
  // The screen's end, with a gate: while it is shut nothing is read from the pipe.
  let gate = Promise.resolve()
  const input = host.stdout.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>(
      { transform: (part, out) => gate.then(() => out.enqueue(part)) },
      { highWaterMark: 1 },
      { highWaterMark: 0 },
    ),
  )
  const ends: PipeEnds = { input, output: host.stdin }
  const screen = await attachPort({ connect: (events) => connectPipes(ends, events), hello, helloMsMax: patienceMs })
  const frames: Frame[] = []
  screen.watch((frame) => frames.push(frame))
  expect(await screen.request(shell("commit 3 100000"))).toMatchObject({ entry: 3 })
  await until(() => frames.length === 4)

  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const other = await attach(path)
  // What the pipe and the reader's own buffers take is soon full; from then on the session does not even tell the screen.
  let answer = { entry: 0, output: "1" }
  while (answer.output !== "0") answer = (await other.request(shell("commit 500 50000"))) as typeof answer
  resolve()
  await until(() => frames.at(-1)?.type === "snapshot" && (frames.at(-1) as { seq: number }).seq === answer.entry)
  const hung = screen.request(shell("hang")).catch((error: unknown) => error)
  host.kill("SIGKILL")
  expect(await hung).toMatchObject({ name: "Unreachable" })
  expect(frames.at(-1)?.type).toBe("lost")
})
