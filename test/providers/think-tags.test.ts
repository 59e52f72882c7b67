import { expect, test } from "bun:test"
import { ThinkTags, type Tagged } from "../../src/providers/think-tags.ts"

/** What was reasoning and what was text, joined. */
function read(text: string, size: number): { readonly thinking: string; readonly text: string } {
  const tags = new ThinkTags()
  const pieces: Tagged[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(...tags.push(text.slice(at, at + size)))
  pieces.push(...tags.end())
  return pieces.reduce(
    (sum, piece) => {
      if (piece.kind === "was thinking") return { thinking: sum.thinking + sum.text, text: "" }
      return { ...sum, [piece.kind]: sum[piece.kind] + piece.text }
    },
    { thinking: "", text: "" },
  )
}

const texts: readonly [string, string, string][] = [
  ["<think>hm</think>yes", "hm", "yes"],
  ["\n <think>hm</think>\n\nyes", "hm", "yes"],
  ["yes, <think> is a tag", "", "yes, <think> is a tag"],
  ["plain < text", "", "plain < text"],
  ["<thin", "", "<thin"],
  ["<think>never closed", "never closed", ""],
  ["pre-filled</think>yes", "pre-filled", "yes"],
  ["<think>a</think>b</think>c", "a", "b</think>c"],
  ["", "", ""],
]

test.each(texts)("%j is split the same way whatever the cuts", (text, thinking, rest) => {
  // A cut right behind the close leaves the white space after it to the text.
  for (let size = 1; size <= text.length + 1; size++) {
    const found = read(text, size)
    expect({ thinking: found.thinking, text: found.text.trimStart() }).toEqual({ thinking, text: rest })
  }
})
