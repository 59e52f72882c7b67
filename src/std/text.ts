/** Widths. */
export type WidthMethod = "unicode" | "wcwidth"
