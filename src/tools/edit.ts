/**
 * edit: passages of a text file replaced by others.
 *
 * - All edits of a call are matched against the file as it is, and are made together or not at all (`edit-match.ts`).
 * - The file keeps its encoding, its mark, its line ends, its mode and the link that leads to it.
 */
import { Type, type Static } from "@sinclair/typebox"
import { isObject, parseJson, type Json, type JsonObject } from "../std/json.ts"
import { pathAliases } from "./coerce.ts"
import { diffOf } from "./diff.ts"
import { applyEdits, type Edit } from "./edit-match.ts"
import { encodeText, unencodable, type TextForm } from "./encoding.ts"
import { missingMessage, reasonOf, resolveFile, shownPath } from "./paths.ts"
import { discardReplace, executeReplace, prepareReplace, reconcileReplace, refusalToReplace } from "./replace-file.ts"
import { sizeText } from "./show.ts"
import { noteOf, staleOf } from "./stale.ts"
import { beforeOf, readBefore, type Before } from "./text-file.ts"
import { defineTool, errorResult, type Prepared, type ToolContext } from "./tool.ts"

const parameters = Type.Object({
  path: Type.String(),
  edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() })),
})

type Args = Static<typeof parameters>

export const editTool = defineTool({
  name: "edit",
  description:
    "Replace passages of a file. Each oldText must be in the file exactly once; all are matched against the file as it was.",
  parameters,
  version: 1,
  effect: "reconcile",
  title: (args) => {
    const { path } = pathAliases(args)
    return typeof path === "string" ? path : ""
  },
  coerce: coerceEdits,
  async target(args, context) {
    const place = await resolveFile(args.path, context)
    return place.ok ? place.real : args.path
  },
  async prepare(args, context) {
    try {
      return await prepareEdit(args, context)
    } catch (error) {
      return { ok: false, result: errorResult(`${args.path}: ${reasonOf(error)}.`) }
    }
  },
  discard: (intent) => discardReplace(intent),
  execute: (args, intent) =>
    executeReplace(intent, (bytes) => {
      const plan = bytes === null ? null : planOf(beforeOf(bytes), args)
      return plan?.ok === true ? plan.bytes : null
    }),
  reconcile: (_args, intent) => reconcileReplace(intent),
})

async function prepareEdit(args: Args, context: ToolContext): Promise<Prepared> {
  const place = await resolveFile(args.path, context)
  if (!place.ok) return { ok: false, result: errorResult(place.message) }
  const refusal = await refusalToReplace(place.real, args.path)
  if (refusal !== null) return { ok: false, result: errorResult(refusal) }
  const before = await readBefore(place.real)
  if (before.kind === "missing") {
    const message = await missingMessage(args.path, place.path)
    const next = message.endsWith("?") ? "" : " Make it with write."
    return { ok: false, result: errorResult(message + next) }
  }
  const shown = shownPath(place.path, context.cwd)
  const stale = await staleOf(place.real, before, shown, context)
  const told = stale === null ? "" : `\n\n[${noteOf(args.path, stale)}]`
  const plan = planOf(before, args)
  if (!plan.ok) {
    const now = stale === null || stale.diff === null ? {} : { seen: { path: place.real, hash: before.hash } }
    return { ok: false, result: errorResult(plan.message + told, { path: place.path, ...now }) }
  }
  const diff = diffOf(shown, plan.before, plan.after)
  const count = args.edits.length === 1 ? "" : ` in ${args.edits.length} places`
  const notes = plan.notes.length === 0 ? "" : ` Inexact: ${plan.notes.join("; ")}.`
  const text = `Edited ${args.path}${count}: +${diff.added} -${diff.removed} lines, from line ${diff.firstLine}.${notes}`
  const details = { path: place.path, ...diff, inexact: plan.notes }
  const { real } = place
  const seen = stale === null || stale.diff !== null
  return prepareReplace({ path: args.path, real, before, after: plan.bytes, text: text + told, details, seen }, context)
}

type Plan =
  | {
      readonly ok: true
      readonly bytes: Uint8Array
      readonly before: string
      readonly after: string
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly message: string }

/** What the edits make of the file: from its bytes alone, so the same each time. */
function planOf(file: Before, { path, edits }: Args): Plan {
  if (file.kind === "missing") return { ok: false, message: `${path} does not exist.` }
  if (file.kind === "other")
    return { ok: false, message: `${path} is ${file.name}, ${sizeText(file.size)}: change it with a command.` }
  const outcome = applyEdits(file.text, edits, path)
  if (!outcome.ok) return outcome
  const stray = strayCharacter(edits, file.form)
  if (stray !== null)
    return {
      ok: false,
      message: `${path} is ${file.form.encoding} text, which has no ${stray}: convert the file first.`,
    }
  const bytes = encodeText(outcome.text, file.form)
  return { ok: true, bytes, before: file.text, after: outcome.text, notes: outcome.notes }
}

function strayCharacter(edits: readonly Edit[], form: TextForm): string | null {
  for (const { newText } of edits) {
    const stray = unencodable(newText, form)
    if (stray !== null) return stray
  }
  return null
}

/** An edit under the names that other agents' tools gave its fields; null where it is none. */
function editOf(value: Json | undefined): JsonObject | null {
  if (!isObject(value)) return null
  const oldText = value["oldText"] ?? value["old_text"] ?? value["old_string"] ?? value["oldString"]
  const newText = value["newText"] ?? value["new_text"] ?? value["new_string"] ?? value["newString"]
  return oldText === undefined || newText === undefined ? null : { oldText, newText }
}

/** Edits given as JSON text, as one object, or as a pair beside the path. What cannot be repaired is left for validation to name. */
function coerceEdits(given: JsonObject): JsonObject {
  const args = pathAliases(given)
  const path = args["path"]
  const raw = args["edits"]
  const edits = typeof raw === "string" ? parseJson(raw) : raw
  const pair = editOf(args)
  if (edits === undefined && pair !== null) return { path, edits: [pair] }
  if (isObject(edits)) return { path, edits: [editOf(edits) ?? edits] }
  if (!Array.isArray(edits)) return args
  return { path, edits: edits.map((edit: Json) => editOf(typeof edit === "string" ? parseJson(edit) : edit) ?? edit) }
}
