/**
 * Digests: sixteen bytes of SHA-256, against accidents and not against an enemy.
 *
 * - A row's is over its table and its columns, as they are stored, without seq and digest.
 * - A commit's is over the sorted digests of its rows; a chain is over the chain before it, the commit's line and its
 *   digest.
 */
export type Cell = string | number | null
export const digestBytes = 16
export const chainStart = new Uint8Array(digestBytes)

export function rowDigest(table: string, cells: readonly Cell[]): Uint8Array {
  const hash = new Bun.CryptoHasher("sha256")
  // Each part is told with its length, or "a" beside "bc" would be "ab" beside "c".
  hash.update(table)
  for (const cell of cells) {
    if (cell === null) hash.update("-")
    else if (typeof cell === "number") hash.update(`#${cell};`)
    else hash.update(`${cell.length}:`).update(cell)
  }
  return cut(hash)
}

export function commitDigest(rows: readonly Uint8Array[]): Uint8Array {
  const hash = new Bun.CryptoHasher("sha256")
  for (const row of [...rows].sort(compare)) hash.update(row)
  return cut(hash)
}

export function nextChain(
  before: Uint8Array,
  line: { readonly seq: number; readonly at: number; readonly class: string; readonly rows: number },
  digest: Uint8Array,
): Uint8Array {
  const hash = new Bun.CryptoHasher("sha256")
  hash.update(before).update(`${line.seq} ${line.at} ${line.class} ${line.rows}\n`).update(digest)
  return cut(hash)
}

export function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && compare(one, other) === 0
}

function compare(one: Uint8Array, other: Uint8Array): number {
  return Buffer.compare(one, other)
}

function cut(hash: Bun.CryptoHasher): Uint8Array {
  return new Uint8Array(hash.digest().subarray(0, digestBytes))
}
