/** What people, and the rest of the world, do at a moment: one thing, chosen by chance. */
import { queueOf } from "../../src/protocol/view.ts"
import { real } from "./disk.ts"
import type { Simulation } from "./simulation.ts"

const dayMs = 86_400_000

const weights = {
  submit: 10,
  again: 2,
  withdraw: 2,
  abort: 3,
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

/** Whoever is connected leaves, whoever left comes back. */
function watch({ world, clients, engine }: Simulation): void {
  const client = world.chance.pick(clients)
  const { life } = world
  if (client === undefined || engine === null || life === null) return
  world.count("client gone or back")
  if (client.connected) client.drop()
  else client.connect(life, engine.port, world.chance.hit(0.7))
}

function withdraw(simulation: Simulation): void {
  const { world, inputs, clients } = simulation
  const queued = clients.flatMap((client) => queueOf(client.view, 1))
  const record = world.chance.pick(queued)
  const input = inputs.all.find(({ requestId }) => requestId === record?.requestId)
  if (record === undefined || input === undefined) return
  input.withdrawAsked = true
  simulation.ask({ type: "withdraw", submission: record.id }, () => {
    input.withdrawn = true
    world.say(`s${record.id} is taken back`)
  })
}

function configure(simulation: Simulation): void {
  const { chance } = simulation.world
  const model = chance.pick([undefined, "alpha/chat", "beta/claude", "gamma/none"])
  const thinking = chance.pick([undefined, "off", "high"] as const)
  simulation.ask({ type: "configure", conversation: 1, model, thinking })
}

/** Another program of the person's writes a file. */
function touch({ world }: Simulation): void {
  const path = `${world.work}/${world.chance.pick(["a.txt", "b.txt"])}`
  const before = real.existsSync(path) ? real.readFileSync(path, "utf8") : "begin\nEND\n"
  world.count("file changed by someone else")
  world.outside.touch(path, before.replace("END", `other ${world.chance.below(1_000)}\nEND`))
}

const deeds: Readonly<Record<keyof typeof weights, Deed>> = {
  submit: (simulation) => {
    const input = simulation.inputs.add()
    simulation.send(input)
    // Two clients, or one that is impatient.
    if (simulation.world.chance.hit(0.15)) simulation.send(input)
  },
  again: (simulation) => {
    const input = simulation.world.chance.pick(simulation.inputs.all)
    if (input !== undefined) simulation.send(input)
  },
  withdraw,
  abort: (simulation) => {
    simulation.world.due = null
    simulation.ask({ type: "abort", conversation: 1 })
  },
  configure,
  compact: (simulation) => simulation.ask({ type: "compact", conversation: 1, focus: "the files" }),
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
    world.count("clock jump")
    world.schedule.jump(world.chance.pick([-dayMs, dayMs, -1_000, 3_600_000]))
  },
  full: ({ world }) => {
    world.count("full disk")
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
