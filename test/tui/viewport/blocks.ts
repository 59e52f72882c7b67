/** Plain blocks for tests of the view: a block is a key and lines of text, with a heading when it can be folded. */
import type { Clock } from "../../../src/std/clock.ts"
import type { Theme } from "../../../src/home/theme.ts"
import { roleNames, type Role } from "../../../src/home/roles.ts"
import type { Color } from "../../../src/home/color.ts"
import type { RowBlock, RowSource } from "../../../src/tui/rows/content.ts"
import { textLine } from "../../../src/tui/rows/row.ts"

export type TestBlock = RowBlock & { readonly text: string }

export function block(key: string, text: string, more: Partial<TestBlock> = {}): TestBlock {
  return { key, text, gap: 0, group: null, folded: false, prompt: false, size: text.length, ...more }
}

export const source: RowSource<TestBlock> = {
  content(one, open) {
    const lines = one.text.split("\n").map((text) => textLine([{ text, style: {} }]))
    if (one.group === null) return { parts: [{ lines }], pending: false }
    const head = textLine([{ text: `${open ? "▾" : "▸"} ${one.key}`, style: {} }], { action: "fold", wrap: "cut" })
    return { parts: [{ lines: open ? [head, ...lines] : [head] }], pending: false }
  },
}

/** A theme of the given appearance with every role in one grey, so that only what a test sets stands out. */
export function plainTheme(more: Partial<Record<Role, Color>> = {}): Theme {
  const grey = (role: Role): [Role, Color] => [role, "#c0c0c0"]
  const colors = Object.fromEntries(roleNames.map(grey)) as Record<Role, Color>
  for (const role of roleNames) if (/background|Bg|userMessage/i.test(role)) colors[role] = "none"
  return { name: "plain", appearance: "dark", colors: { ...colors, ...more } }
}

/** A clock that stands still; what is due runs when it is told to. */
export function stillClock(): Clock & { run(): void; time: number } {
  let due: (() => void)[] = []
  return {
    time: 0,
    now() {
      return this.time
    },
    monotonic() {
      return this.time
    },
    after(_ms, callback) {
      due.push(callback)
      return () => {
        due = due.filter((one) => one !== callback)
      }
    },
    run() {
      while (due.length > 0) {
        const now = due
        due = []
        for (const callback of now) callback()
      }
    },
  }
}

/** Numbers that look like chance and are the same every time: xorshift over a seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed | 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return Math.abs(state) % below
  }
}
