/**
 * Moving over a stack of blocks by rows. Pure: what is not asked for is not laid out.
 *
 * - A place is a row of a block, never a distance from the start: what is above may turn out higher or lower than guessed and nothing moves.
 */

export type Place = { readonly index: number; readonly row: number }

/** `height` is exact, and is made when it is asked for. */
export type Stack = { readonly count: number; height(index: number): number }

export const start: Place = { index: 0, row: 0 }

/** The place `rows` further down (or up, below zero), and not beyond the first or the last row. */
export function step(stack: Stack, from: Place, rows: number): Place {
  let index = from.index
  let row = from.row + rows
  while (row < 0 && index > 0) {
    index -= 1
    row += stack.height(index)
  }
  if (row < 0) return start
  while (index < stack.count && row >= stack.height(index)) {
    row -= stack.height(index)
    index += 1
  }
  if (index < stack.count) return { index, row }
  return last(stack)
}

/** The last row there is. */
export function last(stack: Stack): Place {
  for (let index = stack.count - 1; index >= 0; index--) {
    const height = stack.height(index)
    if (height > 0) return { index, row: height - 1 }
  }
  return start
}

/** The top at which the last row stands at the bottom of a view of `rows` rows; the start where all fits. */
export function lastTop(stack: Stack, rows: number): Place {
  return step(stack, last(stack), 1 - rows)
}

/** Rows from `from` to the end, counted up to `limit`. */
export function rowsFrom(stack: Stack, from: Place, limit: number): number {
  let rows = -from.row
  for (let index = from.index; index < stack.count && rows < limit; index++) rows += stack.height(index)
  return Math.min(limit, Math.max(0, rows))
}

export function before(a: Place, b: Place): boolean {
  return a.index < b.index || (a.index === b.index && a.row < b.row)
}

/** Rows from `a` down to `b`, up to `limit`; negative where `b` is above. */
export function distance(stack: Stack, a: Place, b: Place, limit: number): number {
  if (before(b, a)) return -distance(stack, b, a, limit)
  let rows = b.row - a.row
  for (let index = a.index; index < b.index && rows < limit; index++) rows += stack.height(index)
  return Math.min(limit, rows)
}
