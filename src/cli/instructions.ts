/** The agent's instructions, from the person's files and flags, as a function of the tools that are on. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Instructions } from "../engine/options.ts"
import { readInstructions } from "../home/instructions.ts"
import { composePrompt } from "../home/prompt.ts"
import type { RunFlags } from "./args.ts"
import type { Person } from "./person.ts"

/** A flag's text, or the text of the file that it names. */
function textOrFile(text: string): string {
  const oneLine = !text.includes("\n") && text.length < 4_096
  return oneLine && existsSync(text) ? readFileSync(text, "utf8") : text
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
