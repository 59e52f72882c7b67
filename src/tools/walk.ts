/**
 * The files of a folder as a developer sees them, and as ripgrep does: without what git ignores.
 *
 * - `.gitignore`, `.ignore` and `.rgignore` count wherever they are between the repository's root and the file, inside a repository or not, and so
 *   does the repository's own `info/exclude`; the innermost rule that says something wins. `.git` itself is never entered.
 * - Links are named and not followed, so no walk goes in circles. Order is by name, so the same folder gives the same list.
 * - Git is not needed.
 */
import ignore, { type Ignore } from "ignore"
import { readdir, readFile, stat } from "node:fs/promises"
import { dirname, join, relative } from "node:path"

export type WalkEntry = {
  /** From the folder where the walk began. */
  readonly path: string
  readonly name: string
  readonly kind: "file" | "folder" | "other"
}

export type WalkOptions = {
  readonly signal: AbortSignal
  /** Folders that are left out, as real paths. */
  readonly refused: readonly string[]
}

/** Entries of one walk: a home folder must not keep a call busy for ever. */
export const walkEntriesMax = 300_000

type Rules = { readonly base: string; readonly matcher: Ignore }

async function rulesOf(file: string, base: string): Promise<readonly Rules[]> {
  const text = await readFile(file, "utf8").catch(() => null)
  return text === null ? [] : [{ base, matcher: ignore({ ignorecase: false }).add(text) }]
}

/** In one folder, a later one rules over those before it. */
const ruleNames = [".gitignore", ".ignore", ".rgignore"]

async function folderRules(folder: string): Promise<readonly Rules[]> {
  return (await Promise.all(ruleNames.map((name) => rulesOf(join(folder, name), folder)))).flat()
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** The rules from above `root`: those of the folders up to the root of its repository, outermost first. */
async function rulesAbove(root: string): Promise<readonly Rules[]> {
  const above: string[] = []
  for (let folder = root; ; folder = dirname(folder)) {
    if (await isThere(join(folder, ".git"))) {
      const own = await rulesOf(join(folder, ".git", "info", "exclude"), folder)
      const files = await Promise.all(above.reverse().map(folderRules))
      return [...own, ...(folder === root ? [] : await folderRules(folder)), ...files.flat()]
    }
    if (folder !== root) above.push(folder)
    if (folder === dirname(folder)) return []
  }
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  let ignored = false
  for (const { base, matcher } of rules) {
    const result = matcher.test(relative(base, path) + (isFolder ? "/" : ""))
    if (result.ignored) ignored = true
    else if (result.unignored) ignored = false
  }
  return ignored
}

/** Every entry under the real path `root`, folders before what is in them. What cannot be read is passed over. */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  let count = 0
  async function* enter(folder: string, outer: readonly Rules[]): AsyncGenerator<WalkEntry> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const own = entries.some(({ name }) => ruleNames.includes(name))
    const rules = own ? [...outer, ...(await folderRules(folder))] : outer
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      if (options.signal.aborted || count >= walkEntriesMax) return
      const path = join(folder, entry.name)
      const isFolder = entry.isDirectory()
      if (entry.name === ".git" || options.refused.includes(path) || isIgnored(path, isFolder, rules)) continue
      count++
      const kind = isFolder ? "folder" : entry.isFile() ? "file" : "other"
      yield { path: relative(root, path), name: entry.name, kind }
      if (isFolder) yield* enter(path, rules)
    }
  }
  yield* enter(root, await rulesAbove(root))
}

/** True where a path matches; case counts only where the pattern has capitals. */
export function globMatcher(pattern: string): (entry: Pick<WalkEntry, "path" | "name">) => boolean {
  const plain = pattern.replace(/^(\.?\/)+/, "")
  const smart = plain === plain.toLowerCase()
  const glob = new Bun.Glob(plain)
  const anchored = plain.includes("/")
  return ({ path, name }) => {
    const text = anchored ? path : name
    return glob.match(smart ? text.toLowerCase() : text)
  }
}
