/** How this program starts itself again: the compiled binary, or Bun with the source beside it. */
import { fileURLToPath } from "node:url"

/** True in the executable that `bun build --compile` made: its modules live in a file system of their own. */
export const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("~BUN")

/** The command line that runs this program, its arguments to follow. */
export function selfCommand(): readonly string[] {
  if (compiled) return [process.execPath]
  return [process.execPath, fileURLToPath(new URL("../main.ts", import.meta.url))]
}
