/** What people handed in, what they were told of it, and whether that is what became of it. */
import type { Picture } from "./checks.ts"
import type { World } from "./world.ts"

export type Input = {
  readonly requestId: string
  readonly conversation: number
  /** What it says; another text once it was changed. */
  text: string
  readonly mode: "steer" | "followUp"
  /** The submission that the answer named; null until one came. */
  submission: number | null
  /** True once somebody was told that it is taken back. */
  withdrawn: boolean
  /** Taking it back was asked for, and the answer was lost or it was refused. */
  withdrawAsked: boolean
}

export class Inputs {
  readonly #world: World
  readonly all: Input[] = []

  constructor(world: World) {
    this.#world = world
  }

  add(conversation: number): Input {
    const { chance } = this.#world
    const n = this.all.length + 1
    const text = `input ${n} ${"please ".repeat(chance.skewed(200))}`
    const mode = chance.hit(0.5) ? "steer" : "followUp"
    const requestId = `request-${n}`
    const state = { submission: null, withdrawn: false, withdrawAsked: false }
    const added: Input = { requestId, conversation, text, mode, ...state }
    this.all.push(added)
    this.#world.modes.set(requestId, mode)
    return added
  }

  answered(input: Input, submission: number): void {
    const before = input.submission
    if (before !== null && before !== submission)
      this.#world.problem(`${input.requestId} was admitted twice: s${before}, s${submission}`)
    input.submission = submission
    this.#world.say(`${input.requestId} is s${submission}`)
  }

  /** Every acknowledged input is there, once, and says what was said. */
  check({ submissions }: Picture): void {
    const wrong = (text: string): void => this.#world.problem(text)
    const byRequest = Map.groupBy(submissions, ({ requestId }) => requestId)
    for (const input of this.all) {
      const found = byRequest.get(input.requestId) ?? []
      if (found.length > 1) wrong(`${input.requestId} is there ${found.length} times`)
      const [only] = found
      if (input.submission !== null && only?.id !== input.submission)
        wrong(
          `${input.requestId} was acknowledged as s${input.submission} and is ${only === undefined ? "not there" : `s${only.id}`}`,
        )
      if (only === undefined) continue
      if (only.conversation !== input.conversation) wrong(`${input.requestId} is in c${only.conversation}`)
      if (!this.#world.amended.has(input.requestId) && only.data.content[0]?.text !== input.text)
        wrong(`${input.requestId} says something else`)
      if (input.withdrawn && only.status !== "withdrawn") wrong(`s${only.id} was taken back and is ${only.status}`)
      if (only.status === "withdrawn" && !input.withdrawn && !input.withdrawAsked)
        wrong(`s${only.id} is taken back, and nobody asked for it`)
    }
  }
}
