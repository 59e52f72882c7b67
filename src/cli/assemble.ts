/**
 * The one place that sees everything, and decides nothing: the person's values and a ledger go in, an engine comes out.
 */
import { join } from "node:path"
import { childEnvironment, namesIn } from "../home/env.ts"
import { headerTexts } from "../home/provider-headers.ts"
import { durationMs } from "../home/duration.ts"
import { rootConversation, begin, openEngine, type Engine } from "../engine/engine.ts"
import type { EngineSettings } from "../engine/options.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Hooks } from "../protocol/hooks.ts"
import { keyNames } from "../providers/catalog.ts"
import { modelName } from "../providers/model.ts"
import { builtinTools } from "../tools/registry.ts"
import type { Tool } from "../tools/tool.ts"
import { systemClock } from "../std/clock.ts"
import { Refusal } from "../protocol/port.ts"
import type { AgentDocument, SessionDocument } from "../protocol/records.ts"
import type { RunFlags } from "./args.ts"
import { hooksOf, loadExtensions, toolsOf } from "./extensions.ts"
import { rememberFolder } from "./folder-identity.ts"
import { instructionsOf } from "./instructions.ts"
import { MatchProcess } from "./match-process.ts"
import { modelsOf } from "./models.ts"
import { apiKeyVariable, type Person } from "./person.ts"
import { killAt } from "./kill.ts"
import { Stop } from "./stop.ts"

export type Assembled = { readonly engine: Engine; readonly ledger: Ledger }

export type AssembleOptions = {
  readonly person: Person
  readonly run: RunFlags
  readonly ledger: Ledger
  readonly consent: "now" | "ask"
  readonly report: (text: string) => void
}

/** As the settings are whenever they are looked at: they can be read again while work goes on. */
function settingsOf({ settings }: Person): EngineSettings {
  return {
    get retry() {
      return settings.merged.config.retry
    },
    get compaction() {
      const { enabled, reserveTokens, keepRecentTokens } = settings.merged.config.compaction
      return { enabled, reserve: reserveTokens, keep: keepRecentTokens }
    },
    get steeringMode() {
      return settings.merged.config.steeringMode
    },
    get followUpMode() {
      return settings.merged.config.followUpMode
    },
    get stallMs() {
      return settings.merged.config.httpIdleTimeoutMs
    },
    get firstByteMs() {
      return settings.merged.config.httpFirstByteTimeoutMs
    },
    get output() {
      return settings.merged.config.output
    },
    get orphanMs() {
      return durationMs(settings.merged.config.bash.orphanLimit)
    },
    get costPerRun() {
      return settings.merged.config.limits.costPerRun
    },
  }
}

export type Equipment = {
  /** Every tool that there is: those of this build, then those of extensions. */
  readonly tools: readonly Tool[]
  /** What extensions do at the seams of the loop, in the order of their names. */
  readonly hooks: readonly Hooks[]
  /** Names of the tools that extensions brought: on, unless flags choose. */
  readonly brought: readonly string[]
  readonly problems: readonly string[]
}

/** What there is to work with in the person's folders; extensions are loaded by this. */
export async function equipmentOf(person: Person): Promise<Equipment> {
  const own = builtinTools()
  const { extensions, problems } = await loadExtensions(
    person,
    own.map((tool) => tool.name),
  )
  const brought = extensions.flatMap(toolsOf)
  const hooks = extensions.flatMap(hooksOf)
  return { tools: [...own, ...brought], brought: brought.map((tool) => tool.name), hooks, problems }
}

/** The tools that are on by flags and settings, each a name that there is. Throws {@link Stop} (2). */
export function toolNames(person: Person, run: RunFlags, equipment: Equipment): readonly string[] {
  const known = equipment.tools.map((tool) => tool.name)
  const wanted = run.tools ?? [...person.settings.merged.config.defaultTools, ...equipment.brought]
  const unknown = [...wanted, ...run.excludeTools].filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Stop(`there is no tool named ${unknown.join(", ")}; the tools are ${known.join(", ")}`, 2)
  return wanted.filter((name) => !run.excludeTools.includes(name))
}

/** The model to begin with. Throws {@link Stop} (1) with what to do where there is none. */
export function firstModel(person: Person): string {
  const named = person.settings.merged.config.model
  if (named === undefined) {
    const model = person.providers.defaultModel()
    if (model !== undefined) return modelName(model)
    const where = join(person.dirs.config, "config.json")
    throw new Stop(
      `no model can be asked yet: log in with \`cairn login\`, set a provider's key (such as ANTHROPIC_API_KEY or OPENAI_API_KEY), or name a local server in ${where}`,
      1,
    )
  }
  const resolved = modelsOf(person.providers, person.credentials).resolve(named)
  if (!resolved.ok) throw new Stop(resolved.problem, 1)
  return modelName(resolved.model)
}

/** What the person should know of the model that they named. */
function modelNotices(person: Person): readonly string[] {
  const named = person.settings.merged.config.model
  const resolved = named === undefined ? undefined : person.providers.resolve(named)
  return resolved !== undefined && "model" in resolved && resolved.notice !== undefined ? [resolved.notice] : []
}

function agentOf(person: Person, run: RunFlags, equipment: Equipment): AgentDocument {
  const model = firstModel(person)
  const { defaultThinkingLevel, modelThinkingLevels } = person.settings.merged.config
  const thinking = run.thinking ?? modelThinkingLevels[model] ?? defaultThinkingLevel
  return { model, thinking, tools: toolNames(person, run, equipment) }
}

/** What a session's flags change of the choices that it has. */
async function applyFlags(engine: Engine, person: Person, run: RunFlags, equipment: Equipment): Promise<void> {
  const tools = run.tools === undefined && run.excludeTools.length === 0 ? undefined : toolNames(person, run, equipment)
  if (run.model !== undefined || run.thinking !== undefined || tools !== undefined) {
    const { model, thinking } = run
    await engine.port.request({ type: "configure", conversation: rootConversation, model, thinking, tools })
  }
  if (run.name !== undefined) await engine.port.request({ type: "title", title: run.name })
}

function machineOf(person: Person, ledger: Ledger) {
  const { config } = person.settings.merged
  const keys = new Set([...Object.values(keyNames()).flat(), apiKeyVariable])
  const written = Object.values(config.providers).flatMap(({ apiKey }) => apiKey ?? [])
  for (const name of namesIn([...written, ...headerTexts(config.providers)])) keys.add(name)
  const sessions = join(person.dirs.data, "sessions")
  return {
    folder: person.folder,
    home: person.dirs.home,
    cache: person.dirs.cache,
    env: childEnvironment(person.env, keys, config.passEnv),
    shell: config.shellPath,
    refused: [sessions],
    readable: [join(sessions, ledger.session, "output")],
  }
}

/** An engine at work on `ledger`. A new session gets its documents; an old one keeps its own, but for what flags say. */
export async function assemble(options: AssembleOptions): Promise<Assembled> {
  const { run, ledger, consent, report } = options
  const isNew = ledger.live.document(0, "session") === undefined
  const person = atWork(options.person, ledger)
  const instructions = instructionsOf(person, run)
  const equipment = await equipmentOf(person)
  const said = [...ledger.notices, ...instructions.notices, ...equipment.problems, ...modelNotices(person)]
  said.forEach(report)
  if (isNew) {
    begin(ledger, { folder: person.folder, agent: agentOf(person, run, equipment) })
    rememberFolder(ledger, person.folder)
  }
  const engine = openEngine({
    ledger,
    models: modelsOf(person.providers, person.credentials),
    tools: equipment.tools,
    hooks: equipment.hooks,
    instructions,
    redact: person.redact,
    settings: settingsOf(person),
    machine: machineOf(person, ledger),
    clock: systemClock,
    random: Math.random,
    match: new MatchProcess(systemClock).match,
    at: killAt(person.env),
    consent,
    report,
  })
  if (ledger.health().state === "read-only") return { engine, ledger }
  try {
    if (!isNew) await applyFlags(engine, person, run, equipment)
    else if (run.name !== undefined) await engine.port.request({ type: "title", title: run.name })
  } catch (error) {
    // Work may be going on by now: it is left as at any other end.
    await engine.close()
    throw error instanceof Refusal ? new Stop(error.message, 1) : error
  }
  return { engine, ledger }
}

/** The folder that a session works in, wherever it is opened from: what was begun there is never finished elsewhere. */
export function folderOf(person: Person, ledger: Ledger): string {
  const session = ledger.live.document(0, "session")?.value as SessionDocument | undefined
  return session === undefined || session.folder === "" ? person.folder : session.folder
}

/** The person as they are in the session's folder; what this folder's own `.cairn` says has no say in another. */
function atWork(person: Person, ledger: Ledger): Person {
  const folder = folderOf(person, ledger)
  return folder === person.folder ? person : { ...person, folder, trusted: false, elsewhere: true }
}

export function lingerMs(person: Person): number {
  return durationMs(person.settings.merged.config.host.linger) ?? 600_000
}

export function maxAgeMs(person: Person): number {
  return durationMs(person.settings.merged.config.resume.maxAge) ?? 86_400_000
}
