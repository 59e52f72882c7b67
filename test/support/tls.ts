/** Certificates of an authority that nobody trusts, a server that bears one, and a proxy that writes down whom it is asked for. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createTcpServer, connect, type AddressInfo, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type Certificates = Disposable & {
  /** The authority's certificate. */
  readonly authority: string
  /** A folder that holds it under the name by which it is looked up. */
  readonly folder: string
  readonly key: string
  readonly certificate: string
}

function openssl(folder: string, ...args: readonly string[]): string {
  const run = Bun.spawnSync(["openssl", ...args], { cwd: folder, stdout: "pipe", stderr: "pipe" })
  if (run.exitCode !== 0) throw new Error(`openssl ${args.join(" ")}: ${run.stderr.toString()}`)
  return run.stdout.toString().trim()
}

/** A certificate for `hosts`, names or addresses, signed by an authority of its own. */
export function makeCertificates(hosts: readonly string[]): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "cairn-tls-"))
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(",")
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
  openssl(folder, "req", "-x509", ...fresh, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Nobody")
  openssl(folder, "req", ...fresh, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
  writeFileSync(join(folder, "ext"), `subjectAltName=${names}`)
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext"]
  openssl(folder, "x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signed)
  const hash = openssl(folder, "x509", "-hash", "-noout", "-in", "ca.pem")
  const store = mkdtempSync(join(folder, "store-"))
  writeFileSync(join(store, `${hash}.0`), readFileSync(join(folder, "ca.pem")))
  return {
    authority: join(folder, "ca.pem"),
    folder: store,
    key: join(folder, "server.key"),
    certificate: join(folder, "server.pem"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type Listening = { readonly port: number; stop(): Promise<void> }

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function bridge(a: Socket, b: Socket): void {
  a.pipe(b).pipe(a)
  a.on("error", () => b.destroy())
  b.on("error", () => a.destroy())
}

/** TLS in front of a plain server on this machine. */
export function startTls(certificates: Certificates, port: number): Promise<Listening> {
  const options = { key: readFileSync(certificates.key), cert: readFileSync(certificates.certificate) }
  return listening(createTlsServer(options, (socket) => bridge(socket, connect(port, "127.0.0.1"))))
}

/** A proxy that leads every tunnel to `port` of this machine, what comes without one to `plain`, and tells what it was asked for. */
export async function startProxy(port: number, plain = 0): Promise<Listening & { readonly asked: readonly string[] }> {
  const asked: string[] = []
  const server = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", (bytes) => {
      const [line = ""] = bytes.toString("latin1").split("\r\n")
      asked.push(line)
      const tunnel = line.startsWith("CONNECT ")
      const inside = connect(tunnel ? port : plain, "127.0.0.1", () => {
        // A request without a tunnel names the whole address; servers take that as well.
        if (tunnel) socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
        else inside.write(bytes.toString("latin1").replace(/ http:\/\/[^/ ]+/, " "), "latin1")
        bridge(socket, inside)
      })
      inside.on("error", () => socket.destroy())
    })
  })
  return { ...(await listening(server)), asked }
}
