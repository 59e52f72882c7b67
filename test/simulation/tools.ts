/** Tools of every effect class, whose effects the outside keeps count of; and the real ones that change files. */
import { Type } from "@sinclair/typebox"
import { sleep } from "../../src/std/clock.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { editTool } from "../../src/tools/edit.ts"
import { readTool } from "../../src/tools/read.ts"
import {
  defineTool,
  errorResult,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../src/tools/tool.ts"
import { writeTool } from "../../src/tools/write.ts"
import { real } from "./disk.ts"
import type { World } from "./world.ts"

const parameters = Type.Object({ n: Type.Integer() })
const common = { description: "does something", parameters, version: 1 }

/** Waits for some time, now and then with a word; false where it was stopped. */
async function work(world: World, context: ToolContext): Promise<boolean> {
  const { chance } = world
  for (let step = chance.below(4); step >= 0; step--) {
    if (chance.hit(0.5)) context.progress(`step ${step} \u00e9\u{1f600}\n`)
    if (!(await sleep(context.clock, chance.skewed(4_000), context.signal))) return false
  }
  return true
}

const stopped = (): ToolResult => errorResult("stopped")

function look(world: World): Tool {
  return defineTool({
    ...common,
    name: "look",
    effect: "pure",
    title: () => "look",
    async execute({ n }, _intent, context) {
      while (world.planted.endless) await sleep(context.clock, 1)
      if (!(await work(world, context))) return stopped()
      if (world.life?.dead === true || context.files === null || !world.chance.hit(0.2)) return textResult(`saw ${n}`)
      real.writeFileSync(context.files.output, `${n}\n`.repeat(1_000))
      return textResult(`saw ${n} and more in ${context.files.output}`, { cut: true })
    },
  })
}

/** Its receiver takes the same key once. */
function post(world: World): Tool {
  return defineTool({
    ...common,
    name: "post",
    effect: "keyed",
    title: () => "post",
    async execute({ n }, _intent, context) {
      if (!(await work(world, context))) return stopped()
      if (!world.outside.effect("post", context)) return stopped()
      await work(world, context)
      return textResult(`posted ${n}`)
    },
  })
}

function fire(world: World, name: string, sequential: boolean): Tool {
  return defineTool({
    ...common,
    name,
    effect: "unsafe",
    sequential,
    title: () => name,
    async execute({ n }, _intent, context) {
      if (!(await work(world, context))) return stopped()
      if (world.chance.hit(0.3)) await context.remember({ n })
      if (!world.outside.effect(name, context)) return stopped()
      if (!(await work(world, context))) return errorResult(`fired ${n}, then stopped`)
      return textResult(`fired ${n}`)
    },
  })
}

/** Asked after a restart, it tells by the outside whether it happened. */
function swap(world: World): Tool {
  return defineTool({
    ...common,
    name: "swap",
    effect: "reconcile",
    title: () => "swap",
    async prepare({ n }, context) {
      if (world.chance.hit(0.1)) return { ok: false, result: errorResult("cannot be prepared") }
      await sleep(context.clock, world.chance.skewed(50), context.signal)
      return { ok: true, intent: { n } }
    },
    async execute({ n }, _intent, context) {
      if (!(await work(world, context))) return stopped()
      if (!world.outside.effect("swap", context)) return stopped()
      await work(world, context)
      return textResult(`swapped ${n}`)
    },
    async reconcile({ n }, _intent, context) {
      await sleep(context.clock, world.chance.skewed(50))
      const happened = world.outside.effects.some(({ key }) => key === context.key)
      return happened ? { status: "done", result: textResult(`swapped ${n}`) } : { status: "not started" }
    },
  })
}

/** Its effect goes on without the agent, which adopts it. */
function job(world: World): Tool {
  const end = async (key: string, context: ToolContext): Promise<ToolResult | null> => {
    const running = world.outside.jobs.get(key)
    if (running === undefined) return null
    const left = running.endsAt - world.schedule.now
    if (left > 0 && !(await sleep(context.clock, left, context.signal))) {
      running.stopped = true
      return errorResult("the job was stopped")
    }
    return running.stopped ? errorResult("the job was stopped") : textResult("the job has ended")
  }
  return defineTool({
    ...common,
    name: "job",
    effect: "unsafe",
    title: () => "job",
    async execute(_args, _intent, context) {
      await context.remember({ key: context.key })
      if (!world.outside.effect("job", context)) return stopped()
      const endsAt = world.schedule.now + world.chance.skewed(60_000)
      world.outside.jobs.set(context.key, { task: 0, endsAt, stopped: false })
      return (await end(context.key, context)) ?? stopped()
    },
    adopt: (_args, facts: JsonObject, context) =>
      typeof facts["key"] === "string" ? end(facts["key"], context) : Promise.resolve(null),
  })
}

/** Asks one or two agents of its own. */
function ask(): Tool {
  return defineTool({
    ...common,
    name: "ask",
    effect: "keyed",
    title: () => "ask",
    async execute({ n }, _intent, context) {
      const { subagent } = context
      if (subagent === undefined) return errorResult("there are no subagents here")
      const names = n % 2 === 0 ? ["one"] : ["one", "two"]
      const answers = await Promise.all(names.map((name) => subagent({ name, prompt: `child ${name} of ${n}` })))
      return textResult(answers.map(({ status }) => status).join(", "))
    },
  })
}

/** A tool with a bug. */
function boom(world: World): Tool {
  return defineTool({
    ...common,
    name: "boom",
    effect: "pure",
    title: () => "boom",
    async execute(_args, _intent, context) {
      await work(world, context)
      throw new TypeError("boom")
    },
  })
}

export function simTools(world: World): readonly Tool[] {
  const shoot = fire(world, "fire", false)
  return [
    readTool,
    editTool,
    writeTool,
    look(world),
    post(world),
    world.planted.wrongClass ? { ...shoot, effect: "pure" } : shoot,
    fire(world, "shoot", true),
    swap(world),
    job(world),
    ask(),
    boom(world),
  ]
}
