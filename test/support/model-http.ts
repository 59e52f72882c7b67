/**
 * HTTP/1.1 by hand on a plain socket, for a server that must cut, reset or stall at an exact byte.
 *
 * - One request per connection, unless `keepAlive`: a client that pools connections sends a request again by itself when a pooled one breaks,
 *   which would use up two replies of a script. Bodies with a length or in chunks; nothing else of HTTP.
 * - A reply is written in pieces of our choosing; an HTTP chunk is as long as the piece that is written.
 */
import { createServer, type Server, type Socket } from "node:net"

export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What may be done with one request's connection. Writes after the client has gone are dropped. */
export type Exchange = {
  readonly request: HttpRequest
  /** Resolves when the connection is closed, whoever closed it. */
  readonly closed: Promise<void>
  head(status: number, headers: Readonly<Record<string, string>>): void
  write(bytes: Uint8Array | string): Promise<void>
  end(): void
  /** A whole answer with a length. */
  answer(status: number, headers: Readonly<Record<string, string>>, body: Uint8Array | string): void
  /** An RST: what a crashed proxy does. */
  reset(): void
  /** A FIN with no last chunk: a body that was cut. */
  cut(): void
}

type Parsed = { readonly request: HttpRequest; readonly rest: Buffer }

function chunkedBody(bytes: Buffer): { body: Buffer; size: number } | undefined {
  const pieces: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString(), 16)
    const start = line + 2
    if (bytes.length < start + size + 2) return undefined
    if (size === 0) return { body: Buffer.concat(pieces), size: start + 2 }
    pieces.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}

/** The first whole request in `bytes`, or undefined until there is one. */
function parse(bytes: Buffer): Parsed | undefined {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const [method = "", path = ""] = first.split(" ")
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const rest = bytes.subarray(end + 4)
  if (headers["transfer-encoding"]?.includes("chunked")) {
    const chunked = chunkedBody(rest)
    if (chunked === undefined) return undefined
    return { request: { method, path, headers, body: chunked.body.toString() }, rest: rest.subarray(chunked.size) }
  }
  const size = Number(headers["content-length"] ?? 0)
  if (rest.length < size) return undefined
  return { request: { method, path, headers, body: rest.subarray(0, size).toString() }, rest: rest.subarray(size) }
}

const reasons: Readonly<Record<number, string>> = { 200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Error" }

function headOf(status: number, headers: Readonly<Record<string, string>>, keepAlive: boolean): string {
  const lines = Object.entries({ connection: keepAlive ? "keep-alive" : "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} ${reasons[status] ?? "Status"}\r\n${lines.join("")}\r\n`
}

type Connection = { readonly socket: Socket; readonly closed: Promise<void>; readonly keepAlive: boolean }

function exchangeOn({ socket, closed, keepAlive }: Connection, request: HttpRequest, next: () => void): Exchange {
  const done = (): void => {
    if (keepAlive) next()
    else socket.end()
  }
  const send = (bytes: Uint8Array | string): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed || !socket.writable) return resolve()
      // A socket that dies while the bytes wait never calls back: the closing resolves as well.
      void closed.then(resolve)
      socket.write(bytes, () => setImmediate(resolve))
    })
  return {
    request,
    closed,
    head: (status, headers) => void send(headOf(status, { ...headers, "transfer-encoding": "chunked" }, keepAlive)),
    async write(bytes) {
      const data = typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes)
      if (data.length === 0) return
      await send(Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]))
    },
    end() {
      void send("0\r\n\r\n")
      done()
    },
    answer(status, headers, body) {
      const data = Buffer.from(body as string)
      void send(
        Buffer.concat([
          Buffer.from(headOf(status, { ...headers, "content-length": `${data.length}` }, keepAlive)),
          data,
        ]),
      )
      done()
    },
    reset: () => void socket.resetAndDestroy(),
    cut: () => void socket.end(),
  }
}

function serveSocket(socket: Socket, keepAlive: boolean, handle: (exchange: Exchange) => void): void {
  socket.setNoDelay(true)
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  // A client that goes away in mid-write is weather here: "close" follows and is what the exchange hears.
  socket.on("error", () => socket.destroy())
  let waiting: Buffer = Buffer.alloc(0)
  let busy = false
  const next = (): void => {
    const parsed = busy ? undefined : parse(waiting)
    if (parsed === undefined) return
    waiting = parsed.rest
    busy = true
    handle(
      exchangeOn({ socket, closed, keepAlive }, parsed.request, () => {
        busy = false
        next()
      }),
    )
  }
  socket.on("data", (data: Buffer) => {
    waiting = Buffer.concat([waiting, data])
    next()
  })
}

export type HttpServer = { readonly url: string; stop(): Promise<void> }

/** Listens on 127.0.0.1, on a free port unless one is named. */
export async function startHttp(
  options: { readonly port: number; readonly keepAlive: boolean },
  handle: (exchange: Exchange) => void,
): Promise<HttpServer> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    serveSocket(socket, options.keepAlive, handle)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, "127.0.0.1", () => resolve())
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the model server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
