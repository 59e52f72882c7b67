/**
 * One real task on the real executable, killed at a chosen moment and finished by `-c -p`: what is lost, doubled or refused is counted.
 *
 * The model reads a file, edits it, runs a command that takes a moment and leaves a line in a file, and answers. It is a function of the request
 * alone, so that a resumed agent gets the same words. The server checks every request strictly.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runBinary, builtBinary, type Machine } from "./binary.ts"
import { localMachine } from "./local-model.ts"
import type { ModelRequest, Reply } from "./model-script.ts"
import { startModelServer, type ModelServer } from "./model-server.ts"

export const finalText = "All is done: notes.txt is edited and the command was run."

const command = "for i in 1 2 3; do echo step $i; sleep 0.04; done; echo ran >> runs.txt"

/** A call at a time, by how many results there are; text in slow pieces, so that a kill can hit a stream. */
export function killScript(request: ModelRequest): Reply {
  const slow = (text: string) => text.split(/(?<= )/).flatMap((word) => [word, { delayMs: 4 }])
  switch (request.results.length) {
    case 0:
      return { text: slow("I read the file first."), toolCalls: [{ name: "read", args: { path: "notes.txt" } }] }
    case 1: {
      const args = { path: "notes.txt", edits: [{ oldText: "count:", newText: "count: x" }] }
      return { text: slow("Now I edit it."), toolCalls: [{ name: "edit", args }] }
    }
    case 2:
      return { text: slow("And now the command."), toolCalls: [{ name: "bash", args: { command } }] }
    default:
      return { text: slow(finalText) }
  }
}

export function killMachine(server: ModelServer): Machine {
  const machine = localMachine(server)
  writeFileSync(join(machine.work, "notes.txt"), "title\ncount:\nend\n")
  return machine
}

export type KillOutcome = {
  /** Milliseconds after each start. */
  readonly moments: readonly number[]
  /** The input had been acknowledged before the kill. */
  readonly accepted: boolean
  /** The process had ended by itself before the kill. */
  readonly finished: boolean
  readonly problems: readonly string[]
}

const prompt = "Please edit notes.txt and run the command."

function accepted(events: string): boolean {
  return events.split("\n").some((line) => line.includes('"message_end"') && line.includes('"role":"user"'))
}

/** What the machine looks like after the resumed run; each line names one broken promise. */
function problemsOf(
  machine: Machine,
  wasAccepted: boolean,
  resumed: { status: number | null; stdout: string; stderr: string },
): string[] {
  const problems: string[] = []
  const notes = readFileSync(join(machine.work, "notes.txt"), "utf8")
  if (notes !== "title\ncount: x\nend\n") problems.push(`notes.txt is ${JSON.stringify(notes)}`)
  const runs = Bun.spawnSync(["cat", join(machine.work, "runs.txt")]).stdout.toString()
  if (runs !== "ran\n") problems.push(`the command ran ${runs.length / 4} times`)
  if (resumed.status !== 0 || resumed.stdout !== `${finalText}\n`) {
    problems.push(`the resumed run ended ${resumed.status}: ${resumed.stdout}${resumed.stderr}`)
  }
  if (wasAccepted && resumed.stderr.includes("no session")) problems.push("an accepted input was lost")
  return problems
}

type Killed = { readonly accepted: boolean; readonly finished: boolean }

/** Start the executable, kill it after `afterMs`, and tell what it had said by then. */
async function killed(machine: Machine, args: readonly string[], afterMs: number): Promise<Killed> {
  const child = Bun.spawn([await builtBinary(), "--mode", "json", ...args], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const events = new Response(child.stdout).text()
  await Promise.race([Bun.sleep(afterMs), child.exited])
  const finished = child.exitCode !== null
  child.kill("SIGKILL")
  await child.exited
  return { accepted: accepted(await events), finished }
}

/** Start the task, kill it and whoever goes on with it after each of `moments`, finish it by `-c -p`, and look. */
export async function killOnce(server: ModelServer, moments: readonly number[]): Promise<KillOutcome> {
  using machine = killMachine(server)
  let [wasAccepted, finished] = [false, false]
  for (const afterMs of moments) {
    // Killed before the input was acknowledged: whoever sent it looks whether it was taken, or sends it again.
    const stored = wasAccepted || (await runBinary(machine, ["sessions", "list"])).stdout !== ""
    const last = await killed(machine, stored ? ["-c"] : [prompt], afterMs)
    wasAccepted ||= stored || last.accepted
    finished = last.finished
    if (finished) break
  }
  let resumed = await runBinary(machine, ["-c", "-p"])
  if (!wasAccepted && resumed.status === 2) resumed = await runBinary(machine, ["-p", prompt])
  return { moments, accepted: wasAccepted, finished, problems: problemsOf(machine, wasAccepted, resumed) }
}

export type KillSummary = {
  readonly kills: number
  readonly accepted: number
  readonly finishedBefore: number
  readonly problems: readonly string[]
  readonly invalidRequests: readonly string[]
}

/** Kill `times` tasks at moments that `random` (0 to 1) spreads over the length of an undisturbed run, each `inARow` times. */
export async function killMany(times: number, random: () => number, inARow = 1): Promise<KillSummary> {
  const server = await startModelServer({ script: killScript, key: "k" })
  try {
    const started = performance.now()
    using machine = killMachine(server)
    const whole = await runBinary(machine, ["-p", prompt])
    const length = performance.now() - started
    const problems = problemsOf(machine, true, whole)
    const outcomes: KillOutcome[] = []
    for (let n = 0; n < times; n++) {
      const moments = Array.from({ length: inARow }, () => random() * length)
      outcomes.push(await killOnce(server, moments))
    }
    return {
      kills: times,
      accepted: outcomes.filter((outcome) => outcome.accepted).length,
      finishedBefore: outcomes.filter((outcome) => outcome.finished).length,
      problems: [
        ...problems,
        ...outcomes.flatMap(({ moments, problems }) =>
          problems.map((text) => `${moments.map(Math.round).join(", ")} ms: ${text}`),
        ),
      ],
      invalidRequests: server.violations,
    }
  } finally {
    await server.stop()
  }
}
