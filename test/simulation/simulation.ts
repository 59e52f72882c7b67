/**
 * One simulation: a session from its first input to its rest, through as many lives as its seed has in store.
 *
 * - In the storm people do what people do, and things go wrong as things go wrong; each life ends by a kill, a power cut, an error of the disk or an orderly close.
 * - Then it is calm: the last life runs until nothing is left to do. Whatever happened, the session must be whole, and everything that anybody was told must be so.
 */
import { join } from "node:path"
import { drainMicrotasks } from "bun:jsc"
import { createSession } from "../../src/ledger/open.ts"
import { begin, openEngine, type Engine } from "../../src/engine/engine.ts"
import { defaultSettings } from "../../src/engine/options.ts"
import { Rejected, Unknown } from "../../src/ledger/storage.ts"
import { queueOf, runOf } from "../../src/protocol/view.ts"
import { act } from "./actions.ts"
import { checkAlways, read, resultsOf } from "./checks.ts"
import { closeHandles, real, simulate } from "./disk.ts"
import { checkEffects } from "./effects.ts"
import { checkEnd } from "./end.ts"
import { Inputs } from "./inputs.ts"
import { calmFate, Life, type Fate } from "./life.ts"
import { simModels } from "./model.ts"
import { Client, picture, Told } from "./people.ts"
import { cutPower } from "./power.ts"
import { simTools } from "./tools.ts"
import type { World } from "./world.ts"

/** Moments at which more lives end than a count of all operations would let them: few happen there, and much hangs on them. */
const tellingMoments = [
  "before the effect",
  "after the effect",
  "before the answer",
  "before a delta",
  "progress",
  "rename",
] as const
/** How often, in the calm, people look again whether something waits for them. */
const roundsMax = 24
/** Work that is waited for in the calm: longer than any wait of the engine's, of virtual time. */
const calmMsMax = 3 * 3_600_000

export class Simulation {
  readonly world: World
  readonly told: Told
  readonly clients: readonly Client[]
  readonly inputs: Inputs
  engine: Engine | null = null
  /** Answers that are waited for. */
  waiting = 0
  lives = 0
  #before: Life | null = null
  #opening = false
  #things = 0
  /** After a fault nobody does anything more until all has come to rest. */
  #recovers = false
  #actionsLeft: number
  #closing = false
  /** The engine has said that it can do nothing more. */
  #lost = false

  constructor(world: World) {
    this.world = world
    this.told = new Told(world)
    this.inputs = new Inputs(world)
    this.clients = [new Client("client 0", world, this.told), new Client("client 1", world, this.told)]
    this.#actionsLeft = world.chance.between(8, 45)
  }

  async run(): Promise<void> {
    const { world } = this
    const created = await createSession({ dataDir: world.dataDir, id: world.id, clock: systemLike(world) })
    begin(created, { folder: world.work, agent: { model: "alpha/chat", thinking: "off", tools: this.#toolNames() } })
    await created.close()
    real.writeFileSync(join(world.work, "a.txt"), "begin\nEND\n")
    this.#startLife()
    this.#nextAction()
    while (this.#actionsLeft > 0 && this.#goesOn()) {
      this.#step()
      if (this.#recovers) this.#recover()
    }
    world.storm = false
    world.say("calm")
    this.#rest()
    if (world.problems.length === 0) await this.#end()
  }

  /** A fault, and then nothing but the work that was there: it must come to its end, and be whole. */
  #recover(): void {
    const { world } = this
    this.#rest()
    this.#recovers = false
    const { life } = world
    if (!this.#goesOn() || life === null) return
    this.#inspect(life)
    world.works.add("recovered to rest")
    world.say("storm")
    world.storm = true
    const { diesAt, unknownAt, ...fate } = this.#fate()
    life.fate = { ...fate, diesAt: life.ops + diesAt, unknownAt: life.writes + unknownAt }
  }

  #toolNames(): readonly string[] {
    return simTools(this.world).map(({ name }) => name)
  }

  #goesOn(): boolean {
    return this.world.problems.length === 0
  }

  #step(): void {
    const { world } = this
    this.#things++
    world.schedule.step()
    this.#settle()
    if (this.#things % 64 === 0) this.compareViews()
  }

  /** Lets go on what is ready, and buries who has died of it. */
  #settle(): void {
    const { world } = this
    drainMicrotasks()
    const { life } = world
    if (life?.dead === true) this.#afterDeath(life)
    else if (this.#lost && world.problems.length === 0) this.close()
  }

  #nextAction(): void {
    const { world } = this
    world.schedule.after(world.chance.skewed(8_000), null, () => {
      if (!world.storm) return this.#nextAction()
      this.#actionsLeft--
      act(this)
      if (this.#actionsLeft > 0) this.#nextAction()
    })
  }

  #fate(): Fate {
    const { chance, storm } = this.world
    if (!storm) return calmFate
    const dies = chance.hit(0.8)
    const name = chance.pick(tellingMoments)
    return {
      // In its first moments, or in the middle of its work.
      diesAt: dies ? 1 + (chance.hit(0.4) ? chance.skewed(200) : chance.below(1_200)) : Infinity,
      diesBy: dies && chance.hit(0.6) ? { name, at: 1 + chance.skewed(6) } : null,
      power: chance.hit(0.35),
      busy: chance.pick([0, 0, 0, 0.03]),
      late: chance.pick([0, 0, 0.2, 1]),
      lateMs: chance.skewed(500),
      unknownAt: chance.hit(0.1) ? 1 + chance.skewed(80) : Infinity,
      unknownStored: chance.hit(0.5),
    }
  }

  #startLife(): void {
    const { world } = this
    const life = new Life(world, ++this.lives, this.#fate(), this.#before)
    this.#before = life
    world.life = life
    this.#opening = true
    this.#closing = false
    simulate(life)
    life.open().then(
      () => {
        if (!life.dead) this.#begin(life)
      },
      (error: unknown) => {
        if (!life.dead) this.#openingFailed(life, error)
      },
    )
    drainMicrotasks()
    if (life.dead && world.life === life) this.#afterDeath(life)
  }

  #openingFailed(life: Life, error: unknown): void {
    const { world } = this
    const isWeather =
      error instanceof Rejected || error instanceof Unknown || (error as { code?: string }).code === "ENOSPC"
    if (!isWeather) return world.problem(`the session does not open: ${String(error)}`)
    world.say(`opening failed: ${String(error)}`)
    this.#bury(life)
    world.schedule.after(1_000, null, () => this.#startLife())
  }

  #begin(life: Life): void {
    const { world } = this
    const { ledger } = life
    if (ledger === null) return
    this.#opening = false
    world.say(`open at commit ${ledger.seq}`)
    const running = [...ledger.live.tasks.values()].filter(({ status }) => status === "running")
    if (running.length > 0) world.problem(`I8: t${running[0]?.id} is running right after the opening`)
    if (ledger.seq < this.told.seq)
      world.problem(`I11: commit ${this.told.seq} was told, the ledger is at ${ledger.seq}`)
    world.due.clear()
    for (const { id, kind, phase, abort, checkpoint } of ledger.live.tasks.values()) {
      const pin = checkpoint["pin"] as { readonly hash: string } | undefined
      if (kind === "generation" && phase === "request" && abort === null && pin !== undefined)
        world.due.set(id, pin.hash)
    }
    this.engine = openEngine({
      ledger,
      models: {
        resolve: (name) => {
          const model = simModels.find(({ provider, id }) => `${provider}/${id}` === name)
          return model === undefined ? { ok: false, problem: `There is no model ${name}.` } : { ok: true, model }
        },
        api: async (model) => world.model.api(model),
        key: async () => ({ key: "k" }),
        list: async () => [],
      },
      tools: simTools(world),
      instructions: { system: () => "You are simulated.", files: [] },
      settings: { ...defaultSettings, stallMs: 60_000 },
      machine: {
        folder: world.work,
        home: world.root,
        cache: world.root,
        env: {},
        refused: [world.sessionFolder],
        readable: [],
      },
      clock: life.clock,
      random: () => world.chance.next(),
      consent: world.storm && world.chance.hit(0.15) ? "ask" : "now",
      report: (text) => {
        if (!life.dead && !text.includes("TypeError: boom")) world.problem(`reported: ${text}`)
      },
    })
    if (life.storage !== null) checkAlways(world, life.storage)
    // The host itself.
    this.#lost = false
    this.engine.port.watch((frame) => {
      this.#lost ||= frame.type === "lost" && !life.dead && world.life === life
    })
    for (const client of this.clients) client.connect(life, this.engine.port, world.chance.hit(0.8))
    for (const input of this.inputs.all) if (input.submission === null && world.chance.hit(0.8)) this.send(input)
  }

  /** Sends an input, for the first time or once more. */
  send(input: Inputs["all"][number]): void {
    const { requestId, conversation, text, mode } = input
    const content = [{ type: "text" as const, text }]
    this.ask({ type: "submit", conversation, requestId, content, mode }, (answer) => {
      this.world.works.add(`input to ${mode}`)
      this.inputs.answered(input, (answer as { readonly submission: number }).submission)
    })
  }

  /** Asks the engine; what it answers is heard if its process lives by then. */
  ask(
    command: Parameters<Engine["port"]["request"]>[0],
    heard: (answer: unknown) => void = () => undefined,
    refused: (error: unknown) => void = () => undefined,
  ): void {
    const { life } = this.world
    if (this.engine === null || life === null || life.dead || this.#closing) return
    this.waiting++
    this.engine.port.request(command).then(
      (answer) => {
        if (this.world.life !== life) return
        this.waiting--
        life.op(`before the answer to ${command.type}`)
        if (life.dead) return
        this.world.works.add(command.type)
        heard(answer)
      },
      (error: unknown) => {
        if (this.world.life !== life) return
        this.waiting--
        if (!life.dead) refused(error)
      },
    )
  }

  /** An orderly end, or the end of a process that can store nothing more. */
  close(): void {
    const { engine, world } = this
    const { life } = world
    if (engine === null || life === null || life.dead || this.#closing) return
    this.#closing = true
    world.say("closing")
    world.faults.add("close")
    const ended = (): void => {
      if (life.dead) return
      this.#bury(life)
      this.#startLife()
    }
    engine.close().then(ended, ended)
  }

  #afterDeath(life: Life): void {
    const { world } = this
    const { power } = life.fate
    world.faults.add(power ? "power cut" : "kill")
    this.#bury(life)
    world.putImage()
    if (world.storm && world.chance.hit(0.25)) {
      world.say("nobody does anything until all has come to rest")
      world.storm = false
      this.#recovers = true
    }
    if (power) {
      for (const damage of cutPower(world.sessionFolder, life.relaxedSinceFlush, world.chance)) world.faults.add(damage)
      const lost = world.lasting.cut((all) => world.chance.below(all + 1))
      if (lost > 0) world.say(`${lost} changes of files are lost`)
      world.outside.lookAgain()
      this.told.forget(life.flushedSeq)
      life.storedSeq = life.flushedSeq
      life.relaxedSinceFlush = 0
      for (const [task, seq] of world.marks) if (seq > life.flushedSeq) world.marks.delete(task)
    }
    this.#startLife()
  }

  #bury(life: Life): void {
    for (const client of this.clients) client.drop()
    simulate(null)
    life.bury()
    closeHandles()
    this.engine = null
    this.world.life = null
    this.waiting = 0
  }

  /** Clients that know the same commits know the same. */
  compareViews(): void {
    const [one, other] = this.clients
    if (one?.ready !== true || other?.ready !== true || one.view.seq !== other.view.seq) return
    const [a, b] = [picture(one.view), picture(other.view)]
    if (a !== b) this.world.problem(`two clients at commit ${one.view.seq} see different things:\n${difference(a, b)}`)
  }

  /** Lets everything come to its end; what waits for a person is told to go on. */
  #rest(): void {
    const { world } = this
    for (let round = 0; round < roundsMax && this.#goesOn(); round++) {
      // What was set aside waits until somebody says that it goes on: that takes a round.
      const until = world.schedule.now + calmMsMax
      while (!this.#isIdle() && this.#goesOn() && (world.schedule.next ?? Infinity) < until) this.#step()
      if (!this.#goesOn()) return
      const idle = this.#isIdle()
      if (idle && this.#isEmpty() && this.clients.every(({ connected }) => connected)) return
      const { engine } = this
      const { life } = world
      if (engine === null || life === null) return world.problem("it does not open again")
      for (const client of this.clients) if (!client.connected) client.connect(life, engine.port, false)
      this.ask({ type: "resume" })
      const unanswered = this.inputs.all.find(({ submission }) => submission === null)
      if (unanswered !== undefined) this.send(unanswered)
      else if (idle) for (const conversation of this.#waiting()) this.send(this.inputs.add(conversation))
      this.#settle()
    }
    if (this.#goesOn()) this.#stuck()
  }

  #stuck(): void {
    const tasks = [...(this.world.ledger?.live.tasks.values() ?? [])].map(
      ({ id, kind, status, phase, restarts }) => `t${id} ${kind} ${status} ${phase} ${restarts}`,
    )
    this.world.problem(`it does not come to rest: ${tasks.join(", ")}; ${this.waiting} answers are waited for`)
  }

  /** Nothing works, all is stored, and nobody waits for an answer. */
  #isIdle(): boolean {
    const { engine } = this
    const { ledger, life } = this.world
    if (engine === null || ledger === null || life === null || this.#opening || this.#closing) return false
    return !engine.busy() && this.waiting === 0 && ledger.seq === life.storedSeq
  }

  /** Conversations in which something is queued: a failed run leaves it, and the next input takes it along. */
  #waiting(): readonly number[] {
    const view = this.clients[0]?.view
    return view === undefined ? [] : [...view.conversations.keys()].filter((id) => queueOf(view, id).length > 0)
  }

  /** Nothing runs or is queued, and everybody has an answer. */
  #isEmpty(): boolean {
    const view = this.clients[0]?.view
    if (view === undefined || [...view.conversations.keys()].some((id) => runOf(view, id) !== undefined)) return false
    return this.#waiting().length === 0 && this.inputs.all.every(({ submission }) => submission !== null)
  }

  /** All that must be so when nothing is left to do. */
  #inspect(life: Life): void {
    const { world, engine } = this
    if (life.storage === null || engine === null) return world.problem("it came to rest without a life")
    life.fate = calmFate
    // What is left to do without anybody waiting for it: files that go, clients that hear.
    const until = world.schedule.now + 2_000
    while ((world.schedule.next ?? Infinity) < until && this.#goesOn()) this.#step()
    this.compareViews()
    if (this.clients.some(({ settled }) => !settled)) world.problem("a client was not told that the work has ended")
    const fresh = new Client("a new client", world, this.told)
    fresh.connect(life, engine.port, false)
    drainMicrotasks()
    const known = this.clients[0]
    if (known !== undefined && picture(fresh.view) !== picture(known.view))
      world.problem(`a fresh snapshot shows something else:\n${difference(picture(known.view), picture(fresh.view))}`)
    fresh.drop()
    checkAlways(world, life.storage)
    const found = read(life.storage)
    this.inputs.check(found)
    checkEffects(world, found)
  }

  async #end(): Promise<void> {
    const { world } = this
    const { life } = world
    const { storage } = life ?? {}
    if (life === null || storage == null || this.engine === null) return world.problem("it ended without a life")
    this.#inspect(life)
    for (const { task, entry } of resultsOf(read(storage)))
      world.works.add(`${task.input.name} that is ${entry.outcome}`)
    this.close = () => undefined
    let closed = false
    const wrong = (error: unknown): void => world.problem(`it does not close: ${String(error)}`)
    this.engine.close().then(() => (closed = true), wrong)
    drainMicrotasks()
    while (!closed && world.schedule.next !== null && this.#goesOn()) this.#step()
    if (!closed) return world.problem("it does not close")
    this.#bury(life)
    await within(world, "the last look", checkEnd(world, this.told))
  }
}

/** The first lines that differ. */
function difference(a: string, b: string): string {
  const [one, other] = [a.split("\n"), b.split("\n")]
  const at = one.findIndex((line, n) => line !== other[n])
  const from = Math.max(0, at - 3)
  return `${one.slice(from, at + 5).join("\n")}\n--- and ---\n${other.slice(from, at + 5).join("\n")}`
}

/** Turns of the runtime's loop that something may take which is not simulated. */
const turnsMax = 100_000

/** Waits for `work`, but not for ever: a promise that nobody settles is a failure like any other. */
async function within(world: World, what: string, work: Promise<void>): Promise<void> {
  let over = false
  const ended = work.finally(() => {
    over = true
  })
  // Whether it failed is asked below.
  ended.catch(() => undefined)
  for (let turn = 0; turn < turnsMax && !over; turn++) await new Promise((resolve) => setImmediate(resolve))
  if (over) return ended
  world.problem(`${what} never comes to an end`)
}

function systemLike(world: World): { now(): number; monotonic(): number; after(): () => void } {
  return { now: () => world.schedule.wall, monotonic: () => world.schedule.now, after: () => () => undefined }
}
