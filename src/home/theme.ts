/**
 * A theme: a colour for every role, resolved from the files of the person and those in the binary.
 *
 * - A file is one of opencode's v1 theme files (`defs`, `theme`), which load as they are, with `extends` and our further roles beside.
 * - A value is `#rgb` or `#rrggbb` (with an alpha, which is mixed with the background), 0 to 255, `none` or `transparent`, the name of a def
 *   or a role, or `{dark, light}` of these. A file's defs replace those of the theme that it extends, also for what that theme made of them.
 * - Resolving never throws for what a file says: the answer is a theme with notices, or the problem, with file, line and column.
 */
import { assert } from "../std/assert.ts"
import { catchProblem, FileProblem, readChain, type Sources } from "./chain.ts"
import { contrast, mix, parseHex, readableOn, rgbOf, toHex, type Color, type Rgb } from "./color.ts"
import { problemAt, propertiesOf, propertyOf, suggestion, type Document, type Node } from "./jsonc.ts"
import type { Problem } from "./problem.ts"
import { isRole, roleInfo, roleNames, type Role } from "./roles.ts"

export type Appearance = "dark" | "light"

export type Theme = {
  readonly name: string
  readonly appearance: Appearance
  readonly colors: Readonly<Record<Role, Color>>
}

/** `notices` are names in the file that mean nothing: the theme works without them. */
export type ThemeResult =
  { readonly theme: Theme; readonly notices: readonly Problem[] } | { readonly problem: Problem }

type Entry = { readonly document: Document; readonly node: Node }

/** The files of a theme laid over each other, the one that extends on top. */
type Layers = {
  readonly defs: ReadonlyMap<string, Entry>
  readonly roles: ReadonlyMap<string, Entry>
  readonly opacity: number | undefined
  readonly notices: readonly Problem[]
}

function fail(document: Document, node: Node, message: string): never {
  throw new FileProblem(problemAt(document, node, message))
}

function entriesOf(document: Document, name: string): ReadonlyMap<string, Entry> {
  const property = propertyOf(document.root, name)
  if (property === undefined) return new Map()
  if (property.value.type !== "object") fail(document, property.value, `\`${name}\` has to be an object, { … }`)
  return new Map(propertiesOf(property.value).map(({ name: key, value }) => [key, { document, node: value }]))
}

const topNames = ["$schema", "name", "version", "extends", "defs", "theme"]

function unknownNames(document: Document, roles: ReadonlyMap<string, Entry>): readonly Problem[] {
  const tops = propertiesOf(document.root)
    .filter(({ name }) => !topNames.includes(name))
    .map(({ name, key }) => problemAt(document, key, `\`${name}\` means nothing here${suggestion(name, topNames)}`))
  const keys = propertiesOf(propertyOf(document.root, "theme")?.value)
  const unknown = keys
    .filter(({ name }) => roles.has(name) && !isRole(name))
    .map(({ name, key }) => problemAt(document, key, `\`${name}\` is no role of a theme${suggestion(name, roleNames)}`))
  return [...tops, ...unknown]
}

/** The only version of theme files that can be read; files that do not say are of it. */
const themeVersion = 1

function readLayer(document: Document): Layers {
  const version = propertyOf(document.root, "version")
  if (version !== undefined && version.value.value !== themeVersion) {
    fail(document, version.value, `only theme files of version ${themeVersion} can be read; leave \`version\` out`)
  }
  const roles = new Map(entriesOf(document, "theme"))
  const opacity: unknown = roles.get("thinkingOpacity")?.node.value
  roles.delete("thinkingOpacity")
  return {
    defs: entriesOf(document, "defs"),
    roles,
    opacity: typeof opacity === "number" ? opacity : undefined,
    notices: unknownNames(document, roles),
  }
}

function layOver(under: Layers, over: Layers): Layers {
  return {
    defs: new Map([...under.defs, ...over.defs]),
    roles: new Map([...under.roles, ...over.roles]),
    opacity: over.opacity ?? under.opacity,
    notices: [...over.notices, ...under.notices],
  }
}

/** A resolved value: `alpha` below 1 is still to be mixed with the background. */
type Paint = { readonly color: Color; readonly alpha: number }

class Resolver {
  readonly #layers: Layers
  readonly #appearance: Appearance
  readonly #done = new Map<Role, Color>()
  readonly #busy = new Set<Role>()

  constructor(layers: Layers, appearance: Appearance) {
    this.#layers = layers
    this.#appearance = appearance
  }

  role(role: Role): Color {
    const known = this.#done.get(role)
    if (known !== undefined) return known
    if (this.#busy.has(role)) this.#circle(role)
    this.#busy.add(role)
    const entry = this.#layers.roles.get(role)
    const color = entry === undefined ? this.#fallback(role) : this.#flatten(role, this.#value(entry, [role]))
    this.#busy.delete(role)
    this.#done.set(role, color)
    return color
  }

  /** A file's role that refers to one which falls back to it: fallbacks alone make no circle. */
  #circle(role: Role): never {
    const trail = [...this.#busy].slice([...this.#busy].indexOf(role))
    const entry = trail.map((name) => this.#layers.roles.get(name)).find((found) => found !== undefined)
    assert(entry !== undefined, `roles fall back to each other in a circle: ${trail.join(" → ")}`)
    fail(entry.document, entry.node, `colours refer to each other in a circle: ${[...trail, role].join(" → ")}`)
  }

  #value(entry: Entry, trail: readonly string[]): Paint {
    const { document, node } = entry
    if (node.type === "object") {
      const side =
        propertyOf(node, this.#appearance) ?? propertyOf(node, this.#appearance === "dark" ? "light" : "dark")
      if (side === undefined) fail(document, node, 'a colour for two appearances is written {"dark": …, "light": …}')
      return this.#value({ document, node: side.value }, trail)
    }
    if (node.type === "number") {
      const index: unknown = node.value
      if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index <= 255)
        return { color: index, alpha: 1 }
      fail(document, node, `${String(index)} is no colour of a terminal; they go from 0 to 255`)
    }
    if (node.type !== "string")
      fail(document, node, 'a colour is text, a number from 0 to 255, or {"dark": …, "light": …}')
    return this.#named(entry, String(node.value), trail)
  }

  #named({ document, node }: Entry, text: string, trail: readonly string[]): Paint {
    if (text === "none" || text === "transparent") return { color: "none", alpha: 1 }
    if (text.startsWith("#")) {
      const hex = parseHex(text)
      if (hex === undefined) fail(document, node, `\`${text}\` is no colour; write # and 3 or 6 hex digits`)
      return hex.alpha === 0 ? { color: "none", alpha: 1 } : { color: toHex(hex.rgb), alpha: hex.alpha }
    }
    // A def may have the name of the role that refers to it; defs come first.
    const def = trail.includes(`defs.${text}`) ? undefined : this.#layers.defs.get(text)
    if (def !== undefined) return this.#value(def, [...trail, `defs.${text}`])
    const next = this.#layers.roles.get(text)
    if (trail.includes(text) || (next === undefined && trail.includes(`defs.${text}`))) {
      fail(document, node, `colours refer to each other in a circle: ${[...trail, text].join(" → ")}`)
    }
    if (next !== undefined) return this.#value(next, [...trail, text])
    if (isRole(text)) return { color: this.role(text), alpha: 1 }
    const near = suggestion(text, [...this.#layers.defs.keys(), ...roleNames])
    return fail(document, node, `\`${text}\` is neither a colour nor a name in \`defs\` or \`theme\`${near}`)
  }

  #flatten(role: Role, paint: Paint): Color {
    if (paint.alpha === 1) return paint.color
    const over = rgbOf(paint.color)
    const under = role === "background" ? undefined : rgbOf(this.role("background"))
    return over === undefined || under === undefined ? paint.color : toHex(mix(under, over, paint.alpha))
  }

  #fallback(role: Role): Color {
    const made = this.#derived(role)
    if (made !== undefined) return made
    const { fallback } = roleInfo(role)
    if (typeof fallback !== "string") return fallback[this.#appearance]
    return isRole(fallback) ? this.role(fallback) : "none"
  }

  /** What is better made from the theme's own colours than taken over from another role; the background is looked at only where it is needed. */
  #derived(role: Role): Color | undefined {
    const seen = (other: Role): Rgb | undefined => rgbOf(this.role(other))
    const { opacity } = this.#layers
    const { tint } = roleInfo(role)
    if (role === "selectedListItemText") {
      const primary = seen("primary")
      const background = seen("background")
      if (primary === undefined) return undefined
      const readable = background !== undefined && contrast(background, primary) >= readableContrast
      return readable ? undefined : readableOn(primary)
    }
    if (role === "thinking" && opacity !== undefined) {
      return blend(seen("background"), seen("text"), Math.min(1, Math.max(0, opacity)))
    }
    if (tint === undefined || !isRole(tint.role)) return undefined
    return blend(seen("background"), seen(tint.role), tint.part)
  }
}

function blend(under: Rgb | undefined, over: Rgb | undefined, part: number): Color | undefined {
  return under === undefined || over === undefined ? undefined : toHex(mix(under, over, part))
}

/** What WCAG asks of text. */
export const readableContrast = 4.5

/** The theme of that name for dark or light; `sources` hold all themes there are. */
export function resolveTheme(name: string, appearance: Appearance, sources: Sources): ThemeResult {
  return catchProblem(() => {
    const layers = readChain(name, sources, "theme").toReversed().map(readLayer).reduce(layOver)
    const resolver = new Resolver(layers, appearance)
    const colors = Object.fromEntries(roleNames.map((role) => [role, resolver.role(role)])) as Record<Role, Color>
    return { theme: { name, appearance, colors }, notices: layers.notices }
  })
}

/** Text that cannot be read: each text role with each surface it stands on, below the contrast that is asked for. */
export function unreadable(
  theme: Theme,
): readonly { readonly text: Role; readonly on: Role; readonly contrast: number }[] {
  return roleNames.flatMap((text) =>
    roleInfo(text).on.flatMap((on) => {
      const over = rgbOf(theme.colors[text])
      const under = isRole(on) ? rgbOf(theme.colors[on]) : undefined
      if (over === undefined || under === undefined || !isRole(on)) return []
      const found = contrast(over, under)
      return found < readableContrast ? [{ text, on, contrast: found }] : []
    }),
  )
}

/** The theme that a setting means: `light/dark` is a pair, its first for light backgrounds and its second for dark ones. */
export function themeNameFor(setting: string, appearance: Appearance): string {
  const [light = setting, dark = setting] = setting.split("/")
  return appearance === "light" ? light : dark
}
