/**
 * The full screen: everything around it. The screen is drawn before anything is waited for; its host is started behind the first frame.
 *
 * - A terminal that cannot place text gets lines instead; what is no terminal never comes here.
 * - What happens to running work when the screen goes is the person's choice; the default is that it goes on.
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../std/clock.ts"
import { shortId } from "../std/id.ts"
import { cleanControls } from "../std/clean.ts"
import { commandList } from "../home/command-names.ts"
import { keymapShelf, themeShelf, type ShelfOptions } from "../home/shelf.ts"
import { readHolder } from "../ledger/lock.ts"
import { modelName } from "../providers/model.ts"
import { tourModel } from "../providers/tour/model.ts"
import { endAtOnce } from "../std/end.ts"
import { resetSequence } from "../tui/reset.ts"
import type { Outside, ScreenEnd, ScreenOptions, ScreenSettings, SessionChoice, TrustQuestion } from "../tui/options.ts"
import type { Mode, RunFlags } from "./args.ts"
import { connectHost } from "./connect.ts"
import { needsFirstStart, offerOf, takeAnswer, tourFolder, type Begin } from "./first-start.ts"
import { runLines } from "./line-mode.ts"
import { chosenSession } from "./open.ts"
import { readPerson, type Person } from "./person.ts"
import { outsideOf } from "./outside.ts"
import { draftStore, historyStore, stashStore } from "./screen-stores.ts"
import { connectOptions, Hosts, type ScreenStart } from "./screen-hosts.ts"
import { screenSessions } from "./screen-sessions.ts"
import { findSession, newestSession, sessionsPort } from "./sessions.ts"
import { Stop } from "./stop.ts"
import { openQuestion } from "./trust.ts"
import { isDumb, terminalFacts } from "./terminal-facts.ts"

/** Sessions of a folder that are looked at for interrupted work: a start must not wait for a long list. */
const recentMax = 20

/** The person's folder of that name, after the project's where it is trusted by now. */
function shelf(person: Person, hosts: Hosts, name: string): ShelfOptions {
  const own = join(person.dirs.config, name)
  return {
    get folders() {
      return hosts.trusts ? [join(person.project, ".cairn", name), own] : [own]
    },
    clock: systemClock,
  }
}

/** As the settings are now: what a person changes counts when it is next looked at. */
function settingsOf(person: Person): ScreenSettings {
  const { config } = person.settings.merged
  return {
    theme: config.theme,
    appearance: config.appearance,
    keymap: config.keymap,
    slots: config.panels,
    mouse: config.mouse,
    bell: config.bell,
    planFiles: config.plan.files,
    enabledModels: config.enabledModels,
    hideThinking: config.hideThinkingBlock,
    keyHintsMs: config.keyHintsMs,
    searchRegex: config.search.regex,
    editor: config.externalEditor ?? person.env.VISUAL ?? person.env.EDITOR,
    pager: person.env.PAGER ?? "less",
  }
}

/** Work that was left in this folder, for a new conversation to be told of: the newest. */
async function interrupted(start: ScreenStart): Promise<ScreenOptions["interrupted"]> {
  if (start.choice.kind !== "new" || start.begin !== null) return undefined
  const { dirs, folder } = start.person
  const recent = await sessionsPort(dirs.data).list({ folder, limit: recentMax })
  const left = recent.find((summary) => summary.interrupted)
  return left === undefined ? undefined : { id: left.id, title: left.title }
}

function screenOptions(
  start: ScreenStart,
  hosts: Hosts,
  more: Pick<ScreenOptions, "firstStart" | "interrupted" | "outside" | "trust">,
): ScreenOptions {
  const { person, choice, words, client } = start
  const { config } = person.settings.merged
  const folder = start.begin?.folder ?? person.folder
  return {
    session: choice,
    connect: (wanted) => hosts.connect(wanted),
    leaving: (work) => hosts.end(work),
    sessions: screenSessions(sessionsPort(person.dirs.data), () => hosts.sessions),
    folder,
    home: person.dirs.home,
    client,
    scratch: tmpdir(),
    highlightFolder: join(person.dirs.cache, "highlight"),
    clock: systemClock,
    get settings() {
      return settingsOf(person)
    },
    themes: themeShelf(shelf(person, hosts, "themes")),
    keymaps: keymapShelf(shelf(person, hosts, "keymaps"), () => commandList),
    drafts: draftStore(person.dirs.data, folder),
    stash: stashStore(person.dirs.data, folder),
    history: historyStore(person.dirs.data, folder, person.redact),
    terminal: terminalFacts(person.env, config.colors),
    prompt: words.length > 0 ? words.join(" ") : undefined,
    notices: person.problems,
    choose: start.run.session.kind === "choose",
    ...more,
    process,
  }
}

function exitLines(end: Pick<ScreenEnd, "session" | "work" | "message" | "view">, person: Person): string {
  const message = end.message === null ? "" : `cairn: ${cleanControls(end.message)}\n`
  if (end.session === null || person.settings.merged.config.exitOutput === "none") return message
  const id = shortId(end.session)
  const holder = readHolder(person.dirs.data, end.session)
  const going = end.work === "leave" && holder !== null && end.view.tasks.size > 0
  const state = going ? `session ${id} goes on working` : `session ${id}`
  return `${message}${state}; come back with: cairn --session ${id}\n`
}

/** The question of the start; `known` is called once it is answered and what the folder brings has been read. */
function startQuestion(
  question: TrustQuestion,
  { trust }: Outside,
  known: () => void,
): NonNullable<ScreenOptions["trust"]> {
  return {
    question,
    async answer(answer) {
      const outcome = (await trust?.decide(answer)) ?? { ok: true, text: "" }
      known()
      return outcome
    },
  }
}

/** Open the screen and stay until it ends; the status that fits. */
export async function openScreen(start: ScreenStart): Promise<number> {
  const { person } = start
  const native = await (
    await import("../tui/native.ts")
  ).prepareNative([
    join(person.dirs.cache, "lib"),
    ...(person.env.XDG_RUNTIME_DIR === undefined ? [] : [person.env.XDG_RUNTIME_DIR]),
    "/dev/shm",
    "/var/tmp",
  ])
  if (!native.ok) throw new Stop(native.reason, 1)
  const asks =
    start.begin === null && start.choice.kind === "new" && start.run.model === undefined && needsFirstStart(person)
  const decided = Promise.withResolvers<Begin | null>()
  if (!asks) decided.resolve(null)
  const known = Promise.withResolvers<void>()
  const question = start.begin === null && !start.run.deny ? await openQuestion(person) : null
  if (question === null) known.resolve()
  const hosts = new Hosts(start, decided.promise, known.promise)
  const outside = outsideOf({
    person,
    folder: start.begin?.folder ?? person.folder,
    trusted: () => hosts.trusted(),
    trustOnce: () => hosts.trustOnce(),
  })
  const trust = question === null ? undefined : startQuestion(question, outside, known.resolve)
  const first: ScreenOptions["firstStart"] = asks
    ? {
        offer: await offerOf(person),
        async answer(answer) {
          const { outcome, begin } = await takeAnswer(person, answer)
          if (begin !== null) decided.resolve(begin)
          return outcome
        },
        settled() {
          if (needsFirstStart(person)) return false
          decided.resolve(null)
          return true
        },
      }
    : undefined
  const { startScreen } = await import("../tui/screen.ts")
  const end = await startScreen(
    screenOptions(start, hosts, { firstStart: first, interrupted: await interrupted(start), outside, trust }),
  )
  await hosts.close()
  process.stdout.write(exitLines(end, person))
  if (isRaw()) makeSane(end.code)
  return end.code
}

async function choiceOf(person: Person, run: RunFlags): Promise<SessionChoice> {
  if (run.session.kind === "choose") return { kind: "new" }
  const chosen = await chosenSession(person, run, true)
  return chosen.kind === "session" ? { kind: "session", id: chosen.id } : { kind: "new" }
}

async function talk(start: ScreenStart): Promise<number> {
  if (!isDumb(start.person.env)) return openScreen(start)
  const { person, choice, words } = start
  const options = connectOptions(start, start.begin)
  const view = await runLines({
    choice,
    connect: (wanted) => connectHost(wanted, options),
    prompt: words.join(" "),
    limits: () => person.settings.merged.config,
  })
  const session = view.entries.length > 0 || view.submissions.size > 0 ? view.session : null
  process.stdout.write(exitLines({ session, work: "leave", message: null, view }, person))
  return 0
}

export async function screenMode(mode: Extract<Mode, { kind: "screen" }>, version: string): Promise<number> {
  const person = await readPerson(mode.run, false)
  const choice = await choiceOf(person, mode.run)
  const { run, words } = mode
  return leave(await talk({ person, run, choice, words, version, begin: null, client: "main" }))
}

/** The program is over, whatever timers and sockets a library still holds. */
function leave(code: number): never {
  process.exit(code)
}

/** What the system's `stty` says to these words, of the terminal that is the input; nothing where there is none. */
function stty(...words: readonly string[]): string {
  if (Bun.which("stty") === null) return ""
  return Bun.spawnSync(["stty", ...words], { stdin: "inherit", stdout: "pipe", stderr: "ignore" }).stdout.toString()
}

/**
 * Whether the terminal hands on single keys and echoes none, when it should be a shell's again. A screen gives back what it found, and found
 * this where one before it was killed.
 */
function isRaw(): boolean {
  return stty("-a")
    .split(/[\s;]+/)
    .includes("-icanon")
}

/** The settings of a shell's terminal, and the end of this program with them: its runtime would put back what it found. */
function makeSane(status: number): void {
  stty("sane")
  endAtOnce(status)
}

function resetTerminal(): number {
  process.stdout.write(resetSequence)
  makeSane(0)
  return 0
}

async function attach(mode: Extract<Mode, { kind: "command" }>, version: string): Promise<number> {
  const person = await readPerson(mode.run, false)
  const [name] = mode.words
  const id = name === undefined ? await newestHeld(person) : await findSession(person.dirs.data, name)
  const { run } = mode
  const client = "main"
  return leave(await talk({ person, run, choice: { kind: "session", id }, words: [], version, begin: null, client }))
}

/** The session to attach to when none is named: the newest here, if a host holds it, else the newest that one holds anywhere. */
async function newestHeld(person: Person): Promise<string> {
  const here = await newestSession(person.dirs.data, person.folder)
  if (here !== undefined && readHolder(person.dirs.data, here) !== null) return here
  const held = (await sessionsPort(person.dirs.data).list({})).find(({ holder }) => holder !== null)
  if (held !== undefined) return held.id
  if (here !== undefined) return here
  throw new Stop("no host is running, and there is no session here. See: cairn ps", 1)
}

async function tour(mode: Extract<Mode, { kind: "command" }>, version: string): Promise<number> {
  const person = await readPerson(mode.run, false)
  const begin = { model: modelName(tourModel), folder: tourFolder(person) }
  const choice = { kind: "new" } as const
  return leave(await talk({ person, run: mode.run, choice, words: [], version, begin, client: "main" }))
}

export async function screenCommand(mode: Extract<Mode, { kind: "command" }>, version: string): Promise<number> {
  if (mode.command === "reset-terminal") return resetTerminal()
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    throw new Stop(`"${mode.command}" needs a terminal; for one answer use: cairn -p`, 2)
  }
  return mode.command === "tour" ? tour(mode, version) : attach(mode, version)
}
