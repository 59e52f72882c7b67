/**
 * Expressions that a person searches for, held against texts in a process of its own: some expressions take for ever on some texts, and nothing
 * but the end of its process ends one.
 *
 * - The process is started by the first expression, answers one batch after the other, one JSON text a line each way, and leaves when it was not
 *   asked for a while, or when its parent is gone. It is given nothing but texts.
 */
import type { Matcher } from "../engine/options.ts"
import { sleep, type Clock } from "../std/clock.ts"
import { isObject, parseJson, type Json } from "../std/json.ts"
import { compileQuery, searchTexts, type TextMatch } from "../std/query.ts"
import { selfCommand } from "./self.ts"

/** What a batch may take. Most take a millisecond. */
const batchMs = 500
/** What a start may take on a machine that is busy. */
const startMs = 5_000
const idleMs = 20_000

const tooSlow =
  "That expression takes too long on what was said here: write it without repetitions inside of repetitions."

const notStarted = "Expressions cannot be searched for now: the process that does it did not start."

type Child = Bun.Subprocess<"pipe", "pipe", "ignore">

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}

/** Asks such a process. Batches are answered in order. */
export class MatchProcess {
  readonly #clock: Clock
  readonly #command: readonly string[]
  #child: { readonly process: Child; readonly lines: AsyncIterator<string> } | null = null
  /** The line with which the process says that it is there. */
  #ready: Promise<Json | null> | null = null
  #last: Promise<unknown> = Promise.resolve()
  #cancelIdle: () => void = () => {}

  constructor(clock: Clock, command: readonly string[] = [...selfCommand(), "host", "--match"]) {
    this.#clock = clock
    this.#command = command
  }

  readonly match: Matcher = (texts, query) => {
    const answer = this.#last.then(() => this.#ask(texts, query))
    this.#last = answer.catch(() => {})
    return answer
  }

  close(): void {
    this.#cancelIdle()
    this.#child?.process.kill("SIGKILL")
    this.#child = null
    this.#ready = null
  }

  async #ask(texts: readonly string[], query: string): ReturnType<Matcher> {
    this.#cancelIdle()
    const { process, lines } = (this.#child ??= this.#start())
    const ready = this.#ready ?? this.#within(lines.next(), startMs)
    this.#ready = ready
    if ((await ready) === null) return this.#failed(notStarted)
    process.stdin.write(`${JSON.stringify({ query, texts })}\n`)
    await process.stdin.flush()
    const said = await this.#within(lines.next(), batchMs)
    if (said === null || !isObject(said) || !Array.isArray(said.matches)) return this.#failed(tooSlow)
    this.#cancelIdle = this.#clock.after(idleMs, () => this.close())
    return { matches: said.matches as unknown as readonly TextMatch[] }
  }

  #failed(problem: string): { readonly problem: string } {
    this.close()
    return { problem }
  }

  #start(): { readonly process: Child; readonly lines: AsyncIterator<string> } {
    const process = Bun.spawn([...this.#command], { stdin: "pipe", stdout: "pipe", stderr: "ignore", env: {} })
    process.unref()
    return { process, lines: linesOf(process.stdout)[Symbol.asyncIterator]() }
  }

  /** What the next line says; null where none comes in time, or ever. */
  async #within(line: Promise<IteratorResult<string>>, ms: number): Promise<Json | null> {
    const done = new AbortController()
    const late = sleep(this.#clock, ms, done.signal).then(() => null)
    const came = await Promise.race([line, late]).finally(() => done.abort())
    return came === null || came.done === true ? null : (parseJson(came.value) ?? null)
  }
}

/** The process itself, until its input ends. */
export async function matchMode(): Promise<number> {
  process.stdout.write("{}\n")
  for await (const line of linesOf(Bun.stdin.stream())) {
    const asked = parseJson(line)
    if (!isObject(asked) || typeof asked.query !== "string" || !Array.isArray(asked.texts)) return 2
    const compiled = compileQuery(asked.query, true)
    const matches = compiled.ok ? searchTexts(asked.texts as unknown as readonly string[], compiled.pattern, true) : []
    process.stdout.write(`${JSON.stringify({ matches })}\n`)
  }
  return 0
}
