/** The agent's instructions, from the person's files and flags, as a function of the tools that are on. They can be read again while it works. */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { errorCode } from "../std/files.ts"
import { reasonOf } from "../tools/paths.ts"
import type { Instructions } from "../engine/options.ts"
import { readInstructions } from "../home/instructions.ts"
import { composePrompt } from "../home/prompt.ts"
import { readSkills, type Skill } from "../home/skills.ts"
import { estimateText } from "../message/estimate.ts"
import type { RunFlags } from "./args.ts"
import { trustedNow, type Person } from "./person.ts"
import { Stop } from "./stop.ts"

/** A flag's text, or the text of the file that it names. Throws {@link Stop} (2) for a file that cannot be read. */
function textOrFile(text: string): string {
  if (text === "" || /[\n\0]/.test(text) || text.length >= 4_096) return text
  try {
    const isFile = statSync(text, { throwIfNoEntry: false })?.isFile() === true
    return isFile ? readFileSync(text, "utf8") : text
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    // Words that are too long for a name, or go through a file as through a folder, name no file.
    if (code === "ENAMETOOLONG" || code === "ENOTDIR") return text
    throw new Stop(`${text} cannot be read for the system prompt: ${reasonOf(error)}`, 2)
  }
}

/** The skills of a person's folders, and of the project where it is `trusted`. */
export function skillsOf({ dirs, project }: Person, trusted: boolean): ReturnType<typeof readSkills> {
  return readSkills({ home: dirs.home, config: dirs.config, project: trusted ? project : null })
}

type Read = Pick<Instructions, "system" | "files"> & {
  readonly skills: readonly { readonly name: string; readonly tokens: number }[]
  readonly notices: readonly string[]
}

function tokensOf({ name, description, path }: Skill): number {
  return estimateText(`- ${name}: ${description} (${path})`)
}

function read(person: Person, run: RunFlags, trusted: boolean): Read {
  const project = trusted ? join(person.project, ".cairn") : null
  const found = readInstructions({ cwd: person.folder, config: person.dirs.config, project })
  const context = run.contextFiles ? found.context : []
  const system = run.systemPrompt === undefined ? found.system?.text : textOrFile(run.systemPrompt)
  const append = [...(found.append === null ? [] : [found.append.text]), ...run.appendSystemPrompt.map(textOrFile)]
  const all = skillsOf(person, trusted)
  const skills = all.skills.filter(({ hidden }) => !hidden)
  return {
    system: (tools) => composePrompt({ cwd: person.folder, tools, system, append, context, skills }),
    files: context.map(({ path, tokens }) => ({ path, tokens })),
    skills: skills.map((skill) => ({ name: skill.name, tokens: tokensOf(skill) })),
    notices: [...found.notices, ...all.notices],
  }
}

/** `notices`: what could not be read, in sentences. */
export function instructionsOf(person: Person, run: RunFlags): Instructions & { readonly notices: readonly string[] } {
  let now = read(person, run, person.trusted)
  return {
    notices: now.notices,
    system: (tools) => now.system(tools),
    get files() {
      return now.files
    },
    get skills() {
      return now.skills
    },
    async reload() {
      const trusted = await trustedNow(person, run)
      person.settings.trust(trusted)
      now = read(person, run, trusted)
      return [...person.settings.problems, ...now.notices]
    },
  }
}
