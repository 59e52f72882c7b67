/**
 * From a mode to the code that is it, and from its end to the exit status.
 *
 * - Weather (a broken config, a held session, an unknown model) is a `Stop`: a sentence on stderr and a status. Anything else that is thrown is
 *   a bug: it is named as one, in one line, never as a stack trace.
 */
import { modeOf } from "./args.ts"
import { helpText } from "./help.ts"
import { complain, Stop } from "./stop.ts"

async function perform(argv: readonly string[], version: string): Promise<number> {
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  const mode = modeOf(argv, terminal)
  switch (mode.kind) {
    case "help":
      process.stdout.write(helpText(version))
      return 0
    case "version":
      process.stdout.write(`cairn ${version}\n`)
      return 0
    case "usage":
      throw new Stop(`${mode.problem}. See: cairn --help`, 2)
    case "print":
      return (await import("./headless-mode.ts")).printMode(mode, version)
    case "screen":
      return (await import("./screen-mode.ts")).screenMode(mode, version)
    case "command":
      return (await import("./commands.ts")).commandMode(mode, version)
  }
}

export async function run(argv: readonly string[], version: string): Promise<void> {
  process.exitCode = await perform(argv, version).catch(complain)
}
