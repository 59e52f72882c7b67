/**
 * The one table of what a theme colours; resolver, help and documentation are made from it.
 *
 * - The first 52 roles are those of opencode's v1 theme files, by the same names; the rest are ours. A file may leave any of them out: each
 *   has a fallback, another role or, at the roots, a colour for dark and one for light.
 * - A `text` role is drawn on the surfaces of `on`, and every theme that is shipped keeps a contrast of at least 4.5 there.
 * - A `surface` is drawn behind text; `none` lets the terminal's own background through. A `line` is a border or a mark, never read.
 */
export type RoleInfo = {
  readonly kind: "text" | "surface" | "line"
  /** A role's name, or colours for the two appearances. */
  readonly fallback: string | { readonly dark: `#${string}` | "none"; readonly light: `#${string}` | "none" }
  readonly help: string
  readonly on: readonly string[]
  /** Where the background is known, the fallback is this much of that role in it, so that it fits the theme. */
  readonly tint?: { readonly role: string; readonly part: number }
}

type Fallback = RoleInfo["fallback"]

const surface = (fallback: Fallback, help: string): RoleInfo => ({ kind: "surface", fallback, help, on: [] })
const tinted = (fallback: Fallback, role: string, part: number, help: string): RoleInfo => ({
  ...surface(fallback, help),
  tint: { role, part },
})
const line = (fallback: Fallback, help: string): RoleInfo => ({ kind: "line", fallback, help, on: [] })
const text = (fallback: Fallback, help: string, on: readonly string[] = ["background"]): RoleInfo => ({
  kind: "text",
  fallback,
  help,
  on,
})

const everywhere = ["background", "backgroundPanel", "backgroundElement", "backgroundMenu"]
const paper = ["background", "backgroundPanel"]
/** Code stands in answers, in the editor and in diffs. */
const code = ["background", "backgroundPanel", "backgroundElement", "diffAddedBg", "diffRemovedBg", "diffContextBg"]

export const roles = {
  primary: text({ dark: "#8ab4f8", light: "#1a56b0" }, "The main accent: the agent's name, a chosen item.", paper),
  secondary: text("primary", "The second accent: models, modes, keys.", paper),
  accent: text("primary", "The third accent: marks that should be found at a glance.", paper),
  error: text({ dark: "#f28b82", light: "#b3261e" }, "What went wrong.", paper),
  warning: text({ dark: "#e8c468", light: "#7a5200" }, "What needs a look.", paper),
  success: text({ dark: "#81c995", light: "#1b6e3c" }, "What went well.", paper),
  info: text("primary", "What is worth knowing.", paper),
  text: text({ dark: "#e4e4e7", light: "#1c1c1f" }, "Ordinary text.", [
    ...everywhere,
    "userMessage",
    "searchMatch",
    "selection",
  ]),
  textMuted: text({ dark: "#a3a3ad", light: "#595962" }, "Text that steps back: hints, times, paths.", everywhere),
  selectedListItemText: text("background", "Text of the chosen item of a list, which stands on `primary`.", [
    "primary",
    "searchCurrent",
    "badge",
  ]),
  background: surface({ dark: "#141416", light: "#fbfbfa" }, "Behind everything."),
  backgroundPanel: surface("background", "Behind side panels and dialogs."),
  backgroundElement: surface("backgroundPanel", "Behind the editor and other things that take input."),
  backgroundMenu: surface("backgroundElement", "Behind completion and menus."),
  border: line("textMuted", "Lines between things."),
  borderActive: line("primary", "Lines around what is active."),
  borderSubtle: line("border", "Lines that should hardly be seen."),
  diffAdded: text("success", "Added lines of a diff.", ["diffAddedBg"]),
  diffRemoved: text("error", "Removed lines of a diff.", ["diffRemovedBg"]),
  diffContext: text("textMuted", "Unchanged lines of a diff.", ["diffContextBg"]),
  diffHunkHeader: text("textMuted", "The line that opens a hunk.", ["background"]),
  diffHighlightAdded: text("diffAdded", "The changed words of an added line.", ["diffAddedBg"]),
  diffHighlightRemoved: text("diffRemoved", "The changed words of a removed line.", ["diffRemovedBg"]),
  diffAddedBg: surface("background", "Behind added lines."),
  diffRemovedBg: surface("background", "Behind removed lines."),
  diffContextBg: surface("background", "Behind unchanged lines."),
  diffLineNumber: text("textMuted", "Line numbers of a diff.", [
    "diffContextBg",
    "diffAddedLineNumberBg",
    "diffRemovedLineNumberBg",
  ]),
  diffAddedLineNumberBg: surface("diffAddedBg", "Behind the numbers of added lines."),
  diffRemovedLineNumberBg: surface("diffRemovedBg", "Behind the numbers of removed lines."),
  markdownText: text("text", "Prose of an answer.", paper),
  markdownHeading: text("primary", "Headings.", paper),
  markdownLink: text("info", "The address of a link.", paper),
  markdownLinkText: text("primary", "The words of a link.", paper),
  markdownCode: text("success", "Code inside a line.", paper),
  markdownBlockQuote: text("textMuted", "Quotes.", paper),
  markdownEmph: text("markdownText", "Emphasis.", paper),
  markdownStrong: text("markdownText", "Strong emphasis.", paper),
  markdownHorizontalRule: line("border", "Rules across the page."),
  markdownListItem: text("primary", "The mark of a list item.", paper),
  markdownListEnumeration: text("primary", "The number of a list item.", paper),
  markdownImage: text("info", "The address of an image.", paper),
  markdownImageText: text("markdownLinkText", "The words of an image.", paper),
  markdownCodeBlock: text("text", "Code blocks in no known language.", paper),
  syntaxComment: text("textMuted", "Comments in code.", code),
  syntaxKeyword: text("accent", "Keywords.", code),
  syntaxFunction: text("primary", "Names of functions.", code),
  syntaxVariable: text("text", "Names of variables.", code),
  syntaxString: text("success", "Strings.", code),
  syntaxNumber: text("warning", "Numbers and constants.", code),
  syntaxType: text("secondary", "Names of types.", code),
  syntaxOperator: text("text", "Operators.", code),
  syntaxPunctuation: text("text", "Brackets, commas, semicolons.", code),

  searchMatch: tinted(
    { dark: "#4a4020", light: "#f5e3a0" },
    "warning",
    0.25,
    "Behind what a search found; the text on it is `text`.",
  ),
  searchCurrent: surface("warning", "Behind the match you are at; the text on it is `selectedListItemText`."),
  selection: tinted(
    { dark: "#2f4467", light: "#cfe0fb" },
    "primary",
    0.25,
    "Behind selected text, which stays `text`.",
  ),
  cursor: line("text", "The cursor in the editor."),
  thinking: text("textMuted", "Reasoning of the model.", paper),
  userMessage: surface("backgroundElement", "Behind what you said."),
  toolPending: text("warning", "The mark and title of a call that is running.", paper),
  toolDone: text("success", "The mark and title of a call that ended well.", paper),
  toolFailed: text("error", "The mark and title of a call that failed.", paper),
  notice: text("info", "Notices of the program itself.", paper),
  scrollbar: line("borderSubtle", "The track of the scrollbar."),
  scrollbarThumb: line("border", "The thumb of the scrollbar."),
  tabActive: text("primary", "The tab that is in front.", paper),
  focus: line("borderActive", "The border of the panel that hears the keys."),
  badge: surface("primary", "Behind small counts; the text on it is `selectedListItemText`."),
} as const satisfies Record<string, RoleInfo>

export type Role = keyof typeof roles

export const roleNames = Object.keys(roles) as readonly Role[]

export function isRole(name: string): name is Role {
  return Object.hasOwn(roles, name)
}

export function roleInfo(role: Role): RoleInfo {
  return roles[role]
}
