/**
 * `-p` and `--mode json`: the engine in this process, driven through its port.
 *
 * - stdout has the answer or the events and nothing else; notices go to stderr, one sentence a line.
 * - SIGINT stops the run, durably: 130. TERM and HUP leave it pending: 143, 129. A second signal ends at once. Once the ledger is closed the
 *   program goes, whatever still runs in it: commands outlive it.
 * - Events that nobody reads any more end it as TERM does, with 1.
 */
import type { Mode } from "./args.ts"
import { cleanControls } from "../std/clean.ts"
import { requestId } from "../std/id.ts"
import { systemClock } from "../std/clock.ts"
import { rootConversation, type Engine } from "../engine/engine.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { Rejected } from "../ledger/storage.ts"
import type { UserPart } from "../message/message.ts"
import { Refusal, type Frame } from "../protocol/port.ts"
import type { SessionDocument } from "../protocol/records.ts"
import type { View } from "../protocol/view.ts"
import { equipmentOf, firstModel, folderOf, toolNames } from "./assemble.ts"
import { Events } from "./events.ts"
import { runHeadless, type HeadlessEnd } from "./headless.ts"
import { promptParts, readPiped } from "./input.ts"
import { chosenSession, openLedger, type Chosen } from "./open.ts"
import { rememberRepository } from "./folder-identity.ts"
import { consentOf } from "./consent.ts"
import { isReaderGone, jsonLine, Output } from "./output.ts"
import { readPerson, type Person } from "./person.ts"
import { printed } from "./print.ts"
import { assembledOn, Reopens } from "./reopens.ts"
import { Silence, silenceText, type Silent } from "./silence.ts"
import { dropUnbegun, unreadSessions } from "./sessions.ts"
import { onSignals } from "./signals.ts"
import { complain, Stop } from "./stop.ts"

type PrintMode = Extract<Mode, { kind: "print" }>

const leave = (code: number): void => process.exit(code)
/** What a signal means now: before there is a run, and after it, nothing is lost by leaving. */
let heard = leave

/** A pipe that has said nothing for this long may never end: the person is told what is being waited for. */
const quietPipeMs = 2_000
/** Events that a slow reader has not taken yet; beyond, progress of tools is left out, which their results tell whole. */
const waitingMax = 4 * 1024 * 1024

class Headless {
  readonly #mode: PrintMode
  readonly #person: Person
  readonly #reopens = new Reopens(systemClock)
  readonly #requestId = requestId()
  #ledger: Ledger
  readonly #out = new Output(1)
  readonly #err = new Output(2)
  readonly #stop = new AbortController()
  readonly #events = new Events(rootConversation, () => systemClock.now())
  readonly #silence: Silence
  #engine: Engine | null = null
  /** The exit status of what ends this run before its own end. */
  #ending: number | null = null
  /** The run has come to its own end. */
  #over = false
  /** Work was left for whoever opens the session next. */
  #pending = false
  #healthy = true
  #retry = ""
  #remembered: Promise<void> = Promise.resolve()

  constructor(mode: PrintMode, person: Person, ledger: Ledger) {
    this.#mode = mode
    this.#person = person
    this.#ledger = ledger
    this.#silence = new Silence(
      systemClock,
      () => person.settings.merged.config,
      (silent) => this.#silent(silent),
    )
  }

  readonly note = (text: string): void => this.#err.write(`cairn: ${cleanControls(text)}\n`)

  /** Reports of bugs come with a trace, which helps nobody here. */
  readonly #report = (text: string): void => this.note(text.split("\n")[0] ?? text)

  async run(prompt: readonly UserPart[] | null): Promise<number> {
    try {
      for (let admitted = false; ;) {
        const code = await this.#once(prompt, admitted)
        if (code !== null) return code
        this.#ledger = await this.#reopened()
        admitted = (await this.#ledger.submissionByRequest(rootConversation, this.#requestId)) !== undefined
      }
    } finally {
      heard = leave
      await Promise.all([this.#out.flushed(), this.#err.flushed()])
    }
  }

  async #reopened(): Promise<Ledger> {
    heard = leave
    this.#healthy = true
    this.note("the disk failed while a step was saved: the session is opened again, and goes on from what is stored")
    const { session } = this.#ledger
    return openLedger(this.#person, this.#mode.run, { kind: "session", id: session })
  }

  /** Null where the session has to be opened again to go on. */
  async #once(prompt: readonly UserPart[] | null, admitted: boolean): Promise<number | null> {
    const { run, output } = this.#mode
    const consent = run.resume ? "now" : consentOf(this.#person, this.#ledger, systemClock.now())
    const options = { person: this.#person, run, ledger: this.#ledger, consent, report: this.#report } as const
    const assembled = await assembledOn(options)
    if (assembled === null) {
      if (this.#reopens.take()) return null
      throw new Stop("the session cannot be written: its disk fails", 1)
    }
    const { engine } = assembled
    const isFirst = this.#engine === null
    this.#engine = engine
    if (output === "json" && isFirst) {
      this.#out.onFailure((failure) => this.#deaf(failure))
      this.#out.write(header(this.#ledger, this.#person))
    }
    heard = (code) => this.#signal(code)
    // Beside the run, which takes longer: where the folder stands in its repository.
    this.#remembered = rememberRepository(this.#ledger, systemClock).catch((error) => this.#report(String(error)))
    return this.#toEnd(engine, prompt, admitted)
  }

  async #toEnd(engine: Engine, prompt: readonly UserPart[] | null, admitted: boolean): Promise<number | null> {
    let code: number
    try {
      const { end } = await runHeadless(engine.port, {
        conversation: rootConversation,
        prompt,
        requestId: this.#requestId,
        admitted,
        resume: this.#mode.run.resume,
        stop: this.#stop.signal,
        onPending: (held) => {
          if (!admitted) this.note("finishing what was interrupted first")
          if (held !== null) this.note(`${held.reason} It is tried once more.`)
        },
        onFrame: (frame, view) => this.#frame(frame, view),
      })
      const inDoubt = end.kind === "lost" && engine.inDoubt()
      if (inDoubt && this.#ending === null && this.#reopens.take()) return null
      this.#pending ||= inDoubt
      code = this.#ending ?? (await this.#settle(end))
    } catch (error) {
      if (error instanceof Refusal) throw new Stop(error.message, 1)
      throw error
    } finally {
      await this.#close()
    }
    this.#farewell(code)
    return this.#ending ?? code
  }

  #frame(frame: Frame, view: View): void {
    this.#silence.hear(frame, view)
    if (frame.type === "health") this.#health(frame.health)
    if (frame.type === "commit") for (const text of warnings(frame)) this.note(text)
    const tells = this.#mode.output !== "json" || process.stderr.isTTY === true
    if (frame.type === "commit" && tells) this.#tellRetry(view)
    // Work that was finished first settles too, but the last event is the last one of all.
    if (this.#mode.output !== "json" || frame.type === "settled") return
    const full = this.#out.waiting > waitingMax
    for (const event of this.#events.feed(frame)) {
      if (full && event.type === "tool_execution_update") continue
      this.#out.write(jsonLine(event))
    }
  }

  #silent(silent: Silent): void {
    if (this.#mode.output !== "json") return this.note(silenceText(silent))
    const { who: model, silentMs, limitMs } = silent
    this.#out.write(jsonLine({ type: "silence", model, silentMs, limitMs }))
  }

  #health({ state, reason }: { readonly state: string; readonly reason: string }): void {
    if (state === "waiting" && this.#healthy)
      this.note(`the session cannot be saved: ${reason}; it is tried again until it can`)
    if (state === "ok") this.note("the session is saved again")
    this.#healthy = state === "ok"
    if (!this.#healthy && this.#ending !== null) this.#leave()
  }

  #tellRetry(view: View): void {
    const works = [...view.tasks.values()].map(({ work }) => (work.kind === "generation" ? work.retry : undefined))
    const retry = works.find((work) => work !== undefined)
    const key = retry === undefined ? "" : `${retry.attempt} ${retry.until}`
    if (retry !== undefined && key !== this.#retry) {
      const seconds = Math.max(0, Math.round((retry.until - systemClock.now()) / 1_000))
      this.note(`${retry.error} Asking again in ${seconds} s (${retry.attempt} of ${retry.of}).`)
    }
    this.#retry = key
  }

  #signal(code: number): void {
    if (this.#ending !== null) process.exit(code)
    this.#ending = code
    if (code !== 130) return this.#leave()
    this.#engine?.port.request({ type: "abort", conversation: rootConversation }).catch(() => this.#leave())
    this.#stop.abort()
    // Where the mark of the stop cannot be stored there is nothing to wait for.
    if (!this.#healthy) this.#leave()
  }

  /** Closes behind the run's back, which then hears that its port is lost, and waits for this close and says how it went. */
  #leave(): void {
    this.#pending ||= this.#engine?.busy() === true
    this.#engine?.close().catch(() => undefined)
  }

  /** Nobody hears the events any more. */
  #deaf(failure: Error): void {
    if (this.#ending !== null || this.#over) return
    this.#ending = 1
    const gone = isReaderGone(failure)
    this.note(gone ? "nobody reads the events any more" : `the events cannot be written: ${failure.message}`)
    this.#leave()
  }

  async #settle(end: HeadlessEnd): Promise<number> {
    const { out, err, code } = printed(end, process.stdout.isTTY === true)
    this.#err.write(err)
    const json = this.#mode.output === "json"
    if (!json) this.#out.write(out)
    else if (end.kind !== "lost" && end.kind !== "held") this.#out.write(settledEvent(end))
    this.#over = true
    await this.#out.flushed()
    const { failure } = this.#out
    // A reader that wanted no more has had what it wanted.
    if (failure === null || isReaderGone(failure)) return code
    this.note(`the answer cannot be written: ${failure.message}; print it again with: cairn -c -p`)
    return 1
  }

  async #close(): Promise<void> {
    this.#silence.stop()
    if (this.#ending === null) await this.#remembered
    try {
      await this.#engine?.close()
    } catch (error) {
      if (!(error instanceof Rejected)) throw error
      this.note(`the last steps could not be saved: ${error.message}`)
      this.#ending ??= 1
      this.#pending = true
    }
    // A session in which nothing was said is none.
    const session = this.#ledger.live.document(0, "session")?.value as SessionDocument | undefined
    const { kind } = this.#mode.run.session
    if (this.#engine?.inDoubt() !== true && session?.title === "" && kind !== "memory" && kind !== "named")
      dropUnbegun(this.#person.dirs.data, this.#ledger.session, systemClock.now())
  }

  /** What a person may want to know of an end by signal. */
  #farewell(code: number): void {
    if (this.#mode.run.session.kind === "memory") return
    if (code === 130 && this.#ending === 130 && !this.#pending) this.note("the run was stopped; go on with: cairn -c")
    if (this.#pending) this.note("ended with its work pending; finish it with: cairn -c -p")
  }
}

/** What the person should know that is no failure: a failure is told at the end. */
function warnings({ changes }: Extract<Frame, { type: "commit" }>): readonly string[] {
  return changes.flatMap((change) => {
    const data = change.type === "entry" ? change.entry.data : undefined
    return data?.kind === "notice" && "level" in data && data.level === "warning" ? [data.text] : []
  })
}

function header(ledger: Ledger, person: Person): string {
  const timestamp = new Date(systemClock.now()).toISOString()
  return jsonLine({ type: "session", version: 3, id: ledger.session, timestamp, cwd: folderOf(person, ledger) })
}

function settledEvent(end: HeadlessEnd): string {
  return jsonLine({ type: "agent_settled", aborted: end.kind === "aborted" })
}

function say(text: string): void {
  process.stderr.write(`cairn: ${cleanControls(text)}\n`)
}

async function inputOf(mode: PrintMode, person: Person): Promise<readonly UserPart[] | null> {
  const { folder, dirs } = person
  const piped = process.stdin.isTTY === true ? null : await pipedInput()
  const prompt = await promptParts({ words: mode.words, piped, folder, home: dirs.home })
  if (!prompt.ok) throw new Stop(prompt.problem, 2)
  return prompt.parts.length === 0 ? null : prompt.parts
}

async function pipedInput(): Promise<Uint8Array> {
  const cancel = systemClock.after(quietPipeMs, () =>
    say("waiting for the end of the piped input; without any, start it with: </dev/null"),
  )
  try {
    return await readPiped(Bun.stdin.stream())
  } catch (error) {
    throw new Stop(`the piped input cannot be read: ${error instanceof Error ? error.message : String(error)}`, 2)
  } finally {
    cancel()
  }
}

async function announce(chosen: Chosen, mode: PrintMode, person: Person): Promise<void> {
  if (chosen.kind === "new" && chosen.fellBack) say(`there was no session in ${person.folder}: this is a new one`)
  if (mode.run.session.kind !== "continue") return
  const after = chosen.kind === "session" ? chosen.id : null
  for (const { path, note } of await unreadSessions(person.dirs.data, after)) {
    say(`${note}; it may be the newest of this folder, and is left as it is: ${path}`)
  }
}

/** Does not return: a command that outlives this program, or a connection that lingers, would keep it. */
export async function printMode(mode: PrintMode, _version: string): Promise<never> {
  onSignals((code) => heard(code))
  // A bug where nobody catches it: in a line, like any other. What was under way is pending for the next one.
  const bug = (error: unknown): void => void complain(error).then((code) => process.exit(code))
  process.on("uncaughtException", bug)
  process.on("unhandledRejection", bug)
  process.exit(await answer(mode).catch(complain))
}

async function answer(mode: PrintMode): Promise<number> {
  const person = await readPerson(mode.run, true)
  person.problems.forEach(say)
  const prompt = await inputOf(mode, person)
  const resuming = mode.run.session.kind === "continue" || mode.run.session.kind === "named"
  if (prompt === null && !resuming) {
    throw new Stop("there is no prompt: give one as words, with @file, or through a pipe", 2)
  }
  const chosen = await chosenSession(person, mode.run, prompt !== null)
  await announce(chosen, mode, person)
  if (chosen.kind !== "session") await refuseEarly(person, mode)
  // What has ended can be read wherever it lies.
  const ledger = await openLedger(person, mode.run, chosen, prompt === null ? "unwritable" : "never")
  const health = ledger.health()
  if (health.state === "read-only") say(`the session is only looked at: ${health.reason}`)
  return new Headless(mode, person, ledger).run(prompt)
}

/** What would stop a new session anyway is said before one is made. */
async function refuseEarly(person: Person, mode: PrintMode): Promise<void> {
  firstModel(person)
  toolNames(person, mode.run, await equipmentOf(person))
}
