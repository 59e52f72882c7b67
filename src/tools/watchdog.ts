/**
 * What ends a command whose host died and was never replaced: a process of its own that looks at the status file now and then.
 *
 * - It does nothing while the host that the status file names is alive, and goes when the command has ended.
 * - It is started only for commands that run for a while, so quick ones do not pay for it.
 */
import { signal } from "./processes.ts"

export type Watch = {
  readonly status: string
  /** The wrapper: its pid is that of its group. */
  readonly leader: number
  /** Seconds to the command's own deadline, or null. */
  readonly deadlineSeconds: number | null
  readonly orphanSeconds: number
  readonly stepSeconds: number
}

/** A command that nobody has asked after for a day is forgotten. */
export const orphanMsDefault = 24 * 60 * 60 * 1_000
export const watchStepSeconds = 10

/** $1 status file, $2 leader, $3 seconds to the deadline or empty, $4 seconds alone, $5 seconds between looks */
const script = `passed=0
alone=0
while sleep "$5"; do
  { read -r word && read -r host; } <"$1" && [ "$word" = running ] && kill -0 "$2" || exit 0
  passed=$((passed + $5))
  if kill -0 "$host"; then alone=0; continue; fi
  alone=$((alone + $5))
  [ "$alone" -ge "$4" ] || { [ -n "$3" ] && [ "$passed" -ge "$3" ]; } || continue
  kill -TERM "-$2"
  sleep 2
  read -r word <"$1" && [ "$word" = running ] || exit 0
  printf 'signal 9\\n' 1<>"$1"
  kill -KILL "-$2"
  exit 0
done`

/** Start it; the function that it returns ends it. */
export function startWatchdog(watch: Watch): () => void {
  const seconds = watch.deadlineSeconds === null ? "" : `${Math.ceil(watch.deadlineSeconds)}`
  const argv = [watch.status, `${watch.leader}`, seconds, `${watch.orphanSeconds}`, `${watch.stepSeconds}`]
  const child = Bun.spawn(["/bin/sh", "-c", script, "cairn-watch", ...argv], {
    env: { PATH: "/usr/bin:/bin" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  })
  child.unref()
  return () => signal(-child.pid, "SIGKILL")
}
