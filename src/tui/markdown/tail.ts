/**
 * The end of a text that is still being written, as if its last marks had been closed, so that no half mark is ever seen.
 *
 * - Only what has been opened and not closed is closed: bold, emphasis, strike, code, a link's brackets.
 * - A mark at the very end that opens nothing yet is left out.
 */

const run = /(\\.)|(`+)|(\*{1,3}|_{1,3}|~~)|(!?\[)|(\]\([^)\s]*(?:\s[^)]*)?\)?)|(\])/gs

type Open = { readonly mark: string; readonly at: number }

/** `text` with what is open at its end closed. */
export function closeTail(text: string): string {
  const trimmed = text.replace(/(?:^|(?<=\s))[*_~`]{1,3}$|\n {0,3}(?:[-=*_]{1,2}|#{1,6}|`{1,2}|\d{1,3})$/, "")
  const open: Open[] = []
  let code: Open | undefined
  for (const found of trimmed.matchAll(run)) {
    const [all, , ticks, mark, bracket, target, end] = found
    const at = found.index
    if (ticks !== undefined) {
      if (code === undefined) code = { mark: ticks, at }
      else if (code.mark === ticks) code = undefined
      continue
    }
    if (code !== undefined) continue
    if (mark !== undefined) toggle(open, mark, at, trimmed)
    else if (bracket !== undefined) open.push({ mark: "[", at })
    else if (target !== undefined && !target.endsWith(")")) return closeTail(withoutTarget(trimmed, open, at))
    else if (target !== undefined || end !== undefined) dropLast(open, "[")
    else if (all === "") break
  }
  return finish(trimmed, open, code)
}

function toggle(open: Open[], mark: string, at: number, text: string): void {
  const before = text[at - 1] ?? " "
  const after = text[at + mark.length] ?? " "
  const last = open.findLast((one) => one.mark === mark)
  if (last !== undefined && !/\s/.test(before)) {
    dropLast(open, mark)
    return
  }
  // An underscore inside a word and a star between spaces mark nothing.
  const inWord = mark.startsWith("_") && /[\p{L}\p{N}]/u.test(before)
  if (!inWord && !/\s/.test(after)) open.push({ mark, at })
}

function dropLast(open: Open[], mark: string): void {
  const place = open.findLastIndex((one) => one.mark === mark)
  if (place >= 0) open.splice(place, 1)
}

/** A link whose address is still being written shows its words. */
function withoutTarget(text: string, open: readonly Open[], at: number): string {
  const start = open.findLast((one) => one.mark === "[")?.at
  if (start === undefined) return text.slice(0, at) + text.slice(at + 1)
  const words = text.slice(start, at).replace(/^!?\[/, "")
  return text.slice(0, start) + words
}

function finish(text: string, open: readonly Open[], code: Open | undefined): string {
  let out = text
  const brackets = open.filter(({ mark }) => mark === "[")
  const marks = open.filter(({ mark }) => mark !== "[")
  // A task's box and a note's mark look like links that were begun.
  const loose = brackets.findLast(({ at }) => !/^!?\[[ x^]?/.exec(text.slice(at, at + 3))?.[0].match(/\[[ x^]$/))
  if (code !== undefined) out += text.endsWith("`") ? " " + code.mark : code.mark
  for (const { mark } of marks.toReversed()) out = out.trimEnd() + mark
  if (loose !== undefined) out = out.slice(0, loose.at) + out.slice(loose.at).replace(/^!?\[/, "")
  return out
}
