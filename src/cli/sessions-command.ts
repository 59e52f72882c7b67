/**
 * `cairn sessions …`: what can be done with sessions from a shell, each verb one function.
 *
 * - stdout has what was asked for and nothing else, fit for a pipe; with `--json` one object a line. What a person should know goes to stderr.
 * - A session is named as everywhere: an id, its beginning, or its last eight digits.
 */
import { cleanControls, cleanLine } from "../std/clean.ts"
import { shortId } from "../std/id.ts"
import { tagsFrom, tagsText } from "../protocol/tags.ts"
import type { SessionSummary } from "../protocol/sessions.ts"
import type { Mode } from "./args.ts"
import { columns, print, when } from "./columns.ts"
import { readPerson } from "./person.ts"
import { checkSessions } from "./sessions-check.ts"
import { exportSession, importSessions } from "./sessions-export.ts"
import { logSession } from "./sessions-log.ts"
import { deleteSessions, pruneSessions } from "./sessions-remove.ts"
import { forkSession } from "./sessions-fork.ts"
import { showRequest } from "./sessions-request.ts"
import { showSession } from "./sessions-show.ts"
import { searchCommand } from "./sessions-search.ts"
import { statsCommand } from "./sessions-stats.ts"
import { tagSession } from "./sessions-tag.ts"
import { summaries } from "./session-rows.ts"
import { unreadSessions, type Unread } from "./sessions.ts"
import { Stop } from "./stop.ts"

export type CommandMode = Extract<Mode, { kind: "command" }>

function sessionRow(summary: SessionSummary): readonly string[] {
  const standing =
    summary.state !== "ok"
      ? summary.state
      : summary.holder !== null
        ? "open"
        : summary.interrupted
          ? "interrupted"
          : summary.archived
            ? "archived"
            : ""
  const title = cleanLine(summary.title || summary.note)
  return [shortId(summary.id), when(summary.updatedAt), standing, [title, tagsText(summary.tags)].join("  ").trim()]
}

/** A session that cannot be read may be of this folder: it is never passed over without a word. */
function tellUnread(unread: readonly Unread[]): void {
  if (unread.length === 0) return
  const what = unread.length === 1 ? "1 session" : `${unread.length} sessions`
  const paths = unread.map(({ path }) => path).join(", ")
  process.stderr.write(`cairn: ${what} could not be read; --all says why: ${cleanControls(paths)}\n`)
}

function nothingListed(folder: string | undefined, tags: readonly string[]): string {
  const what = `there are no sessions${tags.length === 0 ? "" : ` with ${tagsText(tags)}`}`
  return folder === undefined ? what : `${what} in ${folder}; --all shows those of every folder`
}

async function list(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const folder = mode.options.has("all") ? undefined : person.folder
  const tags = tagsFrom(mode.values.get("tag") ?? "")
  const found = await summaries(person.dirs.data, { folder, tags, archived: mode.options.has("archived") })
  if (folder !== undefined && tags.length === 0) tellUnread(await unreadSessions(person.dirs.data, null))
  if (mode.options.has("json")) for (const summary of found) print(`${JSON.stringify(summary)}\n`)
  else if (found.length > 0) print(columns(found.map(sessionRow)))
  else process.stderr.write(`cairn: ${nothingListed(folder, tags)}\n`)
  return 0
}

const verbs: Readonly<Record<string, (mode: CommandMode) => Promise<number>>> = {
  list,
  search: searchCommand,
  tag: tagSession,
  stats: statsCommand,
  show: showSession,
  log: logSession,
  check: checkSessions,
  delete: deleteSessions,
  prune: pruneSessions,
  fork: forkSession,
  request: showRequest,
  export: exportSession,
  import: importSessions,
}

export async function sessionsCommand(mode: CommandMode): Promise<number> {
  const [what = "list", ...words] = mode.words
  const verb = Object.hasOwn(verbs, what) ? verbs[what] : undefined
  if (verb === undefined)
    throw new Stop(`"sessions ${what}" is unknown; there are: ${Object.keys(verbs).join(", ")}`, 2)
  return verb({ ...mode, words })
}
