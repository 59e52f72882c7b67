/**
 * `CAIRN_KILL=name:n`: this process ends itself by SIGKILL the n-th time that it comes to the moment of that name. For tests that kill it at every
 * moment there is, and for whoever wants to see that nothing is lost.
 */
import type { Env } from "../home/env.ts"
import { unwatched, type At } from "../std/moment.ts"

const variable = "CAIRN_KILL"

/** What is called at each moment; it counts by itself. */
export function killAt(env: Env): At {
  const [, name, n] = /^([\w ]+):(\d+)$/.exec(env[variable] ?? "") ?? []
  if (name === undefined) return unwatched
  let left = Number(n)
  return (point) => {
    if (point !== name || --left > 0) return
    process.kill(process.pid, "SIGKILL")
  }
}
