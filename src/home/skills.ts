/**
 * Skills, by the Agent Skills convention: folders with a `SKILL.md`, whose head names and describes them. The model is told names and
 * descriptions, and reads one when a task calls for it.
 *
 * - Looked for in `.cairn/skills` of the project, in `.agents/skills` of each folder from there up to the top of the working tree, in `skills` of
 *   the config folder, and in `~/.agents/skills`; of a name the first one counts. What a project brings counts only where it is trusted.
 * - A skill is at most a few folders deep. A Markdown file that lies in a folder of skills itself and has a description is one too.
 * - What is wrong with one is told in a sentence, and hides no other.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { errorCode } from "../std/files.ts"
import { headChars } from "../std/lines.ts"
import { agentFolders } from "./folder.ts"
import { headText, splitFrontMatter } from "./front-matter.ts"

export type Skill = {
  readonly name: string
  readonly description: string
  /** Its file, absolute. */
  readonly path: string
  /** Only called by its name: the model is not told of it. */
  readonly hidden: boolean
}

export type Skills = { readonly skills: readonly Skill[]; readonly notices: readonly string[] }

export type SkillPlaces = {
  readonly home: string
  readonly config: string
  /** The project's folder (a real path), when it is trusted; null: nothing of it counts. */
  readonly project: string | null
}

/** By the convention. */
const nameMax = 64
const descriptionMax = 1_024
const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Folders below one of skills that are looked into, and files of one that are read: what has more is something else. */
const depthMax = 4
const filesMax = 500
const fileBytesMax = 256 * 1024

function entriesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

/** The files of skills below a folder; one that holds a skill is not looked into further. */
function filesBelow(folder: string, depth: number, found: string[], seen: Set<string>): void {
  if (depth > depthMax || found.length >= filesMax) return
  const real = realPath(folder)
  if (real === undefined || seen.has(real)) return
  seen.add(real)
  const names = entriesIn(folder)
  if (depth > 0 && names.includes("SKILL.md")) {
    found.push(join(folder, "SKILL.md"))
    return
  }
  for (const name of names) {
    if (name.startsWith(".") || name === "node_modules") continue
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) filesBelow(path, depth + 1, found, seen)
    else if (depth === 0 && stat?.isFile() === true && name.endsWith(".md")) found.push(path)
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

type Read = { readonly skill: Skill } | { readonly notice: string | null }

function readSkill(path: string): Read {
  const isFolder = basename(path) === "SKILL.md"
  let text: string
  try {
    if (statSync(path).size > fileBytesMax) return { notice: `${path} is too long for a skill and was left out.` }
    text = readFileSync(path, "utf8")
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return { notice: `${path} cannot be read (${code}) and was left out.` }
  }
  const { head, problem } = splitFrontMatter(text)
  if (problem !== null) return { notice: `${path} was left out: ${problem}.` }
  const description = headText(head, "description") ?? ""
  // Notes may lie beside skills: only what describes itself is one.
  if (description === "") return { notice: isFolder ? `${path} was left out: its head has no description.` : null }
  const name = headText(head, "name") ?? (isFolder ? basename(dirname(path)) : basename(path, ".md"))
  if (name.length > nameMax || !namePattern.test(name))
    return { notice: `${path} was left out: its name has to be small letters, digits and single hyphens.` }
  const short = headChars(description.replace(/\s+/g, " "), descriptionMax)
  return { skill: { name, description: short, path, hidden: headText(head, "disable-model-invocation") === "true" } }
}

/** The folders of skills, the one that counts most first. */
function placesOf({ home, config, project }: SkillPlaces): readonly string[] {
  const agents = project === null ? [] : agentFolders(project).map((folder) => join(folder, ".agents", "skills"))
  const own = project === null ? [] : [join(project, ".cairn", "skills")]
  return [...new Set([...own, ...agents, join(config, "skills"), join(home, ".agents", "skills")])]
}

/** All skills, read now, in the order of their names. */
export function readSkills(places: SkillPlaces): Skills {
  const found: string[] = []
  const seen = new Set<string>()
  for (const place of placesOf(places)) filesBelow(place, 0, found, seen)
  const skills = new Map<string, Skill>()
  const notices: string[] = []
  for (const path of found) {
    const read = readSkill(path)
    if ("skill" in read) {
      if (!skills.has(read.skill.name)) skills.set(read.skill.name, read.skill)
    } else if (read.notice !== null) notices.push(read.notice)
  }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), notices }
}

/** What is sent when a person calls a skill: where it is, what it says, and what they want. Throws where its file is gone. */
export function skillPrompt({ name, path }: Skill, request: string): string {
  const { body } = splitFrontMatter(readFileSync(path, "utf8"))
  const skill = `<skill name="${name}" path="${path.replaceAll('"', "&quot;")}">\nFiles that it names are relative to its own folder.\n\n${body.trim()}\n</skill>`
  return request.trim() === "" ? skill : `${skill}\n\n${request.trim()}`
}
