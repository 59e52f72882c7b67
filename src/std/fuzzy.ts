/**
 * Lists as a person narrows them: best matches of a few letters first. The only door to fuzzysort.
 *
 * - An empty query keeps every item in its order. Words of a query may match in any order and in any of an item's texts.
 */
import fuzzysort from "fuzzysort"

/** Below this a match is an accident of letters; `mdl` for `model` is still above it. */
const scoreMin = 0.2

/** Below this part of the best score a match is letters strewn over a long text. */
const scoreShareMin = 0.75

/** What a list can show; more is never looked at. */
const limitDefault = 200

export type Match<T> = { readonly item: T; readonly score: number }

/** The items that `query` matches, best first. `textsOf` gives what is searched, the most telling text first. */
export function fuzzy<T>(
  query: string,
  items: readonly T[],
  textsOf: (item: T) => readonly string[],
  limit = limitDefault,
): readonly Match<T>[] {
  if (query.trim() === "") return items.slice(0, limit).map((item) => ({ item, score: 1 }))
  const widest = Math.max(1, ...items.map((item) => textsOf(item).length))
  const keys = Array.from({ length: widest }, (_, place) => (item: T) => textsOf(item)[place] ?? "")
  const found = fuzzysort.go(query, items, { keys, limit, threshold: scoreMin })
  const least = (found[0]?.score ?? 0) * scoreShareMin
  return found.filter(({ score }) => score >= least).map((result) => ({ item: result.obj, score: result.score }))
}
