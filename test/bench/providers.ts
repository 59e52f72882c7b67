/** The provider layer: how soon a stop reaches the server, what a request costs beside the network, and what each SDK costs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "../../src/build.ts"
import { createProviders } from "../../src/providers/registry.ts"
import type { ApiName, ModelRequest } from "../../src/providers/provider.ts"
import type { Json } from "../../src/std/json.ts"
import { systemClock } from "../../src/std/clock.ts"
import { builtBinary, type Machine } from "../support/binary.ts"
import { localMachine, writeConfig } from "../support/local-model.ts"
import type { Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { median, range, repeat, timed, type Bench } from "./measure.ts"

const formats = ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"] as const

function urlOf(server: ModelServer, api: ApiName): string {
  if (api === "anthropic-messages") return server.anthropicUrl
  return api === "google-generative-ai" ? server.googleUrl : server.completionsUrl
}

/** Asks once; `heard` is called at the first delta. */
async function asker(
  server: ModelServer,
  api: ApiName,
): Promise<(signal: AbortSignal, heard?: () => void) => Promise<unknown>> {
  const config = { local: { api, baseUrl: urlOf(server, api), models: [{ id: "m", contextWindow: 100_000 }] } }
  const providers = createProviders({ providers: config, keys: () => "k" })
  const found = providers.resolve("local/m")
  if (!("model" in found)) throw new Error(found.problem)
  const format = await providers.apiOf(found.model)
  const content = [{ type: "text", text: "hi" }] as const
  const messages: ModelRequest["messages"] = [{ role: "user", content, timestamp: 0 }]
  const request: ModelRequest = { model: found.model, system: "", tools: [], messages, thinking: "off" }
  return (signal, heard = () => {}) =>
    format.call(request, format.encode(request), {
      apiKey: "k",
      headers: {},
      signal,
      clock: systemClock,
      stallMs: 60_000,
      onDelta: heard,
    })
}

const places: readonly (readonly [string, Reply])[] = [
  ["before the headers", { hang: "before-headers" }],
  ["before the first byte", { hang: "after-headers" }],
  ["in the middle", { text: "hello", hang: "mid" }],
]

/** Milliseconds from the stop to the server's end of the connection. */
async function stopOnce(server: ModelServer, api: ApiName, reply: Reply): Promise<number> {
  server.script([reply])
  const at = server.requests.length
  const controller = new AbortController()
  const begun = Promise.withResolvers<void>()
  const asked = (await asker(server, api))(controller.signal, () => begun.resolve()).catch(() => undefined)
  const request = await server.request(at)
  if ("text" in reply) await begun.promise
  const started = performance.now()
  controller.abort()
  await request.closed
  const ms = performance.now() - started
  await asked
  return ms
}

const stop: Bench = {
  name: "provider-stop",
  async run() {
    const server = await startModelServer()
    const rows: string[] = []
    for (const api of formats)
      for (const [place, reply] of places) {
        const times = await repeat(20, () => stopOnce(server, api, reply))
        rows.push(`${api}, stopped ${place}: the server sees it after ${range(times, "ms")}`)
      }
    await server.stop()
    return rows
  },
}

const own: Bench = {
  name: "provider-request",
  async run() {
    const server = await startModelServer({ script: () => ({ text: "yes" }) })
    const { signal } = new AbortController()
    const rows: string[] = []
    for (const api of formats) {
      const ask = await asker(server, api)
      await repeat(20, () => ask(signal))
      const body = server.requests.at(-1)
      const took = async (work: () => Promise<unknown>): Promise<number> => {
        const started = performance.now()
        await work()
        return performance.now() - started
      }
      const whole = await repeat(200, () => took(() => ask(signal)))
      const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" }
      const init = { method: "POST", headers, body: body?.bodyText ?? "" }
      const bare = await repeat(200, () =>
        took(async () => (await fetch(server.url + (body?.path ?? ""), init)).text()),
      )
      const layer = (median(whole) - median(bare)).toFixed(2)
      rows.push(
        `${api}: ${range(whole, "ms")} a request, a bare fetch ${range(bare, "ms")}; the layer's own ${layer} ms`,
      )
    }
    await server.stop()
    return rows
  },
}

const sdks = ["openai", "@anthropic-ai/sdk", "@google/genai/web"] as const

/** Prints the memory that is the process's own: the executable's pages are shared by all. */
const tell = `console.log((await Bun.file("/proc/self/smaps_rollup").text()).match(/Private_Dirty: +(\\d+)/)?.[1] ?? "0")`

/** A program that loads the SDK that it is told to; all of them at its start, or none before it is told. */
async function sdkProgram(folder: string, lazy: boolean): Promise<string> {
  const name = lazy ? "lazy" : "whole"
  const entry = join(folder, `${name}.ts`)
  const at = (sdk: string): string => JSON.stringify(Bun.resolveSync(sdk, import.meta.dir))
  const loads = sdks.map(
    (sdk) =>
      `if (process.argv[2] === ${JSON.stringify(sdk)}) Object.assign(globalThis, { sdk: await import(${at(sdk)}) })`,
  )
  const imports = sdks.map((sdk, place) => `import * as sdk${place} from ${at(sdk)}`)
  // Held on to, or the bundler leaves out what nobody uses.
  const used = `Object.assign(globalThis, { sdks: [${sdks.map((_, place) => `sdk${place}`).join(", ")}] })`
  writeFileSync(entry, [...(lazy ? loads : [...imports, used]), tell].join("\n"))
  const outfile = join(folder, name)
  await build({ entry, outfile })
  return outfile
}

const cost: Bench = {
  name: "provider-sdk",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "cairn-sdks-"))
    const env = { PATH: process.env.PATH ?? "" }
    const once = async (command: readonly string[]): Promise<{ readonly ms: number; readonly mb: number }> => {
      const started = performance.now()
      const child = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" })
      const told = await new Response(child.stdout).text()
      await child.exited
      return { ms: performance.now() - started, mb: Number(told) / 1024 }
    }
    const row = async (name: string, command: readonly string[]): Promise<string> => {
      const runs = await repeat(11, () => once(command))
      const ms = runs.map((run) => run.ms)
      const mb = runs.map((run) => run.mb)
      return `${name}: ${range(ms, "ms")}; ${range(mb, "MB of its own")}`
    }
    try {
      const lazy = await sdkProgram(folder, true)
      const whole = await sdkProgram(folder, false)
      const rows = [await row("loaded on first use, none used", [lazy])]
      for (const sdk of sdks) rows.push(await row(`loaded on first use, ${sdk} used`, [lazy, sdk]))
      return [...rows, await row("all loaded at the start", [whole])]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** The executable as it is, and as it would be with all SDKs loaded at its start. */
async function bothBinaries(folder: string): Promise<Readonly<Record<string, string>>> {
  const entry = join(folder, "eager.ts")
  const at = (sdk: string): string => JSON.stringify(Bun.resolveSync(sdk, import.meta.dir))
  const imports = sdks.map((sdk, place) => `import * as sdk${place} from ${at(sdk)}`)
  const main = JSON.stringify(join(import.meta.dir, "../../src/main.ts"))
  const used = `Object.assign(globalThis, { sdks: [${sdks.map((_, place) => `sdk${place}`).join(", ")}] })`
  writeFileSync(entry, [...imports, `import ${main}`, used].join("\n"))
  const outfile = join(folder, "eager")
  await build({ entry, outfile })
  return { "on first use": await builtBinary(), "all at the start": outfile }
}

/** Memory that is the process's own: the executable's pages are shared by all. */
function privateMb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
  return Number(/Private_Dirty: +(\d+)/.exec(rollup)?.[1] ?? 0) / 1024
}

/** Reads until `word` was said; the rest is left, since a reader that goes ends the run. */
async function said(stdout: ReadableStream<Uint8Array>, word: string): Promise<void> {
  const reader = stdout.getReader()
  const decoder = new TextDecoder()
  for (let text = ""; !text.includes(word);) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`it ended before ${word}: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
}

/** Runs `command` until `until` settles; the time that took, and its own memory then. */
async function watched(
  command: readonly string[],
  machine: Machine,
  until: (child: { readonly stdout: ReadableStream<Uint8Array> }) => Promise<void>,
): Promise<{ readonly ms: number; readonly mb: number }> {
  const started = performance.now()
  const options = {
    cwd: machine.work,
    env: { ...machine.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  } as const
  const child = Bun.spawn([...command], options)
  await until(child)
  const [ms, mb] = [performance.now() - started, privateMb(child.pid)]
  child.kill("SIGKILL")
  await child.exited
  return { ms, mb }
}

/** What loading on first use saves, in the executable itself: a start that asks no model, and a request by each format and by none. */
const lazy: Bench = {
  name: "provider-lazy",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "cairn-lazy-"))
    const server = await startModelServer({ script: () => ({ hang: "before-headers" }) })
    const rows: string[] = []
    try {
      const binaries = await bothBinaries(folder)
      const asks = async (binary: string, config: Json, tour: boolean): Promise<{ ms: number; mb: number }> => {
        using machine = localMachine(server)
        writeConfig(machine, config)
        const at = server.requests.length
        const command = [binary, "-p", "hi", "--mode", "json", "--no-session"]
        return await watched(command, machine, async ({ stdout }) => {
          if (tour) await said(stdout, "turn_start")
          else await server.request(at)
        })
      }
      for (const [when, binary] of Object.entries(binaries)) {
        const row = async (name: string, config: Json, tour = false): Promise<void> => {
          const runs = await repeat(9, () => asks(binary, config, tour))
          const ms = range(
            runs.map((run) => run.ms),
            "ms to the request",
          )
          rows.push(
            `SDKs loaded ${when}, ${name}: ${ms}; ${range(
              runs.map((run) => run.mb),
              "MB of its own",
            )}`,
          )
        }
        using machine = localMachine(server)
        const starts = await repeat(21, () =>
          timed([binary, "--version"], { cwd: machine.work, env: { ...machine.env } }),
        )
        rows.push(
          `SDKs loaded ${when}, --version: ${range(
            starts.map(({ ms }) => ms),
            "ms",
          )}`,
        )
        await row("a script in place of a model", { model: "tour/guide" }, true)
        for (const api of formats) {
          const models = [{ id: "m", contextWindow: 100_000, maxTokens: 4_000 }]
          const local = { api, baseUrl: urlOf(server, api), apiKey: "k", models }
          await row(api, { model: "local/m", providers: { local } })
        }
      }
      return rows
    } finally {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const word: Bench = {
  name: "provider-print",
  async run() {
    const server = await startModelServer({ script: () => ({ text: "yes" }) })
    const binary = await builtBinary()
    const rows: string[] = []
    for (const api of formats) {
      const models = [{ id: "m", contextWindow: 100_000, maxTokens: 4_000 }]
      const providers = { local: { api, baseUrl: urlOf(server, api), apiKey: "k", models } }
      using machine = localMachine(server, { model: "local/m", providers })
      const runs = await repeat(10, () => timed([binary, "-p", "hi"], { cwd: machine.work, env: { ...machine.env } }))
      const failed = runs.filter(({ status }) => status !== 0).length
      const ms = range(
        runs.map((run) => run.ms),
        "ms",
      )
      rows.push(`one word by ${api}: ${ms}${failed > 0 ? `; ${failed} FAILED` : ""}`)
    }
    await server.stop()
    return rows
  },
}

export const providerBenches: readonly Bench[] = [stop, own, cost, lazy, word]
