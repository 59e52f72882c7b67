/**
 * What others may add to Cairn, and how it is checked at the door. An extension is a file that exports `extension`.
 *
 * - It adds by value: tools, and hooks at the seams of the loop. It gets no ledger, no engine and no keys.
 * - `api` is the version of this contract that it was written for; another major version is refused in a sentence, never half loaded.
 * - A name that is taken (a built-in tool, an earlier extension) is refused: nothing is replaced unseen.
 * - Code is never stored: a call of a tool whose extension is gone waits, or is answered by what the ledger knows.
 */
import type { TSchema } from "@sinclair/typebox"
import { seams, type Hooks } from "../protocol/hooks.ts"
import type { Tool } from "../tools/tool.ts"

/** The major version of this contract. */
export const extensionApi = 1

export type Extension = {
  readonly api: typeof extensionApi
  /** Letters, digits, `-` and `_`: what settings, messages and the ledger call it. */
  readonly name: string
  readonly tools?: readonly Tool<TSchema>[]
  /** What it does at the seams of the loop (`protocol/hooks.ts`). */
  readonly hooks?: Omit<Hooks, "name">
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

type Fields = { readonly api?: unknown; readonly name?: unknown; readonly tools?: unknown; readonly hooks?: unknown }

function toolProblem(value: unknown): string | null {
  const tool = (typeof value === "object" && value !== null ? value : {}) as Partial<Tool>
  if (typeof tool.name !== "string" || !namePattern.test(tool.name)) return "one of its tools has no usable name"
  if (typeof tool.description !== "string") return `its tool ${tool.name} has no description`
  if (typeof tool.execute !== "function" || typeof tool.title !== "function") {
    return `its tool ${tool.name} lacks execute or title`
  }
  if (typeof tool.parameters !== "object" || tool.parameters === null) return `its tool ${tool.name} has no parameters`
  if (tool.effect === "reconcile" && typeof tool.reconcile !== "function") {
    return `its tool ${tool.name} reconciles, but has no reconcile`
  }
  const known = ["pure", "reconcile", "keyed", "unsafe"]
  return known.includes(String(tool.effect))
    ? null
    : `the effect of its tool ${tool.name} is none of ${known.join(", ")}`
}

function hooksProblem(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return "its `hooks` is not an object"
  const unknown = Object.keys(value).find((name) => !(seams as readonly string[]).includes(name))
  if (unknown !== undefined) return `there is no seam ${unknown}: they are ${seams.join(", ")}`
  const wrong = Object.entries(value).find(([, hook]) => typeof hook !== "function")
  return wrong === undefined ? null : `its hook ${wrong[0]} is not a function`
}

/** What a module exported as `extension`, or the sentence that says what is wrong with it. */
export function checkExtension(value: unknown): { readonly extension: Extension } | { readonly problem: string } {
  if (typeof value !== "object" || value === null) return { problem: "it does not export an object named `extension`" }
  const { api, name, tools = [], hooks = {} } = value as Fields
  if (typeof name !== "string" || !namePattern.test(name)) return { problem: "its `name` is missing or not usable" }
  if (api !== extensionApi) return { problem: `it was written for api ${String(api)}, and this is api ${extensionApi}` }
  if (!Array.isArray(tools)) return { problem: "its `tools` is not a list" }
  const wrong = [...tools.map(toolProblem), hooksProblem(hooks)].find((problem) => problem !== null)
  return wrong === undefined ? { extension: value as Extension } : { problem: wrong ?? "" }
}
