/**
 * What a screen asks of the program around it: settings, templates, skills, exports, trust. Files are read when they are asked for, and again on
 * a reload.
 */
import { join, resolve } from "node:path"
import { explain, leaves, parseSetting, type Explained } from "../home/config.ts"
import { skillPrompt } from "../home/skills.ts"
import { expandTemplate, readTemplates } from "../home/templates.ts"
import { watchFolder } from "../home/watch.ts"
import { systemClock } from "../std/clock.ts"
import { writeFileAtomic } from "../std/files.ts"
import type { Json } from "../std/json.ts"
import type { Outcome, Outside, SettingRow, TrustAnswer } from "../tui/options.ts"
import { providerChoices, removeKey, saveInConfig, saveKey } from "./first-start.ts"
import { skillsOf } from "./instructions.ts"
import type { Person } from "./person.ts"
import { forked } from "./sessions-fork.ts"
import { findings } from "./doctor.ts"
import { exportText, importFile } from "./sessions-export.ts"
import { decideTrust, trustQuestion } from "./trust.ts"

const sources: Readonly<Record<Explained["origin"], string>> = {
  flag: "a flag",
  environment: "the environment",
  project: "this folder",
  person: "config.json",
  "built-in": "built in",
}

function shown(value: Json): string {
  if (typeof value === "string") return value
  return value === null ? "" : JSON.stringify(value)
}

function editOf({ path, value, origin, file }: Explained): SettingRow["edit"] {
  if (origin === "flag" || origin === "environment") return { kind: "fixed", reason: `${file} decides it` }
  if (origin === "project") return { kind: "fixed", reason: `${file} decides it here` }
  const schema = leaves.find((leaf) => leaf.path === path)?.schema
  const choices: unknown = schema?.enum
  if (Array.isArray(choices)) return { kind: "choice", choices: choices.map(String) }
  if (typeof value === "boolean") return { kind: "flag", on: value }
  if (schema?.type === "object") return { kind: "fixed", reason: "it is written in config.json" }
  return { kind: "text", text: Array.isArray(value) ? value.map(String).join(", ") : shown(value) }
}

function rowOf(setting: Explained): SettingRow {
  const { path, value, origin, help, fallback, variable } = setting
  const standard = fallback === null ? "" : `Built in: ${shown(fallback)}.`
  return {
    name: path,
    value: shown(value),
    from: sources[origin],
    help: [help, standard, `In the environment: ${variable}.`].filter(Boolean).join("\n"),
    edit: editOf(setting),
  }
}

async function outcomeOf(work: Promise<string>): Promise<Outcome> {
  try {
    return { ok: true, text: await work }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** The folders of templates, the one that counts most first. */
function promptFolders({ dirs, project }: Person, trusted: boolean): readonly string[] {
  const own = join(dirs.config, "prompts")
  return trusted ? [join(project, ".cairn", "prompts"), own] : [own]
}

class Files {
  readonly #person: Person
  #trusted: boolean
  #templates: ReturnType<typeof readTemplates> | null = null
  #skills: ReturnType<typeof skillsOf> | null = null

  constructor(person: Person, trusted: boolean) {
    this.#person = person
    this.#trusted = trusted
  }

  get templates() {
    this.#templates ??= readTemplates(promptFolders(this.#person, this.#trusted))
    return this.#templates.templates
  }

  get skills() {
    this.#skills ??= skillsOf(this.#person, this.#trusted)
    return this.#skills.skills
  }

  /** Reads everything again; sentences about what could not be read. */
  reload(trusted: boolean): readonly string[] {
    this.#trusted = trusted
    this.#templates = readTemplates(promptFolders(this.#person, trusted))
    this.#skills = skillsOf(this.#person, trusted)
    return [...this.#templates.notices, ...this.#skills.notices]
  }
}

export type OutsideOptions = {
  readonly person: Person
  /** Where a path that is typed begins. */
  readonly folder: string
  /** Whether the folder is trusted now. */
  trusted(): Promise<boolean>
  /** The person decided to trust the folder for this time. */
  trustOnce(): void
}

export function outsideOf({ person, folder, trusted, trustOnce }: OutsideOptions): Outside {
  const files = new Files(person, person.trusted)
  const reload = async (): Promise<string> => {
    const now = await trusted()
    person.settings.trust(now)
    const notices = [...person.settings.problems, ...files.reload(now)]
    if (notices.length > 0) throw new Error(notices.join("\n"))
    return "Settings, keymaps, themes, prompts and skills were read again"
  }
  const decide = async (answer: TrustAnswer): Promise<Outcome> => {
    if (answer === "once") trustOnce()
    const outcome = await decideTrust(person, answer)
    await reload().catch(() => {})
    return outcome
  }
  return {
    providers: () => providerChoices(person),
    saveKey: (provider, key) => saveKey(person, provider, key),
    removeKey: (provider) => removeKey(person, provider),
    logIn: async (provider, steps) => (await import("./login.ts")).logInOnScreen(person, provider, steps),
    saveSetting: (path, value) => saveInConfig(person, path, value),
    settings: () => explain(person.settings.merged).map(rowOf),
    setSetting: (path, typed) => outcomeOf(setSetting(person, path, typed)),
    templates: () => [
      ...files.templates.map(({ name, description, hint }) => ({
        name,
        title: description,
        ...(hint === "" ? {} : { args: hint }),
      })),
      ...files.skills.map(({ name, description }) => ({
        name: `skill:${name}`,
        title: description,
        args: "[what to do]",
      })),
    ],
    expandTemplate(name, args) {
      const skill = name.startsWith("skill:") ? files.skills.find((it) => `skill:${it.name}` === name) : undefined
      if (skill !== undefined) return skillPrompt(skill, args)
      const template = files.templates.find((it) => it.name === name)
      return template === undefined ? null : expandTemplate(template, args)
    },
    async cloneSession(session, conversation) {
      return (await forked(person.dirs.data, session, `c${conversation}`)).id
    },
    async importSession(path) {
      const { id, unread } = await importFile(person, resolve(folder, withHome(path, person.dirs.home)))
      return { session: id, unread }
    },
    doctor: () => findings(person),
    exportSession: (session, path) =>
      outcomeOf(exported(person, session, resolve(folder, withHome(path, person.dirs.home)))),
    watchSettings: (listener) => watchSettings(person, listener),
    reload: () => outcomeOf(reload()),
    trust: { look: () => trustQuestion(person), decide },
  }
}

/** What is written from here is known already, so it is not heard. */
function watchSettings({ settings, dirs, project }: Person, listener: () => void): () => void {
  const heard = (): void => {
    const problems = settings.problems.join("\n")
    if (settings.reload() || settings.problems.join("\n") !== problems) listener()
  }
  const options = { clock: systemClock, accept: (name: string) => name === "config.json" }
  const ends = [dirs.config, join(project, ".cairn")].map((folder) => watchFolder(folder, options, heard))
  return () => ends.forEach((end) => end())
}

/** A path as it is typed. */
function withHome(path: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : path
}

async function setSetting(person: Person, path: string, typed: string): Promise<string> {
  const leaf = leaves.find((it) => it.path === path)
  const value = typed.trim() === "" || leaf === undefined ? null : parseSetting(leaf.schema, typed.trim())
  await person.settings.save(path, value)
  return value === null ? `${path} is as it is built in.` : `${path} is saved.`
}

async function exported(person: Person, session: string, path: string): Promise<string> {
  const format = path.endsWith(".jsonl") ? "jsonl" : path.endsWith(".md") ? "md" : "html"
  await writeFileAtomic(path, await exportText(person, { session, format }))
  return `The session is written to ${path}`
}
