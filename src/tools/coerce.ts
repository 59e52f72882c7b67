/** Repairs of arguments that models get wrong, shared by tools. What is right stays as it is. */
import type { JsonObject } from "../std/json.ts"

const pathNames = ["file_path", "filePath", "filepath", "file", "filename"]

/** `path` under the names that other agents' tools gave it. */
export function pathAliases(args: JsonObject): JsonObject {
  if (args["path"] !== undefined) return args
  const name = pathNames.find((alias) => typeof args[alias] === "string")
  if (name === undefined) return args
  const { [name]: path, ...rest } = args
  return { ...rest, path }
}
