/**
 * Theme roles as the colours of a terminal: once per change of theme, never per frame.
 *
 * - A theme is first fitted to what the terminal can show; panels get the fitted one, so nobody below asks for the depth again.
 * - `none` is the terminal's own foreground or background, so a theme without a background shows what the person's terminal has.
 */
import { RGBA } from "@opentui/core"
import { appearanceOf, mix, parseHex, to16, to256, toHex, type Color, type Rgb } from "../home/color.ts"
import { roleInfo, roleNames, type Role } from "../home/roles.ts"
import type { Appearance, Theme } from "../home/theme.ts"
import type { ColorDepth } from "./options.ts"

/** `theme` in the colours that a terminal of `depth` has. */
export function fitTheme(theme: Theme, depth: ColorDepth): Theme {
  if (depth === "truecolor") return theme
  const fit = (color: Color): Color => (depth === "none" ? "none" : depth === "16" ? to16(color) : to256(color))
  const colors = Object.fromEntries(roleNames.map((role) => [role, fit(theme.colors[role])])) as Record<Role, Color>
  // Sixteen colours have no shades to put behind text: two that are alike would hide it, so surfaces are the terminal's own.
  if (depth === "16") for (const role of quietSurfaces) colors[role] = "none"
  return { ...theme, colors }
}

const quietSurfaces = roleNames.filter(
  (role) => roleInfo(role).kind === "surface" && !["searchMatch", "searchCurrent", "selection", "badge"].includes(role),
)

/** True where colours cannot tell things apart: what is chosen is then drawn inverse. */
export function isMono(theme: Theme): boolean {
  return theme.colors.primary === "none" && theme.colors.text === "none" && theme.colors.error === "none"
}

/** A colour for the renderer; `ground` says which of the terminal's own `none` means. */
export function toRgba(color: Color, ground: "foreground" | "background"): RGBA {
  if (color === "none") return ground === "foreground" ? RGBA.defaultForeground() : RGBA.defaultBackground()
  return typeof color === "number" ? RGBA.fromIndex(color) : RGBA.fromHex(color)
}

export type Ink = Readonly<Record<Role, RGBA>>

/** Every role as the renderer takes it. */
export function inkOf(theme: Theme): Ink {
  const entries = roleNames.map((role) => {
    const ground = roleInfo(role).kind === "surface" ? "background" : "foreground"
    return [role, toRgba(theme.colors[role], ground)]
  })
  return Object.fromEntries(entries) as Record<Role, RGBA>
}

/** What a terminal said of its own colours. Entries are missing where it did not. */
export type TerminalColors = {
  readonly palette: readonly (string | null)[]
  readonly defaultForeground: string | null
  readonly defaultBackground: string | null
}

const rgb = (hex: string | null | undefined): Rgb | undefined => (hex ? parseHex(hex)?.rgb : undefined)

/** The terminal's appearance, where it told its background. */
export function terminalAppearance(colors: TerminalColors): Appearance | undefined {
  const background = rgb(colors.defaultBackground)
  return background && appearanceOf(background)
}

/** How much of a colour is behind a changed line: enough to see, little enough to read on. */
const diffTint = { dark: 0.22, light: 0.14 }

/** Numbers of the terminal's own sixteen colours, by what they are used for. */
const own = {
  primary: { dark: 12, light: 4 },
  secondary: { dark: 14, light: 6 },
  accent: { dark: 13, light: 5 },
  error: { dark: 9, light: 1 },
  warning: { dark: 11, light: 3 },
  success: { dark: 10, light: 2 },
  info: { dark: 14, light: 6 },
} as const satisfies Partial<Record<Role, Record<Appearance, number>>>

/**
 * A theme of the terminal's own colours: its foreground and background as they are, its palette for accents, greys mixed between the two.
 * `base` gives what the palette cannot.
 */
export function systemTheme(base: Theme, colors: TerminalColors): Theme {
  const { appearance } = base
  const front = rgb(colors.defaultForeground)
  const back = rgb(colors.defaultBackground)
  const grey = (part: number, fallback: Color): Color => (front && back ? toHex(mix(back, front, part)) : fallback)
  const tint = (index: number, unknown: Color = "none"): Color => {
    const over = rgb(colors.palette[index])
    return over && back ? toHex(mix(back, over, diffTint[appearance])) : unknown
  }
  const ownColors = Object.fromEntries(Object.entries(own).map(([role, numbers]) => [role, numbers[appearance]]))
  const set: Partial<Record<Role, Color>> = {
    ...ownColors,
    text: "none",
    background: "none",
    backgroundPanel: "none",
    backgroundElement: grey(0.08, "none"),
    backgroundMenu: grey(0.1, "none"),
    userMessage: grey(0.1, "none"),
    // The eighth of sixteen is the background itself in some palettes: unknown, it is only good for lines.
    textMuted: grey(0.62, "none"),
    border: grey(0.3, 8),
    borderActive: own.primary[appearance],
    borderSubtle: grey(0.18, 8),
    selectedListItemText: appearance === "dark" ? 0 : 15,
    selection: grey(0.28, 8),
    // A match has to be seen, also where the terminal told nothing of its colours.
    searchMatch: tint(3, 8),
    diffAddedBg: tint(2),
    diffRemovedBg: tint(1),
    diffContextBg: "none",
    diffAddedLineNumberBg: tint(2),
    diffRemovedLineNumberBg: tint(1),
  }
  return { name: "system", appearance, colors: followed({ ...base.colors, ...set }, new Set(Object.keys(set))) }
}

/** Roles that `base` set by itself follow their fallback where that is one of the terminal's own. */
function followed(colors: Record<Role, Color>, set: ReadonlySet<string>): Record<Role, Color> {
  const resolve = (role: Role): Color => {
    const { fallback } = roleInfo(role)
    if (set.has(role) || typeof fallback !== "string") return colors[role]
    return resolve(fallback as Role)
  }
  return Object.fromEntries(roleNames.map((role) => [role, resolve(role)])) as Record<Role, Color>
}
