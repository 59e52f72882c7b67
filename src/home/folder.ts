/**
 * Which folder this is, so that its sessions are found again after it was moved; and which project it belongs to.
 *
 * - A folder is known by its real path; where a stored path is gone, by device and inode; else by its repository: the hash of the first
 *   commit, the worktree, and the path inside. A worktree is its own folder.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { sleep, type Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"

export type Repository = { readonly firstCommit: string; readonly worktree: string; readonly inside: string }

export type FolderIdentity = {
  readonly path: string
  readonly device: number
  readonly inode: number
  readonly repository: Repository | null
}

/** A working tree: its top folder, and where the repository itself is. `main` is the top of the main working tree, where there is one. */
export type WorkTree = { readonly top: string; readonly worktree: string; readonly main: string | null }

/** Reading a history of a million commits takes seconds; what is not known by then is left out. */
const gitMsMax = 5_000

/** The folders from `folder` up to the root, itself first. */
export function upwards(folder: string): readonly string[] {
  const folders = [folder]
  for (let here = folder; dirname(here) !== here; here = dirname(here)) folders.push(dirname(here))
  return folders
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

/** The working tree that `folder` is in, without asking git; undefined outside of one. */
export function workTreeOf(folder: string): WorkTree | undefined {
  for (const top of upwards(folder)) {
    const git = join(top, ".git")
    const stat = statSync(git, { throwIfNoEntry: false })
    if (stat === undefined) continue
    if (stat.isDirectory()) return { top, worktree: "", main: top }
    // A worktree or a submodule: a file that names its part of the repository, `…/.git/worktrees/<name>`.
    const named = /^gitdir:\s*(.+?)\s*$/m.exec(textOf(git) ?? "")?.[1]
    if (named === undefined) return { top, worktree: "", main: null }
    const own = resolve(top, named)
    if (basename(dirname(own)) !== "worktrees") return { top, worktree: "", main: top }
    const common = dirname(dirname(own))
    return { top, worktree: basename(own), main: basename(common) === ".git" ? dirname(common) : null }
  }
  return undefined
}

async function firstCommitOf(top: string, clock: Clock): Promise<string | undefined> {
  let child: Bun.Subprocess<"ignore", "pipe", "ignore">
  try {
    const command = ["git", "-C", top, "rev-list", "--max-parents=0", "HEAD"]
    child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
  } catch {
    // No git on this machine: the folder is known by path and inode.
    return undefined
  }
  const done = new AbortController()
  const output = new Response(child.stdout).text().finally(() => done.abort())
  if (await sleep(clock, gitMsMax, done.signal)) child.kill("SIGKILL")
  // Several roots: the last line is the oldest.
  return (await output).trim().split("\n").at(-1) || undefined
}

/** Who `folder` is now, as far as the file system alone tells. */
export function folderNow(folder: string): FolderIdentity {
  const path = realpathSync(folder)
  const { dev, ino } = statSync(path)
  return { path, device: dev, inode: ino, repository: null }
}

/** Who `folder` is now. Asks git when it is in a repository, so it is not for the way to the first frame. */
export async function identifyFolder(folder: string, clock: Clock): Promise<FolderIdentity> {
  const now = folderNow(folder)
  const { path } = now
  const tree = workTreeOf(path)
  const firstCommit = tree === undefined ? undefined : await firstCommitOf(tree.top, clock)
  const repository =
    tree === undefined || firstCommit === undefined
      ? null
      : { firstCommit, worktree: tree.worktree, inside: relative(tree.top, path) }
  return { ...now, repository }
}

/** True when `now` is the folder that was `stored`. `gone`: nothing is at the stored path any more. */
export function isSameFolder(stored: FolderIdentity, now: FolderIdentity, gone: boolean): boolean {
  if (stored.path === now.path) return true
  if (!gone) return false
  if (stored.device === now.device && stored.inode === now.inode) return true
  const [a, b] = [stored.repository, now.repository]
  return (
    a !== null && b !== null && a.firstCommit === b.firstCommit && a.worktree === b.worktree && a.inside === b.inside
  )
}

/** The folders whose `.agents` counts for a project, from itself up to the top of its working tree. */
export function agentFolders(project: string): readonly string[] {
  const top = workTreeOf(project)?.top ?? project
  return upwards(project).filter((folder) => folder === top || folder.startsWith(`${top}/`))
}

/** The folder whose `.cairn` counts for work in `folder`: the nearest one up to the top of its working tree that has one, else itself. */
export function projectOf(folder: string): string {
  const top = workTreeOf(folder)?.top ?? folder
  const candidates = upwards(folder).filter((candidate) => candidate === top || candidate.startsWith(top))
  const found = candidates.find((candidate) =>
    statSync(join(candidate, ".cairn"), { throwIfNoEntry: false })?.isDirectory(),
  )
  return found ?? folder
}
