/**
 * I10: what calls did to the world, against what their results say.
 *
 * - Unsafe: at most once; once where the result says so; never where it says that nothing was started.
 * - Keyed: as often as need be, always with the same key. Reconciled: once, if ever.
 * - Files: an edit's or a write's change appears once where the result says so, and never where it says that nothing was written.
 */
import { resultsOf, type Picture, type Result } from "./checks.ts"
import { taskOf } from "./outside.ts"
import type { World } from "./world.ts"

type Wrong = (text: string) => void

function checkUnsafe(world: World, { task, entry, text }: Result, wrong: Wrong): void {
  const { name } = task.input
  const count = world.outside.of(task.id).length
  const { outcome } = entry
  const told = `I10: t${task.id} ${name} is "${outcome}" and happened ${count} times: ${text.slice(0, 80)}`
  if (count > 1) wrong(told)
  if (outcome === "done" && count !== 1) wrong(told)
  if (outcome === "not started" && count !== 0) wrong(told)
  if (outcome === "reconciled") wrong(told)
  if (outcome !== "failed" && outcome !== "aborted") return
  const says = text.startsWith("fired") || text.includes("job was stopped") ? 1 : 0
  if (count !== says) wrong(told)
}

function checkKeyed(world: World, { task, entry }: Result, wrong: Wrong): void {
  const effects = world.outside.of(task.id)
  const { outcome } = entry
  if (new Set(effects.map(({ key }) => key)).size > 1) wrong(`I10: t${task.id} used several keys`)
  if (outcome === "done" && effects.length === 0) wrong(`I10: t${task.id} is done and never happened`)
  if (outcome === "not started" && effects.length > 0) wrong(`I10: t${task.id} was not started and happened`)
  if (outcome === "unknown" || outcome === "reconciled") wrong(`I10: a keyed call is ${outcome}`)
}

function checkReconciled(world: World, { task, entry, text }: Result, wrong: Wrong): void {
  const count = world.outside.of(task.id).length
  const { outcome } = entry
  const told = `I10: t${task.id} ${task.input.name} is "${outcome}" and happened ${count} times: ${text.slice(0, 80)}`
  if (count > 1) wrong(told)
  if ((outcome === "done" || outcome === "reconciled") && count !== 1) wrong(told)
  if (outcome === "not started" && count !== 0) wrong(told)
  if (outcome === "unknown") wrong(told)
}

/** The word that the call's change brings into its file. */
function tokenOf(task: Result["task"]): string {
  return /token-\d+-\d+\./.exec(JSON.stringify(task.input.args))?.[0] ?? ""
}

function checkFile(world: World, { task, entry, text }: Result, wrong: Wrong): void {
  const { path } = task.input.args
  if (typeof path !== "string" || task.input.argumentsError !== undefined) return
  const token = tokenOf(task)
  const count = world.outside.appearances(path, token)
  const { outcome } = entry
  const told = `I10: t${task.id} ${task.input.name} ${path} is "${outcome}", its change appeared ${count} times: ${text.slice(0, 120)}`
  // Taking back what came later brings it back.
  const isOften = count > 1 && !world.outside.takenBack
  if (isOften) wrong(told)
  if ((outcome === "done" || outcome === "reconciled") && count === 0) wrong(told)
  if (outcome === "not started" && count !== 0) wrong(told)
  if (outcome === "failed" && count !== 0 && !text.includes("cannot be written")) wrong(told)
  // Nobody but the person's other programs and a power cut can make it unknown.
  if (outcome === "unknown" && !world.outside.touched.has(path) && !world.faults.has("power cut")) wrong(told)
}

const checks: Readonly<Record<string, (world: World, result: Result, wrong: Wrong) => void>> = {
  fire: checkUnsafe,
  shoot: checkUnsafe,
  job: checkUnsafe,
  post: checkKeyed,
  swap: checkReconciled,
  edit: checkFile,
  write: checkFile,
}

export function checkEffects(world: World, picture: Picture): void {
  const wrong: Wrong = (text) => world.problem(text)
  for (const result of resultsOf(picture)) checks[result.task.input.name]?.(world, result, wrong)
  const calls = new Map(picture.calls.map((task) => [task.id, task]))
  for (const { tool, key } of world.outside.effects) {
    const name = calls.get(taskOf(key))?.input.name
    if (name !== tool) wrong(`I10: ${tool} acted for t${taskOf(key)}, which is ${name ?? "not there"}`)
  }
}
