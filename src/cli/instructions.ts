/** The agent's instructions, from the person's files and flags, as a function of the tools that are on. */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { errorCode } from "../std/files.ts"
import { reasonOf } from "../tools/paths.ts"
import type { Instructions } from "../engine/options.ts"
import { readInstructions } from "../home/instructions.ts"
import { composePrompt } from "../home/prompt.ts"
import type { RunFlags } from "./args.ts"
import type { Person } from "./person.ts"
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

/** `notices`: what could not be read, in sentences. */
export function instructionsOf(person: Person, run: RunFlags): Instructions & { readonly notices: readonly string[] } {
  const project = person.trusted ? join(person.project, ".cairn") : null
  const read = readInstructions({ cwd: person.folder, config: person.dirs.config, project })
  const context = run.contextFiles ? read.context : []
  const system = run.systemPrompt === undefined ? read.system?.text : textOrFile(run.systemPrompt)
  const append = [...(read.append === null ? [] : [read.append.text]), ...run.appendSystemPrompt.map(textOrFile)]
  return {
    system: (tools) => composePrompt({ cwd: person.folder, tools, system, append, context }),
    files: context.map(({ path, tokens }) => ({ path, tokens })),
    notices: read.notices,
  }
}
