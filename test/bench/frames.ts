/**
 * `bun run bench frames`: one answer at several speeds, and when its text came to the terminal: the gaps between paints, and whether anything was
 * erased or painted in parts on the way.
 */
import { builtBinary, runBinary } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"
import type { ModelRequest, Piece, Reply } from "../support/model-script.ts"
import { median, type Bench } from "./measure.ts"
import { Watched } from "./watched.ts"

/** Tokens a second, and what ends the answer: no other answer on the screen has it. */
const marks: ReadonlyMap<number, string> = new Map([
  [20, "■"],
  [100, "◆"],
  [500, "▲"],
])
const secondsOf = 10
/** Letters that nothing else on the screen has: a paint that holds one shows a part of the answer. */
const letters = /[\u10d0-\u10ff]/
/** The `n`-th token: no two rows of them are the same, so that a scroll changes what is on the screen. */
function token(n: number): string {
  const letter = (place: number): string => String.fromCharCode(0x10d0 + ((n * 7 + place * 11 + ((n * n) >> 3)) % 33))
  return `${letter(1)}${letter(2)}${letter(3)} `
}

/** How far from the usual gap a gap may be and nobody sees it. */
const evenMs = 50

/** A model sends a token at a time, or some at once where that would be too often for a timer. */
function script({ lastUser }: ModelRequest): Reply {
  const speed = Number(/speed (\d+)/.exec(lastUser)?.[1] ?? 0)
  if (speed === 0) return { text: "ready" }
  const everyMs = Math.max(10, 1_000 / speed)
  const count = (secondsOf * 1_000) / everyMs
  const at = Math.round((speed * everyMs) / 1_000)
  const tokens = (place: number): string => Array.from({ length: at }, (_, n) => token(place * at + n)).join("")
  const pieces = Array.from({ length: count }, (_, place): readonly Piece[] => [tokens(place), { delayMs: everyMs }])
  return { text: [...pieces.flat(), marks.get(speed) ?? ""], usage: { input: 10, output: count } }
}

type Paint = { readonly at: number; readonly text: string }

const beginSync = "\x1b[?2026h"
const endSync = "\x1b[?2026l"

/** What was painted, each paint between its two marks; and what was written outside of any. */
function paintsOf(screen: Watched, from: number): { readonly paints: readonly Paint[]; readonly outside: number } {
  const paints: Paint[] = []
  let outside = 0
  let place = 0
  for (let at = from; ;) {
    const begin = screen.text.indexOf(beginSync, at)
    const end = screen.text.indexOf(endSync, begin)
    if (begin < 0 || end < 0) return { paints, outside }
    outside += begin - at
    at = end + endSync.length
    while ((screen.pieces[place]?.end ?? Infinity) < at) place += 1
    paints.push({ at: screen.pieces[place]?.at ?? 0, text: screen.text.slice(begin, end) })
  }
}

function row(speed: number, screen: Watched, from: number): string {
  const { paints, outside } = paintsOf(screen, from)
  const shown = paints.filter(({ text }) => letters.test(text))
  const gaps = shown.slice(1).map(({ at }, n) => at - (shown[n]?.at ?? at))
  const sorted = gaps.toSorted((a, b) => a - b)
  const part = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(0)
  const usual = median(gaps)
  const share = (wanted: (gap: number) => boolean): string =>
    `${((gaps.filter(wanted).length / gaps.length) * 100).toFixed(1)} %`
  const erased = paints.filter(({ text }) => text.includes("\x1b[2J")).length
  return [
    `${speed} tokens/s: ${shown.length} paints, gaps ${part(0.5)} ms (p5 ${part(0.05)}, p95 ${part(0.95)}, most ${part(1)})`,
    `${share((gap) => gap <= usual + evenMs)} within ${evenMs} ms of the usual gap, ${share((gap) => gap <= evenMs)} of at most ${evenMs} ms`,
    `${erased} erasures, ${outside} bytes outside of a paint, ${((screen.length - from) / 1_024).toFixed(0)} KB in all`,
  ].join("; ")
}

const frames: Bench = {
  name: "frames",
  async run() {
    const server = await startModelServer({ key: "k", script })
    try {
      using machine = localMachine(server)
      await using screen = new Watched([await builtBinary()], machine)
      await screen.says("Ask anything")
      const rows: string[] = []
      for (const [speed, mark] of marks) {
        const from = screen.length
        screen.write(`speed ${speed}\r`)
        await screen.says(mark, from)
        rows.push(row(speed, screen, from))
        // The run is over before the next one begins: what stood there before it stands there again.
        await screen.says("ctrl+p", from)
      }
      await runBinary(machine, ["stop", "all", "--now"])
      return rows
    } finally {
      await server.stop()
    }
  },
}

export const frameBenches: readonly Bench[] = [frames]
