/**
 * The tools that come with Cairn, and what the model is told of each.
 *
 * - Their order is the order in which they are sent: it never changes, so that a provider's cache of the prefix holds.
 * - A model that is better at whole files (`edits: "whole"`) gets no edit, and a write that is described for it.
 */
import type { JsonObject } from "../std/json.ts"
import { bashTool } from "./bash.ts"
import { editTool } from "./edit.ts"
import { findTool } from "./find.ts"
import { grepTool } from "./grep.ts"
import { lsTool } from "./ls.ts"
import { readTool } from "./read.ts"
import type { Tool } from "./tool.ts"
import { writeTool } from "./write.ts"

/** What a provider sends of a tool; `parameters` is JSON schema. */
export type ToolSpec = { readonly name: string; readonly description: string; readonly parameters: JsonObject }

/** Every tool in this build. Which of them a conversation offers is its own choice, by name. */
export function builtinTools(): readonly Tool[] {
  return [readTool, bashTool, editTool, writeTool, grepTool, findTool, lsTool]
}

/** The names that are on when nobody chose. */
export const defaultToolNames: readonly string[] = ["read", "bash", "edit", "write"]

/** How a model changes files: by passages, or by writing them whole. */
export type Edits = "replace" | "whole"

/** Of the tools that are on, those that a model is offered. */
export function offeredNames(on: readonly string[], edits: Edits): readonly string[] {
  if (edits === "replace" || !on.includes("edit")) return on
  const rest = on.filter((name) => name !== "edit")
  return rest.includes("write") ? rest : [...rest, "write"]
}

/** What the model is told of `tool`. */
export function specOf(tool: Tool, edits: Edits = "replace"): ToolSpec {
  // The schema carries symbols for its types, which are no JSON: written and read again, only the schema is left.
  const parameters = JSON.parse(JSON.stringify(tool.parameters)) as JsonObject
  const whole = edits === "whole" ? tool.wholeDescription : undefined
  return { name: tool.name, description: whole ?? tool.description, parameters }
}
