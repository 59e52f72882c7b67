/**
 * `cairn sessions check`: whether sessions are what was written, and what can be done where they are not.
 *
 * - One line a session on stdout; what is wrong below it. Exit 0 where all are well by now, else 1.
 */
import { systemClock } from "../std/clock.ts"
import { shortId } from "../std/id.ts"
import { salvagedSession } from "../engine/copy.ts"
import { brokenInvariants } from "../engine/invariants.ts"
import { checkSession, type Checked } from "../ledger/check.ts"
import { listSessions } from "../ledger/list.ts"
import { modelName } from "../providers/model.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print } from "./columns.ts"
import { readPerson, type Person } from "./person.ts"
import { findSession } from "./sessions.ts"
import { Stop } from "./stop.ts"

async function checked(person: Person, id: string, accept: boolean): Promise<Checked> {
  const { config } = person.settings.merged
  const model = person.providers.defaultModel()
  const agent = {
    model: config.model ?? (model === undefined ? "" : modelName(model)),
    thinking: config.defaultThinkingLevel,
    tools: config.defaultTools,
  }
  return checkSession({
    dataDir: person.dirs.data,
    id,
    clock: systemClock,
    accept,
    invariants: brokenInvariants,
    rebuild: (found, from, to) =>
      salvagedSession(found, { from, to, now: systemClock.now() }, { folder: person.folder, agent }),
  })
}

/** What a person reads of one session. */
export function checkText(id: string, { state, problems, mended, whole, made }: Checked): string {
  const lines = [`${shortId(id)}  ${state}`, ...mended.map((text) => `  mended: ${text}`)]
  if (state !== "ok") lines.push(...problems.map((text) => `  ${text}`))
  if (whole !== undefined) {
    const of = whole.counted === null ? "" : ` of ${whole.counted}`
    lines.push(`  whole: ${whole.entries}${of} entries`)
  }
  const again = `cairn sessions check ${shortId(id)} --accept`
  if (state === "loss") lines.push(`  go on from what is there: ${again}`)
  if (state === "damaged" && whole !== undefined)
    lines.push(`  make a new session of what is whole, and set this one aside: ${again}`)
  if (made !== undefined) {
    if (made.id !== null) lines.push(`  what is whole is in the session ${shortId(made.id)} now`)
    lines.push(`  the damaged one is at ${made.aside}`)
  }
  return `${lines.join("\n")}\n`
}

export async function checkSessions(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const { data } = person.dirs
  const all = mode.options.has("all")
  const [name] = mode.words
  if (name === undefined && !all) throw new Stop("say which session to check, or --all", 2)
  const ids = all ? listSessions(data).map(({ id }) => id) : [await findSession(data, name ?? "")]
  let code = 0
  for (const id of ids) {
    const found = await checked(person, id, mode.options.has("accept"))
    print(mode.options.has("json") ? `${JSON.stringify({ id, ...found })}\n` : checkText(id, found))
    if (found.state !== "ok" && found.state !== "salvaged") code = 1
  }
  return code
}
