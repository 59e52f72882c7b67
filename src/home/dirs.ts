/**
 * Where this program's folders are, from an environment snapshot.
 *
 * - `CAIRN_CONFIG`, `CAIRN_DATA`, `CAIRN_CACHE` name a folder each; else the XDG variables, else their defaults under the home folder. A
 *   relative path in an XDG variable counts as unset, as that standard says.
 * - A folder that cannot be used is a sentence that names the path and the variable. There is never another place in its stead: what was
 *   written there before would seem lost.
 */
import { accessSync, constants, mkdirSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { errorCode } from "../std/files.ts"
import type { Env } from "./env.ts"

export type Dirs = {
  readonly home: string
  readonly config: string
  readonly data: string
  readonly cache: string
  /** For sockets: short, of this user alone, gone after a reboot. */
  readonly runtime: string
}

export type Machine = {
  /** What the system says of this user; empty where it knows no home. */
  readonly homedir: string
  readonly uid: number
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}

/** The folders, or the sentence that says why there are none. */
export function dirsOf(env: Env, machine: Machine): { readonly dirs: Dirs } | { readonly problem: string } {
  for (const name of ["CAIRN_CONFIG", "CAIRN_DATA", "CAIRN_CACHE"] as const) {
    const path = env[name]
    if (path !== undefined && path !== "" && !isAbsolute(path)) {
      return { problem: `${name} has to be an absolute path, and is ${JSON.stringify(path)}.` }
    }
  }
  const home = absolute(env["HOME"]) ?? absolute(machine.homedir)
  const place = (own: string, xdg: string, under: string): string | undefined =>
    absolute(env[own]) ??
    (absolute(env[xdg]) === undefined ? home && join(home, under, "cairn") : join(env[xdg] ?? "", "cairn"))
  const config = place("CAIRN_CONFIG", "XDG_CONFIG_HOME", ".config")
  const data = place("CAIRN_DATA", "XDG_DATA_HOME", join(".local", "share"))
  const cache = place("CAIRN_CACHE", "XDG_CACHE_HOME", ".cache")
  if (config === undefined || data === undefined || cache === undefined) {
    return { problem: "This user has no home folder. Set HOME, or CAIRN_CONFIG, CAIRN_DATA and CAIRN_CACHE." }
  }
  const runtime = absolute(env["XDG_RUNTIME_DIR"])
  return {
    dirs: {
      home: home ?? data,
      config,
      data,
      cache,
      runtime: runtime === undefined ? `/tmp/cairn-${machine.uid}` : join(runtime, "cairn"),
    },
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "it is not writable",
  EPERM: "it is not writable",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "the quota of its disk is used up",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "there is a file of that name",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "its links lead in a circle",
}

/** Make `path` (0700) unless it is there; null when it can be written, else a sentence. `variable` is what moves it. */
export function openDir(path: string, noun: string, variable: string): string | null {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const reason = reasons[errorCode(error) ?? ""] ?? (error instanceof Error ? error.message : String(error))
    return `The ${noun} folder ${path} cannot be used: ${reason}. Make it writable, or set ${variable} to another folder.`
  }
}
