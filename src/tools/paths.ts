/**
 * Paths are resolved once, here, at the door of every tool.
 *
 * - What models write is taken as meant: a leading `@` goes, `~` is the person's home, odd spaces are spaces. But a path that exists as it
 *   was written is that path.
 * - `path` is absolute and as named; `real` is where its bytes are or would be: symbolic links followed, dangling ones too.
 * - What leads into a folder that holds ledgers is refused, by whatever link, but for what is readable there.
 */
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import { errorCode } from "../std/files.ts"
import type { ToolContext } from "./tool.ts"

export type ResolvedPath =
  { readonly ok: true; readonly path: string; readonly real: string } | { readonly ok: false; readonly message: string }

/** What a path is resolved against. */
export type PathContext = Pick<ToolContext, "cwd" | "home" | "refused" | "readable">

/** Links that may follow one another: what the system allows too. */
const linksMax = 40

/** Names that a person would see as one: spaces of any kind, quotes of any kind, composed or not, in any case. */
function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\s\u200b]+/g, " ")
}

function expandHome(path: string, home: string): string {
  if (path === "~") return home
  return path.startsWith("~/") ? join(home, path.slice(2)) : path
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch {
    // Whatever the reason, the caller goes on to a second reading of the name, whose failure is told.
    return false
  }
}

function under(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`))
}

/** The real path of `path`; where its end does not exist, what it would be. Throws an Error with a `code` for a loop of links. */
export async function realPathOf(path: string, links = linksMax): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
  }
  const target = await readlink(path).catch(() => null)
  if (target !== null) {
    if (links === 0) throw Object.assign(new Error(`too many symbolic links: ${path}`), { code: "ELOOP" })
    return realPathOf(resolve(dirname(path), target), links - 1)
  }
  const parent = dirname(path)
  return parent === path ? path : join(await realPathOf(parent, links), basename(path))
}

/** The path that a model meant by `input`. */
export async function resolvePath(input: string, context: PathContext): Promise<ResolvedPath> {
  if (input.trim() === "") return { ok: false, message: "The path is empty." }
  if (input.includes("\0")) return { ok: false, message: "The path has a NUL character in it." }
  if (!isAbsolute(input) && !(await exists(context.cwd)))
    return {
      ok: false,
      message: `The folder of this conversation, ${context.cwd}, is gone. The person can move it with /cd.`,
    }
  const path = await meantPath(input, context)
  try {
    const real = await realPathOf(path)
    const closed = under(real, context.refused) && !under(real, context.readable)
    if (closed) return { ok: false, message: `${input} is where Cairn keeps its sessions: tools do not touch it.` }
    return { ok: true, path, real }
  } catch (error) {
    return { ok: false, message: `${input}: ${reasonOf(error)}.` }
  }
}

async function meantPath(input: string, context: PathContext): Promise<string> {
  const literal = resolve(context.cwd, expandHome(input, context.home))
  if (await exists(literal)) return literal
  const spaced = input.replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, " ").trim()
  return resolve(context.cwd, expandHome(spaced.replace(/^@/, ""), context.home))
}

/** The one file beside `path` whose name looks the same (a no-break space, a curly quote, decomposed letters), or null. */
export async function lookAlike(path: string): Promise<string | null> {
  const wanted = plainName(basename(path))
  const names = (await namesIn(dirname(path))).filter((name) => plainName(name) === wanted)
  return names.length === 1 && names[0] !== undefined ? join(dirname(path), names[0]) : null
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => [])
}

/** Letters that must be changed, added, dropped or swapped with the next to make `b` of `a`; `most + 1` when it is more. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let above: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? (above[j - 2] ?? 0) + 1 : change
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return Math.min(row[b.length] ?? 0, most + 1)
}

/** As {@link resolvePath}, of a file that is going to be changed: where there is none of that name but one that looks the same, that one. */
export async function resolveFile(input: string, context: PathContext): Promise<ResolvedPath> {
  const place = await resolvePath(input, context)
  if (!place.ok || (await exists(place.path))) return place
  const other = await lookAlike(place.path)
  return other === null ? place : resolvePath(other, context)
}

/** Another name in the folder of `path` that differs from its own only in capitals: one file on some machines, two on others. */
export async function caseClash(path: string): Promise<string | null> {
  const own = basename(path)
  const names = await namesIn(dirname(path))
  return names.find((name) => name !== own && name.toLowerCase() === own.toLowerCase()) ?? null
}

/** Names like that of `path`, in its folder, nearest first, at most three; as they would be written in its place. */
async function nearNames(path: string, input: string): Promise<readonly string[]> {
  const wanted = basename(path).toLowerCase()
  // A name of one or two letters is near to everything.
  const most = Math.floor(wanted.length / 3)
  const stem = wanted.replace(/\.[^.]*$/, "")
  const scored = (await namesIn(dirname(path))).map((name) => {
    const lower = name.toLowerCase()
    const sameStem = stem.length >= 3 && lower.replace(/\.[^.]*$/, "") === stem
    return { name, far: sameStem ? 1 : distance(wanted, lower, most) }
  })
  return scored
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => input.slice(0, input.length - basename(input).length) + name)
}

/** What to tell of a path that does not exist: near names, or the folder from which on nothing exists. */
export async function missingMessage(input: string, path: string): Promise<string> {
  const folder = dirname(path)
  const isFolder = await stat(folder).then(
    (info) => info.isDirectory(),
    () => false,
  )
  if (!isFolder) return `${input} does not exist: there is no folder ${folder}.`
  const near = await nearNames(path, input)
  return `${input} does not exist.${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`
}

/** How a path stands in a diff: from the folder of the conversation where it is under it. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  ENOENT: "it does not exist",
  EEXIST: "something is there already",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  ELOOP: "its symbolic links go in a circle",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ETXTBSY: "it is a program that is running",
  EIO: "the disk reports an error",
  EAGAIN: "reading it would wait for data that is not there",
  EBUSY: "it is in use",
  EFBIG: "it is too large",
}

/** A system error in words, without the path. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error)
  if (code !== undefined && reasons[code] !== undefined) return reasons[code]
  return error instanceof Error ? error.message : String(error)
}
