/**
 * A theme: a colour for every role, resolved from the files of the person and those in the binary.
 *
 * - A file is one of opencode's v1 theme files (`defs`, `theme`), which load as they are, with `extends` and our further roles beside.
 * - A value is `#rgb` or `#rrggbb`, 0 to 255, `none` or `transparent`, the name of a def or a role, or `{dark, light}` of these.
 * - Resolving never throws for what a file says: the answer is a theme, or problems with file, line and column.
 */
import type { Color } from "./color.ts"
import type { Problem } from "./problem.ts"
import type { Role } from "./roles.ts"

export type Appearance = "dark" | "light"

export type Theme = {
  readonly name: string
  readonly appearance: Appearance
  readonly colors: Readonly<Record<Role, Color>>
}

/** A theme file by its name: where it is, for messages, and what it says. */
export type ThemeSource = { readonly file: string; readonly text: string }

export type ThemeSources = Readonly<Record<string, ThemeSource>>

export type ThemeResult = { readonly theme: Theme } | { readonly problem: Problem }
