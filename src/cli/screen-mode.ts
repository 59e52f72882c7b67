/** The full screen, and the commands that need a terminal. */
import type { Mode } from "./args.ts"
import { Stop } from "./stop.ts"

export async function screenMode(_mode: Extract<Mode, { kind: "screen" }>, _version: string): Promise<number> {
  throw new Stop("the full screen is not there yet: use -p for one answer. See: cairn --help", 2)
}

export async function screenCommand(mode: Extract<Mode, { kind: "command" }>, _version: string): Promise<number> {
  throw new Stop(`${mode.command} needs the full screen, which is not there yet`, 2)
}
