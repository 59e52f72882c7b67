/** One setting written into a config file, its comments and the rest of its text kept; the file whole or as it was. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { applyEdits, modify } from "jsonc-parser"
import { writeFileAtomic } from "../std/files.ts"
import type { Json } from "../std/json.ts"
import { parseDocument } from "./jsonc.ts"
import { printProblem } from "./problem.ts"

export type Saved = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** `path` is dotted; null removes the setting. A broken file is left alone. */
export async function saveSetting(file: string, path: string, value: Json): Promise<Saved> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const text = existsSync(file) ? readFileSync(file, "utf8") : "{}\n"
    const parsed = parseDocument(file, text)
    if ("problem" in parsed) return { ok: false, reason: printProblem(parsed.problem) }
    const formattingOptions = { insertSpaces: true, tabSize: 2 }
    const edits = modify(text, path.split("."), value ?? undefined, { formattingOptions })
    await writeFileAtomic(file, applyEdits(text, edits), { mode: 0o600 })
    return { ok: true }
  } catch (error) {
    return {
      ok: false,
      reason: `${file} could not be written: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}
