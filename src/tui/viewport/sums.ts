/**
 * Sums over a long list of small numbers: heights of blocks, matches in blocks. A Fenwick tree.
 *
 * - Setting one value and summing or finding over any number of them takes time in the logarithm of the length.
 * - `resize` keeps the beginning of the list; what is cut off costs nothing.
 */
export class Sums {
  #values = new Int32Array(16)
  #tree = new Float64Array(17)
  #length = 0

  get length(): number {
    return this.#length
  }

  get total(): number {
    return this.before(this.#length)
  }

  get(index: number): number {
    return index < this.#length ? (this.#values[index] ?? 0) : 0
  }

  set(index: number, value: number): void {
    const change = value - this.get(index)
    if (change === 0 || index >= this.#length) return
    this.#values[index] = value
    for (let at = index + 1; at <= this.#length; at += at & -at) this.#tree[at] = (this.#tree[at] ?? 0) + change
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow()
    const place = ++this.#length
    this.#values[place - 1] = value
    // A node sums the `place & -place` values up to its own; those before are in smaller nodes already.
    this.#tree[place] = value + this.before(place - 1) - this.before(place - (place & -place))
  }

  /** Makes the list anew, in one pass. */
  assign(length: number, valueOf: (index: number) => number): void {
    while (this.#values.length < length) this.#grow()
    this.#length = length
    this.#tree.fill(0, 0, length + 1)
    for (let place = 1; place <= length; place++) {
      const value = valueOf(place - 1)
      this.#values[place - 1] = value
      this.#tree[place] = (this.#tree[place] ?? 0) + value
      const next = place + (place & -place)
      if (next <= length) this.#tree[next] = (this.#tree[next] ?? 0) + (this.#tree[place] ?? 0)
    }
  }

  /** Cuts the list to `length`. */
  truncate(length: number): void {
    this.#length = Math.min(length, this.#length)
  }

  /** Sum of the first `count` values. */
  before(count: number): number {
    let sum = 0
    for (let at = Math.min(count, this.#length); at > 0; at -= at & -at) sum += this.#tree[at] ?? 0
    return sum
  }

  /** The value that `sum` falls into, counted from the start, and what is left of it inside; the length when it is past the end. */
  find(sum: number): { readonly index: number; readonly rest: number } {
    let index = 0
    let rest = sum
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#length))); step >= 1; step /= 2) {
      const next = index + step
      const inside = this.#tree[next] ?? 0
      if (next <= this.#length && inside <= rest) {
        index = next
        rest -= inside
      }
    }
    return { index, rest }
  }

  #grow(): void {
    const values = new Int32Array(this.#values.length * 2)
    values.set(this.#values)
    const tree = new Float64Array(values.length + 1)
    tree.set(this.#tree)
    this.#values = values
    this.#tree = tree
  }
}
