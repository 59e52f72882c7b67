/**
 * Drafts and history of a folder as files: small, whole or not at all, readable by their owner only.
 *
 * - Both are comfort: a file that cannot be read is empty, and one that cannot be written is told once by who asked.
 */
import { randomUUID } from "node:crypto"
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { parseJson } from "../../std/json.ts"
import type { DraftStore, HistoryStore } from "../options.ts"
import { readDraft } from "../saved.ts"
import { historyMax, remember } from "./history.ts"

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // There is none yet, or it cannot be read: both are an empty start.
    return ""
  }
}

function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomUUID()}`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** The draft of a folder in the file `path`. */
export function fileDrafts(path: string): DraftStore {
  return {
    load: () => readDraft(parseJson(textOf(path))),
    save(draft) {
      if (draft === null) rmSync(path, { force: true })
      else writeWhole(path, JSON.stringify(draft))
    },
  }
}

/** Inputs of a folder in the file `path`, one JSON string a line. It is cut when it has grown to twice what is kept. */
export function fileHistory(path: string): HistoryStore {
  const load = (): readonly string[] =>
    textOf(path)
      .split("\n")
      .filter(Boolean)
      .map((line) => parseJson(line))
      .filter((line) => typeof line === "string")
  let items: readonly string[] | null = null
  return {
    load: () => (items ??= load().slice(-historyMax)),
    append(text) {
      const before = (items ??= load().slice(-historyMax))
      items = remember(before, text)
      if (items === before) return
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (load().length >= 2 * historyMax) writeWhole(path, items.map((item) => `${JSON.stringify(item)}\n`).join(""))
      else appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 })
    },
  }
}
