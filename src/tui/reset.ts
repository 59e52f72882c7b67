/**
 * What gives a terminal back when nobody could: after a kill, for the command that repairs.
 *
 * Ends every mode that the screen sets: synchronized output, mouse, focus and paste reports, colour scheme reports, alternate screen, keyboard
 * protocols; and shows the cursor, in its own shape and colour, with plain text. Harmless on a terminal that is as it should be.
 */
export const resetSequence = [
  "\x1b[?2026l",
  "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l",
  "\x1b[?1004l\x1b[?2004l\x1b[?2027l\x1b[?2031l\x1b[?2048l",
  "\x1b[<99u\x1b[=0u\x1b[>4;0m",
  "\x1b[?1049l",
  "\x1b[0m\x1b[0 q\x1b]112\x07\x1b[?7h\x1b[?25h",
].join("")
