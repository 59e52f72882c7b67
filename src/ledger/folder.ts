/**
 * Where everything of a session lies, and how a file comes to lie there for good.
 *
 * - Folders are for their owner alone (0700), files too (0600), whatever the mask.
 * - A file lasts when it is synced and the folder that names it is; a folder lasts when the one above it is synced.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert } from "../std/assert.ts"

export const folderMode = 0o700
export const fileMode = 0o600

export type SessionPaths = {
  readonly folder: string
  readonly db: string
  readonly wal: string
  readonly shm: string
  /** What SQLite keeps to undo a transaction, where there is no WAL. */
  readonly journal: string
  readonly lock: string
  readonly mark: string
  readonly format: string
  readonly spool: string
  readonly output: string
  readonly blobs: string
  readonly backup: string
}

export function sessionsFolder(dataDir: string): string {
  return join(dataDir, "sessions")
}

const sessionName = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function isSessionName(name: string): boolean {
  return sessionName.test(name)
}

export function sessionPaths(dataDir: string, id: string): SessionPaths {
  assert(isSessionName(id), `a session's id is a UUID: ${id}`)
  const folder = join(sessionsFolder(dataDir), id)
  const inside = (name: string): string => join(folder, name)
  return {
    folder,
    db: inside("ledger.db"),
    wal: inside("ledger.db-wal"),
    shm: inside("ledger.db-shm"),
    journal: inside("ledger.db-journal"),
    lock: inside("lock"),
    mark: inside("mark"),
    format: inside("format"),
    spool: inside("spool"),
    output: inside("output"),
    blobs: inside("blobs"),
    backup: inside("backup"),
  }
}

/** Makes `path` and what is missing above it; every folder that got a new name in it is synced. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: folderMode })
  chmodSync(path, folderMode)
  syncFolder(dirname(path))
}

export function syncFolder(path: string): void {
  const fd = openSync(path, "r")
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

export function syncFile(path: string): void {
  const fd = openSync(path, "r+")
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Puts `bytes` at `path`, whole or not at all, and for good. */
export function placeFile(path: string, bytes: Uint8Array | string): void {
  const draft = `${path}.new`
  const fd = openSync(draft, "w", fileMode)
  try {
    const content = Buffer.from(bytes)
    for (let at = 0; at < content.length;) at += writeSync(fd, content, at)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
  syncFolder(dirname(path))
}
