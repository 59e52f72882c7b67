/** What `--help` shows, from the tables of flags and commands. Pure. */
import { flags, subcommands, type Flag } from "./flags.ts"

function flagText(flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

export function helpText(version: string): string {
  return `cairn ${version}: a coding agent for the terminal whose work outlives its process

Usage
  cairn [prompt] [@file …]       the full screen
  cairn -p [prompt] [@file …]    one answer on stdout; piped input joins the prompt
  cairn -c -p                    finish what was interrupted in this folder and print its answer

Flags
${table(flags.map((flag) => [flagText(flag), flag.help]))}

Commands
${table(subcommands.map((command) => [command.usage, command.help]))}

Exit status
  0 done   1 the run failed   2 usage, or nothing there   130 interrupted   143, 129 ended with work pending
`
}
