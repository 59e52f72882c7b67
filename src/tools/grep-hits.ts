/**
 * What a search has found, from the lines that ripgrep prints to those that a model is shown.
 *
 * - All of a file's lines come together; files come in any order, and are told by their paths.
 * - Around a match there may be lines of context: those that touch are a group, and groups are kept apart by `--`.
 */
import { join } from "node:path"
import { headChars } from "../std/lines.ts"

const lineCharsMax = 500
/** What is held of what was found, whatever the limit: far more than is shown. */
const heldCharsMax = 1024 * 1024

type Group = { readonly path: string; readonly lines: string[]; matches: number }

export class Hits {
  readonly limit: number
  readonly #folder: string
  readonly #groups: Group[] = []
  #grouped = false
  #apart = true
  #binary = false
  #matches = 0
  #held = 0
  #more = false

  /** `folder` stands before each path. */
  constructor(folder: string, limit: number) {
    this.#folder = folder
    this.limit = limit
  }

  get matches(): number {
    return this.#matches
  }

  /** True where the searched file matches and is no text. */
  get binary(): boolean {
    return this.#binary
  }

  /** True once one more match than the limit was seen. */
  get more(): boolean {
    return this.#more
  }

  /** A line of its output: `path NUL number : text`, with `-` for `:` around a match, or `--` between groups. */
  take(raw: string): void {
    if (this.#more) return
    const [, path, number, kind, text] = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(raw) ?? []
    if (path === undefined || text === undefined) {
      // Said of a file that was named: in a folder such files are passed over.
      this.#binary ||= /: binary file matches \(/.test(raw)
      this.#apart ||= raw === "--"
      this.#grouped ||= raw === "--"
      return
    }
    if (kind === ":" && (this.#matches === this.limit || this.#held > heldCharsMax)) {
      this.#more = true
      return
    }
    const line = text.replace(/\r$/, "")
    const shown = line.length > lineCharsMax ? `${headChars(line, lineCharsMax)}…` : line
    const group = this.#groupFor(path)
    const told = `${join(this.#folder, path)}${kind}${number}${kind} ${shown}`
    this.#held += told.length
    group.lines.push(told)
    if (kind !== ":") return
    group.matches++
    this.#matches++
  }

  #groupFor(path: string): Group {
    const last = this.#groups.at(-1)
    if (!this.#apart && last?.path === path) return last
    this.#apart = false
    const group = { path, lines: [], matches: 0 }
    this.#groups.push(group)
    return group
  }

  /** All that is shown. What leads up to a match beyond the limit is not. */
  text(): string {
    const shown = this.#groups.filter(({ matches }) => matches > 0)
    // Sorting keeps the order of what is equal: the groups of one file stay as they came.
    const sorted = shown.sort((a, b) => byPath(a.path.split("/"), b.path.split("/")))
    return sorted.map(({ lines }) => lines.join("\n")).join(this.#grouped ? "\n--\n" : "\n")
  }
}

/** Name by name, so that a folder stands together. */
function byPath(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((name, place) => name !== b[place])
  const [one, other] = [a[at], b[at]]
  if (one === undefined || other === undefined) return a.length - b.length
  return one < other ? -1 : 1
}
