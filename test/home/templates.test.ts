import { expect, test } from "bun:test"
import { join } from "node:path"
import { expandTemplate, readTemplates, wordsOf } from "../../src/home/templates.ts"
import { tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

test("templates are named by their files, the first folder counts, and each says what it is for", () => {
  const root = tempFolder({
    "project/review.md": "---\ndescription: Look at a change\nargument-hint: <file> [what]\n---\nReview $1.",
    "own/review.md": "other",
    "own/plain.md": "\n# First line\n\nmore",
    "own/broken.md": "---\n[\n---\nx",
    "own/inner/deep.md": "not a direct child",
    "own/notes.txt": "no",
  })
  const { templates, notices } = readTemplates([join(root, "project"), join(root, "own"), join(root, "none")])
  expect(templates.map(({ name, description, hint }) => [name, description, hint])).toEqual([
    ["plain", "# First line", ""],
    ["review", "Look at a change", "<file> [what]"],
  ])
  expect(notices).toEqual([expect.stringContaining("broken.md was left out: its head is no YAML")])
})

test.each<[body: string, typed: string, sent: string]>([
  ["Review $1 for $2.", "a.ts speed now", "Review a.ts for speed."],
  ["All: $@", "one  two", "All: one two"],
  ["All: $ARGUMENTS!", "one two", "All: one two!"],
  ["All: ${@:-nothing}", "", "All: nothing"],
  ["${1:-main} to ${2:-prod}", "dev", "dev to prod"],
  ["${1} and ${10:-x}", "a", "a and x"],
  ["Rest: ${@:2} / ${@:2:1}", "a b c", "Rest: b c / b"],
  ["Said $1.", '"two words" more', "Said two words."],
  ["Said $2.", "it's fine", "Said fine."],
  ["Said $1.", "'$2 ${1:-x}' y", "Said $2 ${1:-x}."],
  ["Costs $0, or $$.", "", "Costs $0, or $$."],
  ["No place", "typed behind", "No place\n\ntyped behind"],
  ["No place", "  ", "No place"],
  ["Missing $3.", "a", "Missing ."],
])("%p with %p is sent as %p", (body, typed, sent) => {
  expect(expandTemplate({ body }, typed)).toBe(sent)
})

test("words are those of a shell, as far as a person types them", () => {
  expect(wordsOf(`a "b \\"c\\" d" 'e f' g"h "open`)).toEqual(["a", 'b "c" d', "e f", 'g"h', "open"])
  expect(wordsOf("  ")).toEqual([])
})
