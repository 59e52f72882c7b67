/** Tags of a session: words by which a person finds it again. One form for each, so that what is typed here is found there. */

/** More than that is no tag but a note. */
const tagCharactersMax = 40
const tagsMax = 20

/** The tags in what a person typed: words between blanks and commas, with or without `#`, in small letters, each once, in their order. */
export function tagsFrom(text: string): readonly string[] {
  const words = text
    .split(/[\s,]+/)
    .map((word) => [...word.replace(/^#+/, "").toLowerCase()].slice(0, tagCharactersMax).join(""))
    .filter((word) => word !== "")
  return [...new Set(words)].slice(0, tagsMax)
}

/** As they are shown and typed. */
export function tagsText(tags: readonly string[]): string {
  return tags.map((tag) => `#${tag}`).join(" ")
}

/** Whether a session has all that is asked for. */
export function hasTags(tags: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((tag) => tags.includes(tag))
}
