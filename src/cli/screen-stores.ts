/**
 * What a screen keeps of a folder beside any session: the draft that no session has yet, and the inputs that were sent from there.
 *
 * - A draft is written whole, flushed and moved into place. History is one JSON text a line, appended; a torn last line is left out.
 */
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { errorCode, hashBytes } from "../std/files.ts"
import { isObject, parseJson, type Json } from "../std/json.ts"
import type { Redact } from "../std/redact.ts"
import type { Draft, DraftStore, HistoryStore, StashStore } from "../tui/options.ts"

/** Inputs that are offered again; older ones stay in the file until it is rewritten. */
const historyMax = 1_000
/** An input longer than this is not worth a line of history: it was pasted. */
const historyCharactersMax = 20_000

function folderFile(dataDir: string, folder: string, suffix: string): string {
  return join(dataDir, "screen", `${hashBytes(folder).slice(0, 16)}${suffix}`)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

function draftFrom(text: string | undefined): Draft | null {
  return draftOf(text === undefined ? undefined : parseJson(text))
}

function draftOf(value: Json | undefined): Draft | null {
  if (!isObject(value) || typeof value.text !== "string" || !isObject(value.pastes)) return null
  const { session, cursor, savedAt, pastes } = value
  return {
    session: typeof session === "string" ? session : null,
    text: value.text,
    cursor: typeof cursor === "number" ? cursor : value.text.length,
    pastes: Object.fromEntries(
      Object.entries(pastes).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
    savedAt: typeof savedAt === "number" ? savedAt : 0,
  }
}

/** Whole or not at all, also after a power cut: a temporary file, flushed, then renamed. */
function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  const file = openSync(temporary, "w", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
}

export function draftStore(dataDir: string, folder: string): DraftStore {
  const path = folderFile(dataDir, folder, ".json")
  return {
    load: () => draftFrom(readText(path)),
    save(draft) {
      if (draft === null) rmSync(path, { force: true })
      else writeWhole(path, JSON.stringify(draft))
    },
  }
}

/** Drafts that were put aside in a folder, whichever session they were typed in. */
export function stashStore(dataDir: string, folder: string): StashStore {
  const path = folderFile(dataDir, folder, ".stash")
  return {
    load() {
      const value = parseJson(readText(path) ?? "[]")
      const drafts = Array.isArray(value) ? value.map(draftOf) : []
      return drafts.filter((draft) => draft !== null)
    },
    save(drafts) {
      if (drafts.length === 0) rmSync(path, { force: true })
      else writeWhole(path, JSON.stringify(drafts))
    },
  }
}

/** `redact`: what is taken out of an input before it is kept. */
export function historyStore(dataDir: string, folder: string, redact: Redact): HistoryStore {
  const path = folderFile(dataDir, folder, ".history")
  const load = (): readonly string[] =>
    (readText(path) ?? "")
      .split("\n")
      .map((line) => parseJson(line))
      .filter((text) => typeof text === "string")
      .slice(-historyMax)
  return {
    load,
    append(given) {
      const text = redact(given)
      if (text.length > historyCharactersMax) return
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // A torn line of an earlier kill must not swallow this one.
      appendFileSync(path, `\n${JSON.stringify(text)}`, { mode: 0o600 })
    },
  }
}
