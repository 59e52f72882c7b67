/** What an undo did, in sentences: for the screen and for a transcript. */
import type { UndoEntry, UndoneFile } from "./records.ts"

function fileText({ path, added, removed, change }: UndoneFile): string {
  if (change.after === null) return `${path} (removed)`
  return change.before === null ? `${path} (made again)` : `${path} (+${added} -${removed})`
}

export function undoText({ files, refused, commands, again }: UndoEntry): string {
  const kept = refused.map(({ hunk, reason }) => `${hunk}: ${reason}`)
  const sentences = [
    `${again === true ? "Made again what was taken back" : "Took back changes"} in ${files.map(fileText).join(", ")}.`,
    ...(kept.length === 0 ? [] : [`Left as they are: ${kept.join("; ")}.`]),
    ...(commands === 0
      ? []
      : [`What ${commands === 1 ? "a command" : `${commands} commands`} of the run changed stays.`]),
  ]
  return sentences.join(" ")
}
