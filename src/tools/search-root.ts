/** Where a search begins: a folder, or a single file. */
import { stat } from "node:fs/promises"
import { errorCode } from "../std/files.ts"
import { missingMessage, reasonOf, resolvePath, shownPath, type PathContext } from "./paths.ts"

export type SearchRoot =
  | { readonly ok: true; readonly path: string; readonly real: string; readonly kind: "file" | "folder" }
  | { readonly ok: false; readonly message: string }

export async function folderAt(input: string, context: PathContext): Promise<SearchRoot> {
  const place = await resolvePath(input, context)
  if (!place.ok) return place
  try {
    const info = await stat(place.path)
    if (info.isDirectory()) return { ...place, kind: "folder" }
    return info.isFile() ? { ...place, kind: "file" } : { ok: false, message: `${input} is no file or folder.` }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { ok: false, message: await missingMessage(input, place.path) }
    return { ok: false, message: `${input}: ${reasonOf(error)}.` }
  }
}

/** What stands before the paths of what is found under `folder`, so that another tool takes them as they are. */
export function shownFolderOf(folder: string, cwd: string): string {
  return folder === cwd ? "" : shownPath(folder, cwd)
}
