/**
 * Folders watched for what a person saves in them.
 *
 * - A change is heard within 200 ms: the system tells of it, and editors that write a new file and rename it over the old one are heard as
 *   well, since folders are watched and not files. Files that are links are watched where they lead.
 * - Where the system does not tell (a limit, a network file system), a look every so often finds the change, later. Where it does, nothing is done
 *   while nothing happens.
 * - The listener hears once of many writes in a row, and only when something differs: name, size, time or inode of an accepted file.
 */
import { readdirSync, realpathSync, statfsSync, statSync, watch, type FSWatcher } from "node:fs"
import { dirname, join } from "node:path"
import type { Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"

/** Editors write in several steps; this long after the last one the file is whole. */
const settleMs = 40
/** How often to look where the system does not tell: still within what was promised. */
const pollMs = 150
/** How often to look on file systems that tell only of what is done on this machine. */
const sharedMs = 2_000
/** Linux's numbers of those: NFS, SMB, CIFS, 9P, FUSE, Ceph, AFS, Lustre, GFS2, OCFS2. */
const sharedTypes: ReadonlySet<number> = new Set([
  0x6969, 0xfe534d42, 0xff534d42, 0x1021997, 0x65735546, 0xc36400, 0x5346414f, 0xbd00bd0, 0x1161970, 0x7461636f,
])

export type WatchOptions = {
  readonly clock: Clock
  /** Names of files that matter. */
  readonly accept: (name: string) => boolean
  /** False makes it look every so often instead of asking the system. */
  readonly native?: boolean
}

/** Watch `folder`, which need not exist yet. The returned function ends it. */
export function watchFolder(folder: string, options: WatchOptions, listener: () => void): () => void {
  const watcher = new FolderWatcher(folder, options, listener)
  return () => watcher.close()
}

class FolderWatcher {
  readonly #folder: string
  readonly #options: WatchOptions
  readonly #listener: () => void
  readonly #watchers = new Map<string, FSWatcher>()
  #seen: string
  #blind = false
  /** Somebody elsewhere may change what is here. */
  #shared = false
  #cancelPoll: () => void = () => {}
  #cancelSettle: () => void = () => {}
  #closed = false

  constructor(folder: string, options: WatchOptions, listener: () => void) {
    this.#folder = folder
    this.#options = options
    this.#listener = listener
    this.#seen = signature(folder, options.accept)
    this.#arm()
    this.#poll()
  }

  close(): void {
    this.#closed = true
    this.#cancelPoll()
    this.#cancelSettle()
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #poll(): void {
    this.#cancelPoll()
    if (this.#closed || !(this.#blind || this.#shared)) return
    this.#cancelPoll = this.#options.clock.after(this.#blind ? pollMs : sharedMs, () => {
      this.#look()
      this.#poll()
    })
  }

  #soon(): void {
    if (this.#closed) return
    this.#cancelSettle()
    this.#cancelSettle = this.#options.clock.after(settleMs, () => this.#look())
  }

  #look(): void {
    if (this.#closed) return
    const before = [this.#blind, this.#shared]
    // What is new is watched from now on; what was done to it just before is seen by one more look.
    if (this.#arm()) this.#soon()
    if (before[0] !== this.#blind || before[1] !== this.#shared) this.#poll()
    const now = signature(this.#folder, this.#options.accept)
    if (now === this.#seen) return
    this.#seen = now
    this.#listener()
  }

  /** Watch what is there now: folders come and go. True where some are new. */
  #arm(): boolean {
    const places = placesOf(this.#folder, this.#options.accept)
    for (const [key, watcher] of this.#watchers) {
      if (places.has(key)) continue
      watcher.close()
      this.#watchers.delete(key)
    }
    this.#blind = this.#options.native === false
    if (this.#blind) return false
    let fresh = false
    for (const [key, place] of places) {
      if (this.#watchers.has(key)) continue
      if (this.#watch(key, place)) fresh = true
      else this.#blind = true
    }
    this.#shared = [...places.values()].some(isShared)
    return fresh
  }

  #watch(key: string, place: string): boolean {
    try {
      const watcher = watch(place, { persistent: false }, () => this.#soon())
      watcher.on("error", () => this.#drop(key))
      this.#watchers.set(key, watcher)
      return true
    } catch (error) {
      // No watch left, or none on this file system: looking takes its place.
      if (errorCode(error) === undefined) throw error
      return false
    }
  }

  #drop(key: string): void {
    this.#watchers.get(key)?.close()
    this.#watchers.delete(key)
    this.#soon()
  }
}

function namesIn(folder: string, accept: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder).filter(accept).toSorted()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

/** What tells one state of the accepted files from another. */
function signature(folder: string, accept: (name: string) => boolean): string {
  return namesIn(folder, accept)
    .map((name) => {
      const stat = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })
      return stat === undefined ? name : `${name}:${stat.ino}:${stat.size}:${stat.mtimeNs}`
    })
    .join("\n")
}

/**
 * The folders to watch: the folder or, until it exists, the nearest one above, and those that links in it lead to. By device and inode, since a
 * folder that is removed and made again is another one.
 */
function placesOf(folder: string, accept: (name: string) => boolean): ReadonlyMap<string, string> {
  let nearest = folder
  while (statSync(nearest, { throwIfNoEntry: false }) === undefined && dirname(nearest) !== nearest) {
    nearest = dirname(nearest)
  }
  const targets = namesIn(folder, accept).flatMap((name) => realPath(join(folder, name)) ?? [])
  const places = new Map<string, string>()
  for (const place of [nearest, ...targets.map((target) => dirname(target))]) {
    const stat = statSync(place, { throwIfNoEntry: false })
    if (stat !== undefined) places.set(`${stat.dev}:${stat.ino}`, place)
  }
  return places
}

function isShared(place: string): boolean {
  if (process.platform !== "linux") return false
  try {
    return sharedTypes.has(statfsSync(place).type)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
