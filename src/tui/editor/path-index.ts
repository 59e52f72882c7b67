/**
 * Paths as they are narrowed while one types: of any number of them the few that are worth ranking by a fuzzy search, in one quick pass.
 *
 * - Every word of a query has to be in a path. What has it whole in its name comes before what has it in a folder, shorter paths before longer
 *   ones; letters that are only strewn about, in order, count where hardly anything has them whole.
 */
export type PathIndex = {
  readonly paths: readonly string[]
  /** In small letters, and which characters each one has, as bits: most paths are told to be none by that alone. */
  readonly lower: readonly string[]
  readonly masks: Uint32Array
}

/** Kinds of matches, from the best: at the start of the name, in the name, in the path, strewn over the path. */
const kindInPath = 2
const kindStrewn = 3
const none = 4
/** Paths longer than this count as this long. */
const lengthMax = 255
/** With so many that have the words whole, nobody wants those that have their letters strewn about. */
const enough = 40

/** Characters as bits: letters, digits two by two, and one for all others. */
function maskOf(text: string): number {
  let mask = 0
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code >= 97 && code <= 122) mask |= 1 << (code - 97)
    else if (code >= 48 && code <= 57) mask |= 1 << (26 + ((code - 48) >> 1))
    else mask |= 1 << 31
  }
  return mask >>> 0
}

/** `breathe` is called between pieces of `piece` paths, for keys to be heard. */
export async function indexPaths(
  paths: readonly string[],
  piece: number,
  breathe: () => Promise<void>,
): Promise<PathIndex> {
  const lower: string[] = []
  const masks = new Uint32Array(paths.length)
  for (let from = 0; from < paths.length; from += piece) {
    for (const path of paths.slice(from, from + piece)) {
      const small = path.toLowerCase()
      masks[lower.length] = maskOf(small)
      lower.push(small)
    }
    await breathe()
  }
  return { paths, lower, masks }
}

export const noPaths: PathIndex = { paths: [], lower: [], masks: new Uint32Array(0) }

function strewn(text: string, word: string): boolean {
  let at = -1
  for (let place = 0; place < word.length; place++) {
    at = text.indexOf(word[place] ?? "", at + 1)
    if (at < 0) return false
  }
  return true
}

function kindOf(path: string, word: string, whole: boolean): number {
  const at = path.lastIndexOf(word)
  if (at < 0) return !whole && strewn(path, word) ? kindStrewn : none
  const slash = path.lastIndexOf("/", path.length - 2)
  return at === slash + 1 ? 0 : at > slash ? 1 : kindInPath
}

/** Places by kind and length, each bucket no larger than `count`: read out in order, nothing has to be sorted. */
function bucketsOf({ lower, masks }: PathIndex, words: readonly string[], count: number, whole: boolean) {
  const mask = maskOf(words.join(""))
  const buckets = new Map<number, number[]>()
  let found = 0
  for (let place = 0; place < lower.length; place++) {
    if (((masks[place] ?? 0) & mask) >>> 0 !== mask) continue
    const path = lower[place] ?? ""
    let kind = 0
    for (const word of words) {
      kind = Math.max(kind, kindOf(path, word, whole))
      if (kind === none) break
    }
    if (kind === none) continue
    found += 1
    const bucket = kind * (lengthMax + 1) + Math.min(lengthMax, path.length)
    const held = buckets.get(bucket)
    if (held === undefined) buckets.set(bucket, [place])
    else if (held.length < count) held.push(place)
  }
  return { buckets, found }
}

/** The `count` paths that answer `query` best, the best first by that measure; in their order where nothing is asked. */
export function narrowPaths(index: PathIndex, query: string, count: number): readonly string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return index.paths.slice(0, count)
  const whole = bucketsOf(index, words, count, true)
  const { buckets } = whole.found >= enough ? whole : bucketsOf(index, words, count, false)
  const found: string[] = []
  for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
    for (const place of buckets.get(bucket) ?? []) found.push(index.paths[place] ?? "")
    if (found.length >= count) break
  }
  return found.slice(0, count)
}
