/**
 * Colours of code, when they are there.
 *
 * - Asking never waits: the answer is the coloured lines, or that they will come, or that they never will; plain text is shown meanwhile.
 * - What is asked twice is made once; the newest answers are kept (`keptMax` code units in all).
 */
import type { Span } from "../rows/row.ts"

export type CodeLines = readonly (readonly Span[])[]

export type Highlighter = {
  /** `code` holds no `\r` and no final newline. */
  lookup(language: string, code: string): CodeLines | "pending" | null
  /** Hears that colours came which someone was waiting for. */
  watch(listener: () => void): () => void
}

/** For tests and for where colours cannot be made. */
export const plainHighlighter: Highlighter = { lookup: () => null, watch: () => () => {} }
