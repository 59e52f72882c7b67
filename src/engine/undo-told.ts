/** What a model is told of an undo: its picture of these files is the old one. */
import type { UndoEntry, UndoneFile } from "../protocol/records.ts"

/** A longer difference is not told: the model reads the file again when it needs it. */
const shownCharsMax = 4 * 1024

/** True where the model is told all of what became of a file. */
export function isToldWhole({ diff, change }: UndoneFile): boolean {
  return change.after !== null && diff !== "" && diff.length <= shownCharsMax
}

export function undoMessage({ files, again }: UndoEntry): string {
  const told = files.map((file) => {
    const { path, diff, change } = file
    if (change.after === null) return `${path} is removed.`
    return isToldWhole(file) ? `${path}:\n${diff.trimEnd()}` : `${path}: read it again before you change it.`
  })
  const what = again === true ? "I made changes again that I had taken back" : "I took back changes that you made"
  return `${what}:\n${told.join("\n")}`
}
