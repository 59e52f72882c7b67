/** Is this call one that can run? The tool exists and is on, the arguments are JSON, whole, and fit its schema. Pure but for the cache. */
import type { JsonObject } from "../std/json.ts"
import { decoder, type Decoder } from "../std/schema.ts"
import { errorResult, type Tool, type ToolResult } from "../tools/tool.ts"
import type { CallInput } from "./task.ts"

/** Raw arguments quoted back to the model, from their end: where they were cut. */
const quotedCharactersMax = 200

const decoders = new WeakMap<Tool, Decoder<JsonObject>>()

export function findTool(
  tools: readonly Tool[],
  on: readonly string[],
  input: CallInput,
): { readonly ok: true; readonly tool: Tool } | { readonly ok: false; readonly result: ToolResult } {
  const tool = tools.find((candidate) => candidate.name === input.name)
  if (tool !== undefined && on.includes(tool.name)) return { ok: true, tool }
  const names = on.join(", ")
  return { ok: false, result: errorResult(`There is no tool named ${input.name}. The tools are: ${names}.`) }
}

/** The arguments as the tool takes them, or the result that tells the model what is wrong with them. */
export function validated(
  tool: Tool,
  input: CallInput,
): { readonly ok: true; readonly args: JsonObject } | { readonly ok: false; readonly result: ToolResult } {
  if (input.argumentsError !== undefined) {
    const tail = input.argumentsError.slice(-quotedCharactersMax)
    const text = `The arguments of this call were not whole JSON, so it was not run. They ended with: ${tail}\nCall ${tool.name} again with complete arguments.`
    return { ok: false, result: errorResult(text) }
  }
  const coerced = tool.coerce?.(input.args) ?? input.args
  const decode = decoders.get(tool) ?? decoder<JsonObject>(tool.parameters, { coerce: true })
  decoders.set(tool, decode)
  const checked = decode(coerced)
  if (checked.ok) return { ok: true, args: checked.value }
  const text = `The arguments do not fit ${tool.name}: ${checked.problem}\nReceived: ${JSON.stringify(input.args).slice(0, 2_000)}`
  return { ok: false, result: errorResult(text) }
}
