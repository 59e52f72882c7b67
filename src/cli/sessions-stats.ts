/** `cairn sessions stats`: what sessions took, by model and by tool: one, those of this folder, or all. */
import { entryRecord } from "../engine/entries.ts"
import { readEntries } from "../ledger/peek.ts"
import { addStats, cacheShare, noStats, type ModelStats, type Stats, type ToolStats } from "../protocol/stats.ts"
import type { CommandMode } from "./sessions-command.ts"
import { columns, print } from "./columns.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { summaries } from "./session-rows.ts"
import { Stop } from "./stop.ts"

const pageEntries = 500

/** Adds a session's entries; undefined where it cannot be read. */
async function statsOf(dataDir: string, id: string, before: Stats): Promise<Stats | undefined> {
  let stats = before
  for (let after = 0; ;) {
    const page = await readEntries({ dataDir, id }, after, pageEntries)
    if (page.state !== "ok") return undefined
    stats = page.entries.map(entryRecord).reduce(addStats, stats)
    const last = page.entries.at(-1)
    if (last === undefined || page.entries.length < pageEntries) return stats
    after = last.id
  }
}

const count = (number: number): string => number.toLocaleString("en")
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const dollars = (cost: number | undefined): string => (cost === undefined ? "?" : `$${cost.toFixed(cost < 1 ? 4 : 2)}`)

function modelRow([name, { answers, attempts, usage, durationMs }]: readonly [string, ModelStats]): readonly string[] {
  const share = cacheShare(usage)
  const failed = attempts === 0 ? "" : ` +${count(attempts)}`
  return [
    name,
    `${count(answers)}${failed}`,
    count(usage.input + usage.cacheRead + usage.cacheWrite),
    share === null ? "-" : `${Math.round(share * 100)} %`,
    count(usage.output),
    dollars(usage.cost?.total),
    seconds(durationMs),
  ]
}

function toolRow([name, { calls, failed, durationMs, tokens }]: readonly [string, ToolStats]): readonly string[] {
  return [name, count(calls), count(failed), seconds(durationMs), count(tokens)]
}

function statsText(stats: Stats, sessions: number): string {
  const models = Object.entries(stats.models).toSorted(([, a], [, b]) => cost(b) - cost(a))
  const tools = Object.entries(stats.tools).toSorted(([, a], [, b]) => b.calls - a.calls)
  const total = models.reduce((sum, [, model]) => sum + cost(model), 0)
  const what = `${count(sessions)} ${sessions === 1 ? "session" : "sessions"}, ${count(stats.inputs)} inputs, ${dollars(total)}`
  const modelTable = [
    ["model", "answers", "tokens in", "cached", "tokens out", "cost", "time"],
    ...models.map(modelRow),
  ]
  const toolTable = [["tool", "calls", "failed", "time", "tokens in results"], ...tools.map(toolRow)]
  const parts = [`${what}\n`]
  if (models.length > 0) parts.push(columns(modelTable))
  if (tools.length > 0) parts.push(columns(toolTable))
  return parts.join("\n")
}

function cost({ usage }: ModelStats): number {
  return usage.cost?.total ?? 0
}

export async function statsCommand(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const dataDir = person.dirs.data
  const folder = mode.options.has("here") ? person.folder : undefined
  const ids =
    mode.words.length > 0
      ? await Promise.all(mode.words.map((name) => findSession(dataDir, name)))
      : (await summaries(dataDir, { folder, archived: true })).flatMap(({ id, state }) => (state === "ok" ? [id] : []))
  let stats = noStats
  for (const id of new Set(ids)) {
    const more = await statsOf(dataDir, id, stats)
    if (more === undefined && mode.words.length > 0) throw new Stop(`session ${id} cannot be read`, 1)
    stats = more ?? stats
  }
  if (mode.options.has("json")) print(`${JSON.stringify({ sessions: ids.length, ...stats })}\n`)
  else print(statsText(stats, ids.length))
  return 0
}
