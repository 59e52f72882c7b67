/**
 * `-p` and `--mode json`: the engine in this process, driven through its port.
 *
 * - stdout has the answer or the events and nothing else; notices go to stderr.
 * - SIGINT stops the run, durably: 130. TERM and HUP leave it pending: 143, 129. A second signal ends at once.
 */
import type { Mode } from "./args.ts"
import { cleanControls } from "../std/clean.ts"
import { requestId } from "../std/id.ts"
import { systemClock } from "../std/clock.ts"
import { rootConversation } from "../engine/engine.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { UserPart } from "../message/message.ts"
import { assemble, firstModel, toolNames } from "./assemble.ts"
import { Events } from "./events.ts"
import { runHeadless, type HeadlessEnd } from "./headless.ts"
import { promptParts } from "./input.ts"
import { chosenSession, openLedger, type Chosen } from "./open.ts"
import { consentOf } from "./consent.ts"
import { readPerson, type Person } from "./person.ts"
import { printed } from "./print.ts"
import { onSignals } from "./signals.ts"
import { Stop } from "./stop.ts"

type PrintMode = Extract<Mode, { kind: "print" }>

function note(text: string): void {
  process.stderr.write(`cairn: ${cleanControls(text)}\n`)
}

async function inputOf(mode: PrintMode, person: Person): Promise<readonly UserPart[] | null> {
  const piped = process.stdin.isTTY ? null : await Bun.stdin.text()
  const prompt = await promptParts(mode.words, piped, person.folder)
  if (!prompt.ok) throw new Stop(prompt.problem, 2)
  return prompt.parts.length === 0 ? null : prompt.parts
}

/** Everything that is written to a pipe has to be gone before the process is. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text === "") return Promise.resolve()
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

function header(ledger: Ledger, person: Person): string {
  const timestamp = new Date(systemClock.now()).toISOString()
  return `${JSON.stringify({ type: "session", version: 3, id: ledger.session, timestamp, cwd: person.folder })}\n`
}

async function settle(mode: PrintMode, end: HeadlessEnd): Promise<number> {
  const { out, err, code } = printed(end, process.stdout.isTTY === true)
  await write(process.stderr, err)
  if (mode.output === "text") await write(process.stdout, out)
  return code
}

async function work(
  mode: PrintMode,
  person: Person,
  ledger: Ledger,
  prompt: readonly UserPart[] | null,
): Promise<number> {
  const consent = mode.run.resume ? "now" : consentOf(person, ledger, systemClock.now())
  const { engine } = await assemble({ person, run: mode.run, ledger, consent, report: note })
  const events = new Events(rootConversation, () => systemClock.now())
  if (mode.output === "json") process.stdout.write(header(ledger, person))
  let signalled: number | null = null
  const unhook = onSignals(async (code) => {
    if (signalled !== null) process.exit(code)
    signalled = code
    if (code === 130) await engine.port.request({ type: "abort", conversation: rootConversation })
    else await engine.close()
  })
  try {
    const { end } = await runHeadless(engine.port, {
      conversation: rootConversation,
      prompt,
      requestId: requestId(),
      resume: mode.run.resume,
      onPending: () => note("finishing what was interrupted first"),
      onFrame: (frame) => {
        if (mode.output !== "json") return
        for (const event of events.feed(frame)) process.stdout.write(`${JSON.stringify(event)}\n`)
      },
    })
    return signalled ?? (await settle(mode, end))
  } finally {
    unhook()
    await engine.close()
  }
}

function announce(chosen: Chosen, person: Person): void {
  if (chosen.kind === "new" && chosen.fellBack) note(`there was no session in ${person.folder}: this is a new one`)
}

export async function printMode(mode: PrintMode, _version: string): Promise<number> {
  const person = await readPerson(mode.run, true)
  person.problems.forEach(note)
  const prompt = await inputOf(mode, person)
  const resuming = mode.run.session.kind === "continue" || mode.run.session.kind === "named"
  if (prompt === null && !resuming) {
    throw new Stop("there is no prompt: give one as words, with @file, or through a pipe", 2)
  }
  const chosen = await chosenSession(person, mode.run, prompt !== null)
  announce(chosen, person)
  if (chosen.kind !== "session") refuseEarly(person, mode)
  const ledger = await openLedger(person, mode.run, chosen)
  return work(mode, person, ledger, prompt)
}

/** What would stop a new session anyway is said before one is made. */
function refuseEarly(person: Person, mode: PrintMode): void {
  firstModel(person)
  toolNames(person, mode.run)
}
