/**
 * `cairn sessions request`: the request of an answer, made again from the ledger and compared with the one that was sent.
 *
 * - The body goes to stdout; whether it is the one that was sent is said on stderr, or in the object with `--json`. Exit 1 where it is not.
 */
import { systemClock } from "../std/clock.ts"
import { parseJson } from "../std/json.ts"
import { viewSession } from "../ledger/open.ts"
import { Refusal, type Port, type RequestRecord } from "../protocol/port.ts"
import type { CommandMode } from "./sessions-command.ts"
import { assemble } from "./assemble.ts"
import { print, sizeText } from "./columns.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { idOf, wholeSession } from "./sessions-show.ts"
import { Stop } from "./stop.ts"

/** The newest entry that came from a request. */
function newestAnswer(dataDir: string, id: string): number {
  const entry = wholeSession(dataDir, id).entries.findLast(
    ({ kind, data }) => kind === "assistant" && "request" in data,
  )
  if (entry === undefined) throw new Stop("no model has been asked in this session yet", 2)
  return entry.id
}

/** All of it: a body is read in pieces. */
async function wholeRequest(port: Port, entry: number): Promise<RequestRecord> {
  let found = await port.request({ type: "request", entry, from: 0, to: Number.MAX_SAFE_INTEGER })
  while (Buffer.byteLength(found.text) < found.size) {
    const from = Buffer.byteLength(found.text)
    const more = await port.request({ type: "request", entry, from, to: Number.MAX_SAFE_INTEGER })
    found = { ...found, text: found.text + more.text }
  }
  return found
}

function standingText({ entry, model, standing, note, sentBytes }: RequestRecord): string {
  const what = standing === "identical" ? "identical to what was sent" : `${standing}: ${note}`
  return `cairn: the request of e${entry} to ${model}, ${sizeText(sentBytes)}: ${what}\n`
}

export async function showRequest(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const [name, which] = mode.words
  if (name === undefined) throw new Stop("say of which session. See: cairn sessions list", 2)
  const id = await findSession(person.dirs.data, name)
  const entry = which === undefined ? newestAnswer(person.dirs.data, id) : idOf(which, "e")
  if (entry === undefined) throw new Stop(`${which} is no entry: give one such as e12`, 2)
  const ledger = await viewSession({ dataDir: person.dirs.data, id, clock: systemClock, reason: "it is only read" })
  const { engine } = await assemble({ person, run: mode.run, ledger, consent: "ask", report: () => {} })
  try {
    const found = await wholeRequest(engine.port, entry)
    if (mode.options.has("json"))
      print(`${JSON.stringify({ ...found, text: undefined, body: parseJson(found.text) })}\n`)
    else {
      if (found.text !== "") print(`${found.text}\n`)
      process.stderr.write(standingText(found))
    }
    return found.standing === "identical" ? 0 : 1
  } catch (error) {
    if (error instanceof Refusal) throw new Stop(error.message, 2)
    throw error
  } finally {
    await engine.close()
  }
}
