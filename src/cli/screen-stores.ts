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
import { isObject, parseJson } from "../std/json.ts"
import type { Draft, DraftStore, HistoryStore } from "../tui/options.ts"

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
  const value = text === undefined ? undefined : parseJson(text)
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

export function historyStore(dataDir: string, folder: string): HistoryStore {
  const path = folderFile(dataDir, folder, ".history")
  const load = (): readonly string[] =>
    (readText(path) ?? "")
      .split("\n")
      .map((line) => parseJson(line))
      .filter((text) => typeof text === "string")
      .slice(-historyMax)
  return {
    load,
    append(text) {
      if (text.length > historyCharactersMax) return
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // A torn line of an earlier kill must not swallow this one.
      appendFileSync(path, `\n${JSON.stringify(text)}`, { mode: 0o600 })
    },
  }
}
