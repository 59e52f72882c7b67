/** Colours as themes write them, and what terminals and eyes make of them. */

/** `none` is the terminal's own colour; a number is one of its 256; hex is `#rrggbb`, small letters. */
export type Color = "none" | number | `#${string}`
