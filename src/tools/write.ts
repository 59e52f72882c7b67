/**
 * write: a whole file.
 *
 * - Folders on the way are made. A text file that is replaced keeps its encoding, its mark and, where all its lines end in CRLF, those line
 *   ends; a new one is UTF-8, as given.
 */
import { Type } from "@sinclair/typebox"
import { basename } from "node:path"
import { hashBytes } from "../std/files.ts"
import { pathAliases } from "./coerce.ts"
import { diffOf } from "./diff.ts"
import { encodeText, unencodable, utf8, type TextForm } from "./encoding.ts"
import { caseClash, reasonOf, resolveFile, shownPath } from "./paths.ts"
import {
  discardReplace,
  executeReplace,
  missingFolder,
  prepareReplace,
  reconcileReplace,
  refusalToReplace,
  type Replacement,
} from "./replace-file.ts"
import { sizeText } from "./show.ts"
import { refusalOf, staleOf } from "./stale.ts"
import { beforeOf, readBefore, type Before } from "./text-file.ts"
import { defineTool, errorResult, type Prepared, type ToolContext } from "./tool.ts"

const parameters = Type.Object({ path: Type.String(), content: Type.String() })

export const writeTool = defineTool({
  name: "write",
  description: "Write a whole file, making folders as needed.",
  wholeDescription:
    "Write a whole file, making folders as needed. To change a file, read it, then write all of it, with nothing left out.",
  parameters,
  version: 1,
  effect: "reconcile",
  title: (args) => {
    const { path } = pathAliases(args)
    return typeof path === "string" ? path : ""
  },
  coerce: pathAliases,
  async target(args, context) {
    const place = await resolveFile(args.path, context)
    return place.ok ? place.real : args.path
  },
  async prepare(args, context) {
    const place = await resolveFile(args.path, context)
    if (!place.ok) return { ok: false, result: errorResult(place.message) }
    const refusal = await refusalToReplace(place.real, args.path)
    if (refusal !== null) return { ok: false, result: errorResult(refusal) }
    try {
      return await prepareWrite(args, place, context)
    } catch (error) {
      return { ok: false, result: errorResult(`${args.path}: ${reasonOf(error)}.`) }
    }
  },
  discard: (intent) => discardReplace(intent),
  execute: (args, intent) =>
    executeReplace(intent, (bytes) =>
      contentBytes(args.content, bytes === null ? { kind: "missing" } : beforeOf(bytes)),
    ),
  reconcile: (_args, intent) => reconcileReplace(intent),
})

type Args = { readonly path: string; readonly content: string }
type Place = { readonly path: string; readonly real: string }

async function prepareWrite(args: Args, place: Place, context: ToolContext): Promise<Prepared> {
  const before = await readBefore(place.real)
  const replacement = replacementOf(args, place, before, context)
  const stale = await staleOf(place.real, before, shownPath(place.path, context.cwd), context)
  if (stale === null || before.kind === "missing" || before.hash === hashBytes(replacement.after)) {
    const note = before.kind === "missing" ? await clashNote(place) : ""
    return prepareReplace({ ...replacement, text: replacement.text + note }, context)
  }
  // Shown what changed, the model has seen the file, and its next write stands.
  const seen = stale.diff === null ? {} : { seen: { path: place.real, hash: before.hash } }
  return { ok: false, result: errorResult(refusalOf(args.path, stale), { path: place.path, ...seen }) }
}

/** A file or a folder that is made beside one of nearly the same name. */
async function clashNote({ path, real }: Place): Promise<string> {
  const folder = await missingFolder(real)
  const clash = await caseClash(folder ?? path)
  if (clash === null) return ""
  const what =
    folder === null
      ? "it: on many machines the two are one file"
      : `${basename(folder)}: on many machines the two are one folder`
  return ` ${clash} is beside ${what}.`
}

function replacementOf(args: Args, place: Place, before: Before, context: ToolContext): Replacement {
  const after = contentBytes(args.content, before)
  const hash = before.kind === "missing" ? null : before.hash
  const path = shownPath(place.path, context.cwd)
  const diff = diffOf(path, before.kind === "missing" ? null : before.kind === "text" ? before.text : "", textOf(after))
  const same = hash === hashBytes(after)
  const how = before.kind === "missing" ? "new" : same ? "unchanged" : `+${diff.added} -${diff.removed} lines`
  const text = `Wrote ${args.path}: ${sizeText(after.length)}, ${how}.`
  const details = { path: place.path, ...diff, bytes: after.length, created: before.kind === "missing" }
  return { path: args.path, real: place.real, before, after, text, details, seen: true }
}

function textOf(bytes: Uint8Array): string {
  const now = beforeOf(bytes)
  return now.kind === "text" ? now.text : ""
}

/** `content` as bytes, in the manner of the text file that is there. */
function contentBytes(content: string, before: Before): Uint8Array {
  if (before.kind !== "text") return encodeText(content, utf8)
  const kept: TextForm = unencodable(content, before.form) === null ? before.form : utf8
  const text = content.startsWith("\ufeff") && kept.bom ? content.slice(1) : content
  const allCrlf = /\r\n/.test(before.text) && !/(?<!\r)\n/.test(before.text)
  return encodeText(allCrlf && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text, kept)
}
