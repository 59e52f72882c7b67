/**
 * Reasoning that comes as `<think>…</think>` inside the text.
 *
 * - Only at the very start, after white space; a tag may be cut anywhere by the deltas. Later tags are text: models write about them.
 * - A template may have sent the opening tag itself: then the close is the first that is seen, and what came before was reasoning.
 */
const open = "<think>"
const close = "</think>"

/** `was thinking`: all text so far was reasoning. */
export type Tagged =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "was thinking" }

/** How many characters at the end of `text` could be the beginning of `tag`. */
function heldBack(text: string, tag: string): number {
  for (let size = Math.min(text.length, tag.length - 1); size > 0; size--)
    if (tag.startsWith(text.slice(-size))) return size
  return 0
}

export class ThinkTags {
  #state: "start" | "thinking" | "first text" | "text" = "start"
  #held = ""

  push(delta: string): readonly Tagged[] {
    const text = this.#held + delta
    this.#held = ""
    switch (this.#state) {
      case "start":
        return this.#start(text)
      case "thinking":
        return this.#thinking(text)
      case "first text":
        return this.#firstText(text)
      case "text":
        return [{ kind: "text", text }]
    }
  }

  /** What was held back when the text ended. */
  end(): readonly Tagged[] {
    const text = this.#held
    this.#held = ""
    if (text === "") return []
    return [{ kind: this.#state === "thinking" ? "thinking" : "text", text }]
  }

  #start(text: string): readonly Tagged[] {
    const bare = text.trimStart()
    if (open.startsWith(bare)) {
      this.#held = text
      return []
    }
    if (!bare.startsWith(open)) {
      this.#state = "first text"
      return this.#firstText(text)
    }
    this.#state = "thinking"
    return this.#thinking(bare.slice(open.length))
  }

  #thinking(text: string): readonly Tagged[] {
    const [thought, rest] = this.#split(text)
    if (rest === undefined) return [{ kind: "thinking", text: thought }]
    return [{ kind: "thinking", text: thought }, ...this.#after(rest)]
  }

  #firstText(text: string): readonly Tagged[] {
    const [said, rest] = this.#split(text)
    if (rest === undefined) return [{ kind: "text", text: said }]
    return [{ kind: "text", text: said }, { kind: "was thinking" }, ...this.#after(rest)]
  }

  #after(rest: string): readonly Tagged[] {
    this.#state = "text"
    const text = rest.replace(/^\s+/, "")
    return text === "" ? [] : [{ kind: "text", text }]
  }

  /** What is before the closing tag and, where it came, what is behind it. */
  #split(text: string): readonly [string, string | undefined] {
    const at = text.indexOf(close)
    if (at >= 0) return [text.slice(0, at), text.slice(at + close.length)]
    const size = heldBack(text, close)
    this.#held = text.slice(text.length - size)
    return [text.slice(0, text.length - size), undefined]
  }
}
