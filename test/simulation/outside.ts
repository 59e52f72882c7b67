/**
 * The world outside the agent: what its tools have done to it, kept apart from everything that the agent remembers.
 *
 * - Every effect is noted with the call that made it, at the moment when it happens, and must have its mark on the platter by then.
 * - Files have a history: each content that a path has had.
 */
import type { ToolContext } from "../../src/tools/tool.ts"
import { real } from "./disk.ts"
import type { World } from "./world.ts"

export type Effect = { readonly tool: string; readonly task: number; readonly key: string; readonly life: number }

export type Job = { readonly task: number; readonly endsAt: number; stopped: boolean }

export class Outside {
  readonly #world: World
  readonly effects: Effect[] = []
  /** Jobs that outlive the agent, by their key. */
  readonly jobs = new Map<string, Job>()
  /** Every content of a file, oldest first. */
  readonly versions = new Map<string, string[]>()
  /** True once somebody has taken back what a run changed in files. */
  takenBack = false
  /** Files that someone else has changed. */
  readonly touched = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** The effect of a call happens now; false where its process is dead, and it does not. */
  effect(tool: string, context: Pick<ToolContext, "key">): boolean {
    const { life } = this.#world
    if (life === null || life.dead) return false
    const task = taskOf(context.key)
    life.op(`before the effect of ${tool} t${task}`)
    if (life.dead) return false
    if (!life.isMarked(task)) this.#world.problem(`t${task} ${tool} acts on the world before its mark is flushed`)
    this.effects.push({ tool, task, key: context.key, life: life.number })
    this.#world.works.add(`effect of ${tool}`)
    this.#world.say(`effect of ${tool} t${task}`)
    life.op(`after the effect of ${tool} t${task}`)
    return !life.dead
  }

  of(task: number): readonly Effect[] {
    return this.effects.filter((effect) => effect.task === task)
  }

  fileChanged(path: string): void {
    const { life } = this.#world
    if (life?.dead === true || path.endsWith(".tmp")) return
    const tasks = life?.ledger?.live.tasks ?? new Map<number, unknown>()
    if (life != null && ![...tasks.keys()].some((id) => life.isMarked(id)))
      this.#world.problem(`${path} is changed before the mark of any work is flushed`)
    this.#note(path)
  }

  /** Someone else writes a file. */
  touch(path: string, content: string): void {
    real.writeFileSync(path, content)
    this.touched.add(path)
    this.#note(path)
  }

  /** After a power cut: what is not there any more has not been. */
  lookAgain(): void {
    for (const [path, all] of this.versions) {
      const now = contentOf(path)
      while (all.length > 0 && all.at(-1) !== now) all.pop()
    }
  }

  /** How often the file at `path` began to hold `text`. */
  appearances(path: string, text: string): number {
    const all = this.versions.get(path) ?? []
    return all.filter((content, n) => content.includes(text) && !(all[n - 1] ?? "").includes(text)).length
  }

  #note(path: string): void {
    const all = this.versions.get(path) ?? []
    all.push(contentOf(path))
    this.versions.set(path, all)
  }
}

/** A file that is not there says nothing. */
function contentOf(path: string): string {
  return real.existsSync(path) ? real.readFileSync(path, "utf8") : ""
}

export function taskOf(key: string): number {
  return Number(key.slice(key.lastIndexOf(":") + 1))
}
