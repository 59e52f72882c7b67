/** Networks as people have them: authorities of their own, proxies, and both together. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { runBinary, tempMachine, type Machine, type RunResult } from "../support/binary.ts"
import { configFor, writeConfig } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { makeCertificates, startProxy, startTls, type Certificates, type Listening } from "../support/tls.ts"

let server: ModelServer
let tls: Listening
let certificates: Certificates
beforeAll(async () => {
  server = await startModelServer({ script: () => ({ text: "yes" }) })
  certificates = makeCertificates(["localhost", "127.0.0.1", "models.test"])
  tls = await startTls(certificates, Number(new URL(server.url).port))
})
afterAll(async () => {
  await tls.stop()
  await server.stop()
  certificates[Symbol.dispose]()
})

async function ask(machine: Machine, baseUrl: string, env: Readonly<Record<string, string>>): Promise<RunResult> {
  writeConfig(machine, configFor(baseUrl, { retry: { enabled: false } }))
  return runBinary(machine, ["-p", "hi"], { env })
}

test("a certificate that nobody trusts is refused, and the sentence says what can be done", async () => {
  using machine = tempMachine()
  const refused = await ask(machine, `https://localhost:${tls.port}/v1`, {})
  expect(refused).toMatchObject({ status: 1 })
  expect(refused.stderr).toContain("is not trusted")
  expect(refused.stderr).toContain("NODE_EXTRA_CA_CERTS")
})

const ways: readonly [string, () => Readonly<Record<string, string>>][] = [
  ["NODE_EXTRA_CA_CERTS", () => ({ NODE_EXTRA_CA_CERTS: certificates.authority })],
  ["SSL_CERT_FILE", () => ({ SSL_CERT_FILE: certificates.authority })],
  ["SSL_CERT_DIR, as the system's store is read", () => ({ SSL_CERT_DIR: certificates.folder })],
]

test.each(ways)("an authority of one's own is trusted by %s", async (_, env) => {
  using machine = tempMachine()
  expect(await ask(machine, `https://localhost:${tls.port}/v1`, env())).toMatchObject({ status: 0, stdout: "yes\n" })
})

test.each([["HTTPS_PROXY"], ["https_proxy"]])("%s is asked for hosts that are elsewhere, by name", async (name) => {
  using machine = tempMachine()
  const proxy = await startProxy(tls.port)
  const env = { [name]: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: certificates.authority }
  const answered = await ask(machine, "https://models.test/v1", env)
  await proxy.stop()
  expect(answered).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(proxy.asked).toEqual(["CONNECT models.test:443 HTTP/1.1"])
})

test.each([["HTTP_PROXY"], ["http_proxy"]])("%s is asked for hosts without a certificate", async (name) => {
  using machine = tempMachine()
  const proxy = await startProxy(tls.port, Number(new URL(server.url).port))
  const answered = await ask(machine, "http://models.test/v1", { [name]: `http://127.0.0.1:${proxy.port}` })
  await proxy.stop()
  expect(answered).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(proxy.asked).toEqual(["POST http://models.test/v1/chat/completions HTTP/1.1"])
})

test("hosts of NO_PROXY and of this machine are reached without it", async () => {
  using machine = tempMachine()
  const proxy = await startProxy(tls.port)
  const env = {
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: certificates.authority,
  }
  expect(await ask(machine, `https://localhost:${tls.port}/v1`, env)).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(await ask(machine, server.completionsUrl, env)).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(await ask(machine, "https://models.test/v1", { ...env, NO_PROXY: "models.test" })).toMatchObject({ status: 1 })
  await proxy.stop()
  expect(proxy.asked).toEqual([])
})
