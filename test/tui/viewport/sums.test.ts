import { expect, test } from "bun:test"
import { Sums } from "../../../src/tui/viewport/sums.ts"
import { seeded } from "./blocks.ts"

test("sums agree with adding up, whatever was set, pushed and cut", () => {
  const next = seeded(5)
  const sums = new Sums()
  let plain: number[] = []
  for (let round = 0; round < 3_000; round++) {
    const what = next(20)
    if (what === 0) {
      plain = Array.from({ length: next(40) }, () => next(9))
      sums.assign(plain.length, (index) => plain[index] ?? 0)
    } else if (what === 1) {
      plain.length = next(plain.length + 1)
      sums.truncate(plain.length)
    } else if (what < 10 || plain.length === 0) {
      const value = next(9)
      plain.push(value)
      sums.push(value)
    } else {
      const index = next(plain.length)
      plain[index] = next(9)
      sums.set(index, plain[index] ?? 0)
    }
    const count = next(plain.length + 1)
    const sum = plain.slice(0, count).reduce((all, value) => all + value, 0)
    expect(sums.before(count)).toBe(sum)
    expect(sums.length).toBe(plain.length)
    const { index, rest } = sums.find(sum)
    expect(sums.before(index) + rest).toBe(Math.min(sum, sums.total))
    if (index < plain.length) expect(rest).toBeLessThan(plain[index] ?? 0)
  }
})
