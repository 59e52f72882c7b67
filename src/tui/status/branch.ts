/**
 * The branch that a folder is on, read from the repository's own files: no process is started, and a detached head is shown by its hash.
 */
import { readFile, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

const hashShown = 8

async function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").then(
    (text) => text.trim(),
    () => null,
  )
}

/** The folder that holds HEAD: `.git`, or what a worktree's `.git` file names. */
async function gitFolder(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, ".git")
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory()) return path
    if (found?.isFile()) {
      const named = /^gitdir: (.+)$/.exec((await textOf(path)) ?? "")?.[1]
      return named === undefined ? null : resolve(at, named)
    }
    if (dirname(at) === at) return null
  }
}

/** Null outside of a repository. */
export async function branchOf(folder: string): Promise<string | null> {
  const git = await gitFolder(folder)
  const head = git && (await textOf(join(git, "HEAD")))
  if (!head) return null
  const name = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1]
  return name ?? head.slice(0, hashShown)
}
