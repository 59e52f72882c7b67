/**
 * `bun run bench scrollback`: what a frame of the conversation costs by its length: while scrolling, while an answer grows, and after a resize; and the
 * first hits of a search. In this process, on the renderer of the tests: what is measured is our work and the library's, without a terminal.
 */
import { createTestRenderer } from "@opentui/core/testing"
import { setTimeout as wait } from "node:timers/promises"
import { systemClock } from "../../src/std/clock.ts"
import { makeBlock, type Block, type BlockData } from "../../src/tui/blocks/block.ts"
import { blockSource } from "../../src/tui/blocks/content.ts"
import { plainHighlighter } from "../../src/tui/highlight/highlighter.ts"
import { RowView } from "../../src/tui/viewport/row-view.ts"
import { darkTheme } from "../support/screen-shelves.ts"
import { median, type Bench } from "./measure.ts"

const lengths = [100, 1_000, 10_000, 100_000, 200_000]
const frames = 300
const searches = 9
const [width, height] = [100, 30]

/** Half prose, half what tools did: some rows each. `rare` stands in one block of a thousand. */
function dataOf(place: number): BlockData {
  if (place % 4 === 0)
    return {
      kind: "input",
      text: `question ${place} about the parser and what it does with an input like 中文`,
      images: [],
    }
  if (place % 4 === 2) {
    const call = { task: null, output: "", unsaved: false, result: null, seconds: null, args: {} }
    return { kind: "call", name: "bash", title: `bun test test/part-${place}`, state: "done", ...call }
  }
  const rare = place % 1_000 === 1 ? " needle" : ""
  const text = `Answer ${place}${rare}: the **lexer** keeps \`state\` in a field.\n\n- first point of it\n- second point, which is longer\n`
  return { kind: "answer", text, streaming: false }
}

function blocksOf(count: number): readonly Block[] {
  return Array.from({ length: count }, (_, place) => makeBlock({ key: `b${place}`, entry: place }, null, dataOf(place)))
}

async function open(blocks: readonly Block[]) {
  const screen = await createTestRenderer({ width, height })
  const view = new RowView<Block>(screen.renderer, {
    source: blockSource(plainHighlighter),
    theme: darkTheme,
    widthMethod: "unicode",
    clock: systemClock,
    events: { changed: () => {}, selected: () => {}, open: () => {}, atStart: () => {} },
  })
  screen.renderer.root.add(view.node)
  view.resize(width, height)
  view.setBlocks(blocks)
  await screen.renderOnce()
  return { ...screen, view }
}

const times = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b)
  return `${median(values).toFixed(2)} ms (p99 ${(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN).toFixed(2)})`
}

/** Milliseconds of `count` rounds of `work`, each with its frame. */
async function timed(count: number, work: (round: number) => void, frame: () => Promise<void>): Promise<number[]> {
  const found: number[] = []
  for (let round = 0; round < count; round++) {
    const began = performance.now()
    work(round)
    await frame()
    found.push(performance.now() - began)
  }
  return found
}

/** From a keystroke to its first hits, each with a view that has not been searched for that yet. */
async function firstHits(view: RowView<Block>): Promise<readonly number[]> {
  const found: number[] = []
  for (let round = 0; round < searches; round++) {
    view.closeSearch(true)
    const began = performance.now()
    view.search("needle".slice(0, 3 + (round % 4)))
    while (view.searchState.total === 0 && view.searchState.scanning) await wait(0)
    found.push(performance.now() - began)
  }
  return found
}

async function rowOf(count: number): Promise<string> {
  const blocks = blocksOf(count)
  await using screen = await open(blocks)
  const { view, renderOnce } = screen
  const lines = await timed(frames, () => view.scrollBy(-1), renderOnce)
  const pages = await timed(frames, () => void (view.pageBy(-1) || view.toBottom()), renderOnce)
  view.toBottom()
  const tail = (round: number): Block =>
    makeBlock({ key: "tail", entry: null }, null, {
      kind: "answer",
      text: "a word of it ".repeat(round),
      streaming: true,
    })
  const grown = await timed(frames, (round) => view.setBlocks(blocks, [tail(round + 1)]), renderOnce)
  const sizes = await timed(30, (round) => view.resize(width - (round % 2), height), renderOnce)
  const hits = await firstHits(view)
  return `${count.toLocaleString("en")} blocks: a line ${times(lines)}, a page ${times(pages)}, a growing answer ${times(grown)}, a resize ${times(sizes)}; first hits ${times(hits)}`
}

const scrollback: Bench = {
  name: "scrollback",
  async run() {
    const rows: string[] = []
    for (const count of lengths) rows.push(await rowOf(count))
    return [...rows, "budgets: 8 ms a frame while scrolling 100,000 rows, p99; first hits 50 ms"]
  },
}

export const scrollbackBenches: readonly Bench[] = [scrollback]
