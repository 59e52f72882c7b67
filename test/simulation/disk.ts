/**
 * The file system as a simulated process meets it: real files, in virtual time, with faults.
 *
 * - `installDisk` takes the place of the runtime's file functions and must run before anything that imports them. Where no process is simulated they are as before.
 * - What is asked for with a promise is done later, all at once, in an order that chance decides; it is never done for a process that has died meanwhile.
 * - A turn of the runtime's loop that somebody waits for is one of the simulation's.
 * - What no flush has made lasting can be taken back, newest first, as a power cut does: see `Lasting`.
 */
import { createRequire } from "node:module"
import { dirname } from "node:path"
import type * as Fs from "node:fs"

/** The process that is simulated now, as the disk needs it. */
export type DiskUser = {
  readonly dead: boolean
  /** A moment at which it may die. */
  op(label: string): void
  soon(run: () => void): void
  /** Why the disk takes nothing now; null where it does. */
  refusal(): Error | null
  /** Files that others look at: what happens to them is noted. */
  readonly shared: Lasting
}

const load = createRequire(import.meta.url)
const fs = load("node:fs") as typeof Fs & Record<string, unknown>

/** The file functions as the runtime has them. */
export const real = { ...fs } as typeof Fs

let user: DiskUser | null = null

export function simulate(next: DiskUser | null): void {
  user = next
}

/**
 * What was done in a folder and not flushed yet. A file's content lasts when the file was flushed, its name when its folder was.
 */
export class Lasting {
  readonly #folder: string
  readonly #changed: (path: string) => void
  #undo: { readonly what: string; readonly path: string; readonly back: () => void }[] = []

  /** `changed` hears of every path that has new content. */
  constructor(folder: string, changed: (path: string) => void) {
    this.#folder = folder
    this.#changed = changed
  }

  has(path: string): boolean {
    return path.startsWith(`${this.#folder}/`)
  }

  /** `what` is the file whose content changed, or the folder in which `path` is a new name; flushing it makes the change last. */
  did(what: string, path: string, back: () => void): void {
    this.#undo.push({ what, path, back })
  }

  changed(path: string): void {
    if (this.has(path)) this.#changed(path)
  }

  /** A journal that makes a folder's names last makes the folder last too. */
  flushed(path: string): void {
    const inside = real.statSync(path).isDirectory() ? `${path}/` : path
    this.#undo = this.#undo.filter((done) => done.what !== path && !inside.startsWith(`${done.path}/`))
  }

  /** Takes back the newest `count` of what would not last; returns how many there were. */
  cut(count: (all: number) => number): number {
    const all = this.#undo.splice(0)
    const lost = all.slice(all.length - count(all.length))
    for (const { back } of lost.reverse()) back()
    return lost.length
  }
}

function contentOf(path: string): Buffer | null {
  return real.existsSync(path) && real.statSync(path).isFile() ? real.readFileSync(path) : null
}

function putBack(path: string, content: Buffer | null): void {
  if (content === null) real.rmSync(path, { force: true, recursive: true })
  else if (real.existsSync(dirname(path))) real.writeFileSync(path, content)
}

function noteNames(paths: readonly string[], work: () => void): void {
  const lasting = user?.shared
  const isFolder = (path: string): boolean => real.existsSync(path) && real.statSync(path).isDirectory()
  const noted = lasting === undefined ? [] : paths.filter((path) => lasting.has(path) && !isFolder(path))
  const before = noted.map((path) => [path, contentOf(path)] as const)
  work()
  for (const [path, content] of before) lasting?.did(dirname(path), path, () => putBack(path, content))
}

function noteContent(path: string, work: () => void): void {
  const lasting = user?.shared
  if (lasting === undefined || !lasting.has(path)) return work()
  const before = contentOf(path)
  work()
  lasting.did(path, path, () => {
    if (real.existsSync(path)) putBack(path, before)
  })
}

const changes = new Set(["rename", "link", "rm", "mkdir", "copyFile", "chmod"])

/** A function of the promises' kind, done by its synchronous twin. */
function twin(name: string, original: (...given: unknown[]) => unknown): (...given: unknown[]) => unknown {
  const atOnce = (real as unknown as Record<string, (...given: unknown[]) => unknown>)[`${name}Sync`]
  return (...given) => {
    if (user === null || atOnce === undefined) return original(...given)
    const paths = given.filter((it): it is string => typeof it === "string" && it.startsWith("/"))
    return later(name, paths[0] ?? "", () => {
      if (changes.has(name)) refuse(name)
      let answer: unknown
      const work = (): void => {
        answer = atOnce(...given)
      }
      const changesNames = name === "rename" || name === "link" || name === "rm" || name === "mkdir"
      if (changesNames) noteNames(paths, work)
      else work()
      if (name === "rename" || name === "link") user?.shared.changed(paths[1] ?? "")
      if (name === "rm") user?.shared.changed(paths[0] ?? "")
      return answer
    })
  }
}

function refuse(name: string): void {
  const error = name === "rm" || name === "chmod" ? null : user?.refusal()
  if (error) throw error
}

function later<T>(name: string, path: string, work: () => T): Promise<T> {
  const asked = user
  if (asked === null || asked.dead) return new Promise(() => undefined)
  return new Promise((resolve, reject) => {
    asked.soon(() => {
      asked.op(`before ${name} ${path}`)
      if (asked.dead) return
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
      asked.op(`after ${name} ${path}`)
    })
  })
}

/** As much of a FileHandle as the program asks of one. */
class Handle {
  readonly #path: string
  readonly fd: number

  constructor(path: string, fd: number) {
    this.#path = path
    this.fd = fd
  }

  read(buffer: Uint8Array, offset: number, length: number, position: number | null): Promise<{ bytesRead: number }> {
    return later("read", this.#path, () => ({ bytesRead: real.readSync(this.fd, buffer, offset, length, position) }))
  }

  readFile(): Promise<Buffer> {
    return later("readFile", this.#path, () => real.readFileSync(this.fd))
  }

  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }> {
    return later("write", this.#path, () => {
      refuse("write")
      let bytesWritten = 0
      noteContent(this.#path, () => {
        bytesWritten = real.writeSync(this.fd, bytes, offset, length, position)
      })
      user?.shared.changed(this.#path)
      return { bytesWritten }
    })
  }

  writeFile(bytes: Uint8Array | string): Promise<void> {
    return later("writeFile", this.#path, () => {
      refuse("write")
      noteContent(this.#path, () => real.writeFileSync(this.fd, bytes))
      user?.shared.changed(this.#path)
    })
  }

  truncate(length: number): Promise<void> {
    return later("truncate", this.#path, () => noteContent(this.#path, () => real.ftruncateSync(this.fd, length)))
  }

  sync(): Promise<void> {
    return later("sync", this.#path, () => {
      refuse("sync")
      real.fsyncSync(this.fd)
      user?.shared.flushed(this.#path)
    })
  }

  stat(): Promise<Fs.Stats> {
    return later("fstat", this.#path, () => real.fstatSync(this.fd))
  }

  chmod(mode: number): Promise<void> {
    return later("fchmod", this.#path, () => real.fchmodSync(this.fd, mode))
  }

  chown(uid: number, gid: number): Promise<void> {
    return later("fchown", this.#path, () => real.fchownSync(this.fd, uid, gid))
  }

  /** At once: what a dead process had open is closed too. */
  close(): Promise<void> {
    openHandles.delete(this)
    real.closeSync(this.fd)
    return Promise.resolve()
  }
}

const openHandles = new Set<Handle>()

/** Closes what a dead process left open. */
export function closeHandles(): void {
  for (const { fd } of openHandles) real.closeSync(fd)
  openHandles.clear()
}

function openLater(original: (...given: unknown[]) => unknown): (...given: unknown[]) => unknown {
  return (...given) => {
    if (user === null) return original(...given)
    const [path, flags = "r", mode] = given as [string, string | number | undefined, number | undefined]
    return later("open", path, () => {
      const makes = typeof flags === "string" && /[wa]/.test(flags)
      if (makes) refuse("open")
      let fd = -1
      const open = (): void => {
        fd = real.openSync(path, flags, mode)
      }
      if (makes) noteNames([path], open)
      else open()
      const handle = new Handle(path, fd)
      openHandles.add(handle)
      return handle
    })
  }
}

/** The ledger's own files are written without promises: each such call is a moment at which the process may die, or the disk be full. */
function moment(name: "openSync" | "writeSync" | "fsyncSync" | "renameSync" | "ftruncateSync"): void {
  const original = real[name] as (...given: unknown[]) => unknown
  const watched = (...given: unknown[]): unknown => {
    if (user === null || user.dead) return original(...given)
    const [, flags] = given
    const writes = name !== "openSync" || (typeof flags === "string" ? /[wa+]/.test(flags) : flags !== undefined)
    if (!writes) return original(...given)
    user.op(`before ${name}`)
    const error = name === "ftruncateSync" ? null : user.refusal()
    if (error !== null) throw error
    const answer = original(...given)
    user.op(`after ${name}`)
    return answer
  }
  ;(fs as Record<string, unknown>)[name] = watched
}

/** Packing is done on another thread; here, later. */
function squeeze(name: "zstdCompress" | "zstdDecompress"): (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown> {
  const [original, atOnce] = [Bun[name], name === "zstdCompress" ? Bun.zstdCompressSync : Bun.zstdDecompressSync]
  return (bytes) => (user === null ? original(bytes) : later(name, "", () => atOnce(bytes)))
}

/** Takes the place of the runtime's file functions, for all that is imported afterwards. */
export function installDisk(): void {
  const promises = load("node:fs/promises") as Record<string, unknown>
  for (const [name, original] of Object.entries(promises)) {
    if (typeof original !== "function") continue
    const plain = original as (...given: unknown[]) => unknown
    promises[name] = name === "open" ? openLater(plain) : twin(name, plain)
  }
  const atOnce = globalThis.setImmediate
  const immediate = (run: (...given: unknown[]) => void, ...given: unknown[]): unknown =>
    user === null ? atOnce(run, ...given) : user.soon(() => run(...given))
  globalThis.setImmediate = immediate as typeof setImmediate
  const runtime = Bun as unknown as Record<string, unknown>
  for (const name of ["zstdCompress", "zstdDecompress"] as const) runtime[name] = squeeze(name)
  for (const name of ["openSync", "writeSync", "fsyncSync", "renameSync", "ftruncateSync"] as const) moment(name)
}
