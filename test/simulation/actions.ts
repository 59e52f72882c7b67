/** What people, and the rest of the world, do at a moment: one thing, chosen by chance. */
import type { Command } from "../../src/protocol/port.ts"
import { queueOf } from "../../src/protocol/view.ts"
import { real } from "./disk.ts"
import type { Simulation } from "./simulation.ts"

const dayMs = 86_400_000

const weights = {
  submit: 10,
  again: 2,
  withdraw: 2,
  amend: 1,
  send: 0.5,
  fork: 1.2,
  look: 1,
  undo: 0.4,
  abort: 2,
  configure: 1.5,
  compact: 0.8,
  small: 1.5,
  retryNow: 0.6,
  resume: 0.8,
  watch: 2.5,
  page: 0.7,
  touch: 1.5,
  jump: 0.6,
  full: 0.7,
  close: 0.5,
  power: 0.3,
} as const

type Deed = (simulation: Simulation) => void

/** A conversation that people may talk in. */
function conversation({ clients, world }: Simulation): number {
  const known = [...(clients[0]?.view.conversations.values() ?? [])].filter(({ owner }) => owner === null)
  return world.chance.pick(known)?.id ?? 1
}

/** An entry that somebody sees. */
function entry({ clients, world }: Simulation): { readonly id: number; readonly conversation: number } | undefined {
  return world.chance.pick(clients[0]?.view.entries ?? [])
}

/** Whoever is connected leaves, whoever left comes back. */
function watch({ world, clients, engine }: Simulation): void {
  const client = world.chance.pick(clients)
  const { life } = world
  if (client === undefined || engine === null || life === null) return
  world.faults.add("client gone or back")
  if (client.connected) client.drop()
  else client.connect(life, engine.port, world.chance.hit(0.7))
}

function withdraw(simulation: Simulation): void {
  const { world, inputs, clients } = simulation
  const queued = clients.flatMap(({ view }) => [...view.conversations.keys()].flatMap((id) => queueOf(view, id)))
  const record = world.chance.pick(queued)
  const input = inputs.all.find(({ requestId }) => requestId === record?.requestId)
  if (record === undefined || input === undefined) return
  input.withdrawAsked = true
  simulation.ask({ type: "withdraw", submission: record.id }, () => {
    input.withdrawn = true
    world.say(`s${record.id} is taken back`)
  })
}

function amend(simulation: Simulation): void {
  const { world, inputs, clients } = simulation
  const record = world.chance.pick(clients.flatMap(({ view }) => queueOf(view, 1)))
  const input = inputs.all.find(({ requestId }) => requestId === record?.requestId)
  if (record === undefined || input === undefined) return
  world.amended.add(input.requestId)
  const content = [{ type: "text" as const, text: `${input.text} after all` }]
  const mode = world.chance.pick([undefined, "steer", "followUp"] as const)
  simulation.ask({ type: "amend", submission: record.id, content, mode })
}

function fork(simulation: Simulation): void {
  const at = entry(simulation)
  if (at === undefined) return
  const { chance } = simulation.world
  const where = chance.hit(0.1)
    ? { conversation: at.conversation, entry: 0 }
    : { conversation: at.conversation, entry: at.id }
  simulation.ask({ type: "fork", ...where, summary: chance.hit(0.3) ? "mind the files" : undefined })
}

/** What only looks, or names. */
function look(simulation: Simulation): void {
  const { chance } = simulation.world
  const at = entry(simulation)
  if (at === undefined) return
  const { conversation: of, id } = at
  const looks: readonly [Command, ...Command[]] = [
    { type: "label", entry: id, label: "here" },
    { type: "changes", conversation: of },
    { type: "request", entry: id, from: 0, to: 100 },
    { type: "stats" },
    { type: "context", conversation: of },
    { type: "search", client: "c", conversation: null, query: "answer", regex: false, limit: 5 },
  ]
  simulation.ask(chance.pick(looks))
}

/** Takes back what a run changed in files. */
function undo(simulation: Simulation): void {
  const entries = simulation.clients[0]?.view.entries ?? []
  const run = simulation.world.chance.pick(entries.filter(({ data }) => data.kind === "user" || data.kind === "undo"))
  if (run === undefined) return
  simulation.world.outside.takenBack = true
  simulation.ask({ type: "undo", conversation: run.conversation, run: run.id, what: "files" })
}

function configure(simulation: Simulation): void {
  const { chance } = simulation.world
  const model = chance.pick([undefined, "alpha/chat", "beta/claude", "gamma/none"])
  const thinking = chance.pick([undefined, "off", "high"] as const)
  simulation.ask({ type: "configure", conversation: conversation(simulation), model, thinking })
}

/** Another program of the person's writes a file. */
function touch({ world }: Simulation): void {
  const path = `${world.work}/${world.chance.pick(["a.txt", "b.txt"])}`
  const before = real.existsSync(path) ? real.readFileSync(path, "utf8") : "begin\nEND\n"
  world.faults.add("file changed by someone else")
  world.outside.touch(path, before.replace("END", `other ${world.chance.below(1_000)}\nEND`))
}

const deeds: Readonly<Record<keyof typeof weights, Deed>> = {
  submit: (simulation) => {
    const input = simulation.inputs.add(conversation(simulation))
    simulation.send(input)
    // Two clients, or one that is impatient.
    if (simulation.world.chance.hit(0.15)) simulation.send(input)
  },
  again: (simulation) => {
    const input = simulation.world.chance.pick(simulation.inputs.all)
    if (input !== undefined) simulation.send(input)
  },
  withdraw,
  amend,
  send: (simulation) => simulation.ask({ type: "send", conversation: conversation(simulation) }),
  fork,
  look,
  undo,
  abort: (simulation) => {
    simulation.ask({ type: "abort", conversation: conversation(simulation) })
  },
  configure,
  compact: (simulation) =>
    simulation.ask({ type: "compact", conversation: conversation(simulation), focus: "the files" }),
  small: (simulation) => {
    if (simulation.world.chance.hit(0.5)) simulation.ask({ type: "title", title: "a name" })
    else simulation.ask({ type: "screen", client: "main", value: { at: simulation.world.schedule.now } })
  },
  retryNow: (simulation) => simulation.ask({ type: "retryNow", conversation: 1 }),
  resume: (simulation) => simulation.ask({ type: "resume" }),
  watch,
  page: (simulation) => simulation.ask({ type: "entries", conversation: 1, before: 40, limit: 5 }),
  touch,
  jump: ({ world }) => {
    world.faults.add("clock jump")
    world.schedule.jump(world.chance.pick([-dayMs, dayMs, -1_000, 3_600_000]))
  },
  full: ({ world }) => {
    world.faults.add("full disk")
    world.fullUntil = world.schedule.now + world.chance.skewed(20_000)
  },
  close: (simulation) => simulation.close(),
  power: ({ world }) => world.life?.die("between two things"),
}

export function act(simulation: Simulation): void {
  const { world } = simulation
  const kind = world.chance.weighted(weights)
  world.say(`person: ${kind}`)
  deeds[kind](simulation)
}
