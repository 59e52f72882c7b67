import { expect, test } from "bun:test"
import { join } from "node:path"
import { backlogBytesMax, protocolVersion, Refusal, type Frame } from "../../src/protocol/port.ts"
import type { Hello } from "../../src/protocol/host.ts"
import { attachPort, type AttachedPort } from "../../src/wire/attach.ts"
import type { Connection, ConnectionEvents } from "../../src/wire/connection.ts"
import { encodeLine, LineReader } from "../../src/wire/frame.ts"
import { servePort, type Served } from "../../src/wire/serve.ts"
import { connectSocket, listenSocket } from "../../src/wire/socket.ts"
import { epoch, ScriptedPort, scriptedService } from "./scripted-port.ts"
import { tempFolder, until } from "./temp.ts"

const hello: Hello = { protocol: protocolVersion, build: "1.2.3", client: "main", open: { how: "held" } }

/** A host with one scripted session on a socket of its own. */
async function startHost() {
  const folder = tempFolder()
  const path = join(folder.path, "0123abcd.sock")
  const port = new ScriptedPort()
  const service = scriptedService(port)
  const served: Served[] = []
  const listener = await listenSocket(path, (connection) => {
    const client = servePort(connection, service)
    served.push(client)
    return client
  })
  return {
    path,
    port,
    service,
    served,
    attach: (how: Partial<Hello> = {}): Promise<AttachedPort> =>
      attachPort({ connect: (events) => connectSocket(path, events), hello: { ...hello, ...how } }),
    async [Symbol.asyncDispose]() {
      await Promise.all(served.map((client) => client.end("The test is over.")))
      listener.stop()
      folder[Symbol.dispose]()
    },
  }
}

/** A client that sends bytes of its own choice and reads only when told to. */
async function rawClient(path: string) {
  const reader = new LineReader()
  const lines: unknown[] = []
  let closed: string | undefined
  const events: ConnectionEvents = {
    data: (bytes) => void lines.push(...reader.push(bytes).map((read) => (read.ok ? read.value : read.reason))),
    drained() {},
    closed: (reason) => void (closed = reason),
  }
  const connection: Connection = await connectSocket(path, events)
  return {
    lines,
    closed: () => closed,
    send: (value: object) => connection.write(encodeLine(value) ?? new Uint8Array()),
    bytes: (text: string) => connection.write(new TextEncoder().encode(text)),
    close: () => connection.close(),
  }
}

const textsOf = (frames: readonly Frame[]): string[] =>
  frames.map((frame) =>
    frame.type === "commit" ? `commit ${frame.seq}` : frame.type === "snapshot" ? `snapshot ${frame.seq}` : frame.type,
  )

test("a watch begins with a snapshot and goes on with every commit, in order", async () => {
  await using host = await startHost()
  host.port.commit("one")
  const client = await host.attach()
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await until(() => host.port.watchers === 1)
  host.port.commit("two")
  host.port.publish({ type: "settled", aborted: false })
  host.port.commit("three")
  await until(() => frames.length === 4)
  expect(textsOf(frames)).toEqual(["snapshot 1", "commit 2", "settled", "commit 3"])
})

test("a watch from a cursor gets what has come since, and no snapshot", async () => {
  await using host = await startHost()
  for (const text of ["one", "two", "three"]) host.port.commit(text)
  const client = await host.attach()
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame), { epoch, seq: 1 })
  await until(() => frames.length === 2)
  expect(textsOf(frames)).toEqual(["commit 2", "commit 3"])
})

test("an ended watch hears nothing more, while another one of the same client goes on", async () => {
  await using host = await startHost()
  const client = await host.attach()
  const [first, second]: [Frame[], Frame[]] = [[], []]
  const stop = client.watch((frame) => first.push(frame))
  client.watch((frame) => second.push(frame))
  await until(() => first.length === 1 && second.length === 1)
  stop()
  host.port.commit("one")
  await until(() => second.length === 2 && host.port.watchers === 1)
  expect(textsOf(first)).toEqual(["snapshot 0"])
})

test("a command arrives as it was sent and its answer comes back, whichever is ready first", async () => {
  await using host = await startHost()
  const slow = Promise.withResolvers<unknown>()
  host.port.answer = (command) => (command.type === "title" ? slow.promise : Promise.resolve({ notice: "done" }))
  const client = await host.attach()
  const title = client.request({ type: "title", title: "Zwölf 🥊" })
  expect(await client.request({ type: "configure", conversation: 1, model: "m" })).toEqual({ notice: "done" })
  slow.resolve(null)
  expect(await title).toBeNull()
  expect(host.port.commands).toEqual([
    { type: "title", title: "Zwölf 🥊" },
    { type: "configure", conversation: 1, model: "m" },
  ])
})

test("a refusal is a refusal at the other end, and a failure says that it was the host's", async () => {
  await using host = await startHost()
  host.port.answer = (command) =>
    Promise.reject(
      command.type === "resume" ? new Refusal("nothing_held", "Nothing waits.") : new Error("disk on fire"),
    )
  const client = await host.attach()
  const refusal = await client.request({ type: "resume" }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ code: "nothing_held", message: "Nothing waits." })
  const failure = await client.request({ type: "models" }).catch((error: unknown) => error)
  expect(failure).not.toBeInstanceOf(Refusal)
  expect(failure).toMatchObject({ message: "disk on fire" })
})

test("an input larger than a line arrives whole, and so does an answer", async () => {
  await using host = await startHost()
  host.port.answer = (command) => Promise.resolve({ text: command.type === "shell" ? command.command : "" })
  const client = await host.attach()
  const command = "é".repeat(6 * 1024 * 1024)
  const answer = await client.request({ type: "shell", conversation: 1, command, excluded: true })
  expect(answer as unknown).toEqual({ text: command })
})

test("a commit larger than the whole backlog arrives as that commit", async () => {
  await using host = await startHost()
  const client = await host.attach()
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await until(() => frames.length === 1)
  host.port.commit("x".repeat(backlogBytesMax + 1))
  await until(() => frames.length === 2)
  host.port.commit("small")
  await until(() => frames.length === 3)
  expect(textsOf(frames)).toEqual(["snapshot 0", "commit 1", "commit 2"])
})

test("a client with too many requests open is refused further ones, and is heard again once they are answered", async () => {
  await using host = await startHost()
  const answers = Promise.withResolvers<null>()
  host.port.answer = () => answers.promise
  const client = await host.attach()
  const open = Array.from({ length: 1_000 }, () => client.request({ type: "resume" }))
  await expect(client.request({ type: "resume" })).rejects.toMatchObject({ code: "too_many" })
  answers.resolve(null)
  await Promise.all(open)
  expect(await client.request({ type: "resume" })).toBeNull()
})

test("a value larger than the wire carries is refused on the side where it is, and the connection lives", async () => {
  await using host = await startHost()
  const large = "x".repeat(64 * 1024 * 1024)
  host.port.answer = (command) => Promise.resolve(command.type === "models" ? large : null)
  const client = await host.attach()
  await expect(client.request({ type: "title", title: large })).rejects.toMatchObject({ code: "too_large" })
  await expect(client.request({ type: "models" })).rejects.toMatchObject({ code: "too_large" })
  expect(await client.request({ type: "resume" })).toBeNull()
})

test("the host and the list of sessions answer on the same connection", async () => {
  await using host = await startHost()
  const client = await host.attach()
  expect(await client.host.request({ type: "hostInfo" })).toMatchObject({ pid: 11, session: "s1", busy: true })
  expect(await client.host.request({ type: "stop", how: "idle" })).toBeNull()
  expect(await client.sessions.list({ folder: "/f" })).toMatchObject([{ id: "s1", folder: "/f" }])
  expect(await client.sessions.find("s1")).toEqual({ status: "one", id: "s1" })
  const { sessions } = client
  expect(await sessions.search({ text: "x", limit: 5 })).toEqual({ hits: [], more: "12", unread: 3 })
  expect(await sessions.search({ text: "x", limit: 5, after: "12" })).toMatchObject({ more: null })
  expect(await sessions.preview("s1")).toEqual({ input: "asked in s1", answer: "said" })
  await sessions.change("s1", { title: "free", archived: true, tags: ["a"] })
  expect(sessions.change("s1", { title: "taken" })).rejects.toThrow("That name is taken.")
  await sessions.remove("s1")
  expect(sessions.restore("s1")).rejects.toThrow("It is not there any more.")
  expect(client.welcome).toEqual({ protocol: protocolVersion, build: "1.2.3", pid: 11 })
})

test("a client that opens no session may ask about the host, and nothing else", async () => {
  await using host = await startHost()
  const client = await host.attach({ open: { how: "none" } })
  expect(await client.host.request({ type: "hostInfo" })).toMatchObject({ pid: 11 })
  await expect(client.request({ type: "resume" })).rejects.toMatchObject({ code: "no_session" })
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await until(() => frames.length === 1)
  expect(frames).toMatchObject([{ type: "lost", reason: "This connection has opened no session." }])
})

test("a session that cannot be opened is refused in the host's words", async () => {
  await using host = await startHost()
  const refused = await host.attach({ open: { how: "session", id: "missing" } }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refusal)
  expect(refused).toMatchObject({ message: "There is no session missing." })
})

test("another protocol version is refused in a sentence that names both builds", async () => {
  await using host = await startHost()
  const refused = await host.attach({ protocol: protocolVersion + 1, build: "9.9.9" }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: "protocol_mismatch" })
  expect(String(refused)).toContain("cairn 1.2.3")
  expect(String(refused)).toContain("cairn 9.9.9")
})

test("a hello of another version is refused as such, whatever else it says", async () => {
  await using host = await startHost()
  const client = await rawClient(host.path)
  client.send({ type: "hello", protocol: "2.0", strange: true })
  await until(() => client.closed() !== undefined)
  expect(client.lines).toMatchObject([{ type: "refused", code: "protocol_mismatch" }])
})

test.each([
  ["not JSON", "hello?\n", "A line was not a JSON object."],
  [
    "a command before the hello",
    '{"type":"command","id":1,"command":{"type":"resume"}}\n',
    "came before the session was open",
  ],
  ["a hello with a part missing", '{"type":"hello","protocol":1,"build":"1"}\n', 'needs "client" as a text'],
  ["an unknown line", '{"type":"dance"}\n', "is not known to this host"],
])("a client that opens with %s is told why and let go", async (_, bytes, sentence) => {
  await using host = await startHost()
  const client = await rawClient(host.path)
  client.bytes(bytes)
  await until(() => client.closed() !== undefined)
  expect(client.lines).toMatchObject([{ type: "refused", code: "bad_line" }])
  expect(JSON.stringify(client.lines)).toContain(JSON.stringify(sentence).slice(1, -1))
})

test.each([
  ["an unknown command", { type: "dance" }, 'The command "dance" is not known to this host.'],
  [
    "a name from the language's own objects",
    { type: "constructor" },
    'The command "constructor" is not known to this host.',
  ],
  [
    "a field of another type",
    { type: "abort", conversation: "1" },
    'The command "abort" needs "conversation" as a whole number.',
  ],
  [
    "a part of no known kind",
    { type: "submit", conversation: 1, requestId: "r", mode: "steer", content: [{ type: "movie" }] },
    'The command "submit" needs "content" as a list of text and image parts.',
  ],
  [
    "a mode that there is not",
    { type: "submit", conversation: 1, requestId: "r", mode: "later", content: [] },
    'The command "submit" needs "mode" as one of steer, followUp.',
  ],
])("%s is refused by its id, never reaches the session, and the client goes on", async (_, command, message) => {
  await using host = await startHost()
  const client = await rawClient(host.path)
  client.send({ type: "hello", ...hello })
  await until(() => client.lines.length === 2)
  client.send({ type: "command", id: 5, command })
  client.send({ type: "command", id: 6, command: { type: "resume" } })
  await until(() => client.lines.length === 4)
  expect(client.lines.slice(2)).toEqual([
    { type: "reply", id: 5, ok: false, refused: { code: "bad_command", message } },
    { type: "reply", id: 6, ok: true, value: null },
  ])
  expect(host.port.commands).toEqual([{ type: "resume" }])
  client.close()
})

test("a client that breaks off in the middle of a line harms nobody", async () => {
  await using host = await startHost()
  const watcher = await host.attach()
  const frames: Frame[] = []
  watcher.watch((frame) => frames.push(frame))
  const broken = await rawClient(host.path)
  broken.send({ type: "hello", ...hello })
  await until(() => broken.lines.length === 2)
  broken.send({ type: "watch", watch: 1 })
  await until(() => host.port.watchers === 2)
  broken.bytes('{"type":"command","id":1,"comm')
  broken.close()
  await until(() => host.port.watchers === 1)
  host.port.commit("one")
  await until(() => frames.length === 2)
  expect(textsOf(frames)).toEqual(["snapshot 0", "commit 1"])
  expect(host.port.commands).toEqual([])
  expect(host.port.closed).toBe(0)
  expect(host.service.gone()).toBe(1)
})

test("when the host lets go, a watch ends with its reason, open requests are rejected, and so are later ones", async () => {
  await using host = await startHost()
  host.port.answer = () => new Promise(() => {})
  const client = await host.attach()
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await until(() => frames.length === 1)
  const open = client.request({ type: "resume" }).catch((error: unknown) => error)
  await until(() => host.port.commands.length === 1)
  await host.served[0]?.end("The host was asked to stop.")
  expect(await open).toMatchObject({ name: "Unreachable", message: "The host was asked to stop." })
  expect(frames.at(-1)).toEqual({ type: "lost", reason: "The host was asked to stop." })
  await expect(client.request({ type: "resume" })).rejects.toMatchObject({ message: "The host was asked to stop." })
  const late: Frame[] = []
  client.watch((frame) => late.push(frame))
  await until(() => late.length === 1)
  expect(late).toEqual([{ type: "lost", reason: "The host was asked to stop." }])
})

test("a watch ends with the lost frame of its session, and the connection goes on", async () => {
  await using host = await startHost()
  const client = await host.attach()
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await until(() => host.port.watchers === 1)
  host.port.publish({ type: "lost", reason: "The session was handed over." })
  await until(() => frames.length === 2)
  expect(textsOf(frames)).toEqual(["snapshot 0", "lost"])
  expect(host.port.watchers).toBe(0)
  expect(await client.host.request({ type: "hostInfo" })).toMatchObject({ pid: 11 })
})

test("closing a port ends its watches at the host and tells nobody that the host is lost", async () => {
  await using host = await startHost()
  const client = await host.attach()
  const frames: Frame[] = []
  client.watch((frame) => frames.push(frame))
  await until(() => host.port.watchers === 1 && frames.length === 1)
  await client.close()
  await until(() => host.port.watchers === 0)
  expect(textsOf(frames)).toEqual(["snapshot 0"])
  expect(host.port.closed).toBe(0)
})

test("a client that goes while its session is being opened is counted out again", async () => {
  await using host = await startHost()
  const opening = Promise.withResolvers<void>()
  const { service } = host
  const open = service.open
  service.open = async (asked) => {
    await opening.promise
    return open(asked)
  }
  const client = await rawClient(host.path)
  client.send({ type: "hello", ...hello })
  await until(() => client.lines.length === 1)
  client.close()
  await until(() => client.closed() !== undefined)
  opening.resolve()
  await until(() => service.gone() === 1)
  expect(host.port.watchers).toBe(0)
})
