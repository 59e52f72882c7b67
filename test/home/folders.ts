/**
 * Folders that live as long as one test.
 *
 * - A file of tests asks for its own: a hook holds for the file that is being read when it is set, and this module is read once for all of them.
 */
import { afterEach } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

type Files = Readonly<Record<string, string>>

/** Called once, at the top of a file of tests; gives what makes a new folder, by its real path, with these files in it. */
export function tempFolders(): (files?: Files) => string {
  const made: string[] = []
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  return (files = {}) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-home-")))
    made.push(folder)
    for (const [name, text] of Object.entries(files)) putFile(folder, name, text)
    return folder
  }
}

export function putFile(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}
