/** `cairn keymap check <file>`: what is wrong with a keymap file, by line; `cairn keymap list [name]`: every command with its keys. */
import { readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { builtInKeymaps } from "../home/built-in.ts"
import { layerSources, type Sources } from "../home/chain.ts"
import { printKeys } from "../home/chord.ts"
import { commandInfo, commandList } from "../home/command-names.ts"
import { checkKeymap, resolveKeymap } from "../home/keymap.ts"
import { printProblem, type Problem } from "../home/problem.ts"
import { keymapShelf, sourcesIn } from "../home/shelf.ts"
import { systemClock } from "../std/clock.ts"
import { cleanControls } from "../std/clean.ts"
import { errorCode } from "../std/files.ts"
import type { CommandMode } from "./sessions-command.ts"
import { columns, print } from "./columns.ts"
import { readPerson } from "./person.ts"
import { Stop } from "./stop.ts"

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    throw new Stop(`${path} cannot be read (${code})`, 2)
  }
}

/** What the file itself says wrong, and then what is wrong with what it extends. */
function problemsOf(path: string, folder: string): readonly Problem[] {
  const text = textOf(path)
  const own = checkKeymap(text, path, commandList)
  const name = basename(path).replace(/\.jsonc?$/, "")
  const file: Sources = { [name]: { file: path, text } }
  const result = resolveKeymap(name, layerSources(layerSources(builtInKeymaps, sourcesIn(folder)), file), commandList)
  const all = "problem" in result ? [result.problem] : result.notices
  const known = new Set(own.map(printProblem))
  return [...own, ...all.filter((problem) => !known.has(printProblem(problem)))]
}

async function check(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const [path] = mode.words
  if (path === undefined) throw new Stop("say which file: cairn keymap check <file>", 2)
  const problems = problemsOf(resolve(path), join(person.dirs.config, "keymaps"))
  for (const problem of problems) print(`${printProblem(problem)}\n`)
  if (problems.length === 0) process.stderr.write(`cairn: nothing is wrong with ${cleanControls(path)}\n`)
  return problems.length === 0 ? 0 : 1
}

async function list(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const name = mode.words[0] ?? person.settings.merged.config.keymap
  const folders = [join(person.dirs.config, "keymaps")]
  const shelf = keymapShelf({ folders, clock: systemClock }, () => commandList)
  const loaded = shelf.load(name)
  if (loaded === undefined) throw new Stop(`there is no keymap ${name}; there are: ${shelf.names().join(", ")}`, 2)
  for (const problem of loaded.problems) process.stderr.write(`cairn: ${cleanControls(problem)}\n`)
  const rows = commandList.map((command) => {
    const keys = loaded.keymap.bindings
      .filter(({ run }) => run.some((one) => one.command === command))
      .map(({ context, keys: chords }) =>
        context === "global" ? printKeys(chords) : `${printKeys(chords)} (${context})`,
      )
    return [command, [...new Set(keys)].join(", "), commandInfo(command).title]
  })
  print(columns(rows))
  return 0
}

export async function keymapCommand(mode: CommandMode): Promise<number> {
  const [what = "list", ...words] = mode.words
  if (what === "check") return check({ ...mode, words })
  if (what === "list") return list({ ...mode, words })
  throw new Stop(`"keymap ${what}" is unknown; there are: check, list`, 2)
}
