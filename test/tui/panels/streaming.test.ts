/** An answer that is painted as it comes is, at every step and cell by cell, what it is when it is painted at once. */
import { expect, test } from "bun:test"
import type { Delta } from "../../../src/message/delta.ts"
import { applyFrame, type View } from "../../../src/protocol/view.ts"
import { openChat } from "../../../src/tui/panels/chat.ts"
import { seeded } from "../viewport/blocks.ts"
import { answered, openPanel, said, viewOf } from "./support.ts"

/** What models write, and what they should not. */
const samples: readonly string[] = [
  "Some *prose* with **bold words** and `code`, a [link](https://example.org/a) and more of it until the line is full.\n\n",
  "# A heading\n\n## Another\n\n",
  "- one\n- two\n  - nested **bo",
  "ld** and on\n1. first\n2. second\n\n",
  "- [x] done\n- [ ] open\n\n",
  "> a quote that goes on for longer than a narrow screen is wide\n> > and a nested one\n\n",
  "| name | what | n |\n|:--|:-:|--:|\n| alpha | turns the thing around until it is where it was | 1 |\n| 中文字 | 宽字符也要对齐才行 | 22 |\n\n",
  "```ts\nconst answer = 42 // a comment\n\n\tfunction f() {}\n",
  "more code in whatever is open here\n```\n\n",
  "```mermaid\ngraph TD\n  A[Start] --> B[End]\n```\n\n",
  "宽字符也要对齐才行，한글도 있고、日本語も。👩‍👩‍👧 e\u0301 สวัสดีครับ\n\n",
  "a-word-that-is-much-longer-than-any-row-of-this-screen-can-ever-be-and-then-some ",
  "x".repeat(700),
  "$$x_1 + y$$ and \\(z\\) [^1]\n\n[^1]: a note\n\n",
  "half a mark **",
  "half a link [words](https://exa",
  "\n",
  "<b>tags</b> &amp; entities\n\n---\n\n",
]

type Step = { readonly view: View; readonly width: number; readonly height: number }

/** An answer in pieces, and a screen that is resized now and then. */
function* steps(seed: number): Iterable<Step> {
  const next = seeded(seed)
  const task = {
    id: 9,
    conversation: 1,
    attempt: 1,
    state: "running",
    startedAt: 0,
    aborting: false,
    work: { kind: "generation", phase: "request", model: "m" },
  } as const
  const before = [said("a question"), answered("an answer of before, **whole**")]
  let view = viewOf(before, [task])
  let [width, height] = [20 + next(100), 6 + next(30)]
  const text = Array.from({ length: 3 + next(8) }, () => samples[next(samples.length)] ?? "").join("")
  const deltas: Delta[] = [{ type: "text_start", contentIndex: 0 }]
  for (let at = 0; at < text.length;) {
    const to = Math.min(text.length, at + 1 + next(60))
    deltas.push({ type: "text_delta", contentIndex: 0, delta: text.slice(at, to) })
    at = to
  }
  let offset = 0
  for (const delta of deltas) {
    const line = `${JSON.stringify(delta)}\n`
    view = applyFrame(view, { type: "progress", seq: 1, task: 9, attempt: 1, at: offset, text: line, ...bytesOf(line) })
    offset += Buffer.byteLength(line)
    if (next(12) === 0) [width, height] = [20 + next(100), 6 + next(30)]
    yield { view, width, height }
  }
  const settled = answered(text, { task: 9 })
  yield { view: { ...viewOf([...before, settled]) }, width, height }
}

const bytesOf = (text: string): { readonly bytes: number } => ({ bytes: Buffer.byteLength(text) })

type Panel = Awaited<ReturnType<typeof openPanel<ReturnType<typeof openChat>>>>

/** Every cell with its colours; the scrollbar goes by guesses of what was never looked at, so its column is left out. */
async function cells(screen: Panel, width: number): Promise<readonly string[]> {
  await screen.renderOnce()
  return screen.captureSpans().lines.map(({ spans }) => {
    const row = spans.flatMap(({ text, fg, bg, attributes }) => {
      const style = `${fg} ${bg} ${attributes}`
      return Array.from(text, (char) => (char.trim() === "" ? ` ${bg}` : `${char} ${style}`))
    })
    return row.slice(0, width - 1).join("|")
  })
}

for (let seed = 1; seed <= 12; seed++) {
  test(`a stream, painted step by step, is what a full paint is (seed ${seed})`, async () => {
    const next = seeded(seed * 31)
    await using stepwise = await openPanel(openChat, 80, 24)
    for (const { view, width, height } of steps(seed)) {
      stepwise.resize(width, height)
      stepwise.panel.resize(width, height)
      stepwise.show(view)
      const shown = await cells(stepwise, width)
      // Every step is painted; comparing all of them with a fresh screen would take minutes.
      if (next(6) > 0 && view.tasks.size > 0) continue
      await using fresh = await openPanel(openChat, width, height)
      fresh.show(view)
      expect(shown).toEqual(await cells(fresh, width))
    }
  })
}
