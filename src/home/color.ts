/** Colours as themes write them, and what terminals and eyes make of them. */

/** `none` is the terminal's own colour; a number is one of its 256; hex is `#rrggbb`, small letters. */
export type Color = "none" | number | `#${string}`

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number]

/** The sixteen colours of a terminal that was not asked for its own: the values that xterm ships. */
export const ansi16: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
]

const cubeSteps = [0, 95, 135, 175, 215, 255] as const

/** Where the colour cube begins among the 256; the grey ramp has the last 24. */
const cubeStart = 16
const greyStart = 232

/** `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa` as colour and alpha (0 to 1); undefined for anything else. */
export function parseHex(text: string): { readonly rgb: Rgb; readonly alpha: number } | undefined {
  const digits = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text)?.[1]
  if (digits === undefined) return undefined
  const long = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join("") : digits
  const part = (at: number): number => parseInt(long.slice(at, at + 2), 16)
  return { rgb: [part(0), part(2), part(4)], alpha: long.length === 8 ? part(6) / 255 : 1 }
}

export function toHex(rgb: Rgb): `#${string}` {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`
}

/** The colour of one of the 256. */
export function rgbOfIndex(index: number): Rgb {
  if (index < cubeStart) return ansi16[index] ?? [0, 0, 0]
  if (index >= greyStart) {
    const grey = 8 + (index - greyStart) * 10
    return [grey, grey, grey]
  }
  const place = index - cubeStart
  const step = (unit: number): number => cubeSteps[Math.floor(place / unit) % 6] ?? 0
  return [step(36), step(6), step(1)]
}

/** What a colour looks like; undefined for `none`, which only the terminal knows. */
export function rgbOf(color: Color): Rgb | undefined {
  if (color === "none") return undefined
  return typeof color === "number" ? rgbOfIndex(color) : parseHex(color)?.rgb
}

function distance(a: Rgb, b: Rgb): number {
  // Weighted by what the eye tells apart: a red mean, after the usual low-cost approximation.
  const mean = (a[0] + b[0]) / 2
  const [red, green, blue] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
  return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue
}

function nearest(rgb: Rgb, palette: readonly Rgb[]): number {
  let best = 0
  for (let index = 1; index < palette.length; index++) {
    if (distance(rgb, palette[index] ?? rgb) < distance(rgb, palette[best] ?? rgb)) best = index
  }
  return best
}

const fixed240: readonly Rgb[] = Array.from({ length: 240 }, (_, place) => rgbOfIndex(place + cubeStart))

/** The nearest of the 240 colours that are the same on every terminal; the first sixteen are the person's own and are left alone. */
export function to256(color: Color): "none" | number {
  if (typeof color === "number" || color === "none") return color
  const rgb = rgbOf(color)
  return rgb === undefined ? "none" : cubeStart + nearest(rgb, fixed240)
}

/** The nearest of sixteen; `palette` is the terminal's own where it told. */
export function to16(color: Color, palette: readonly Rgb[] = ansi16): "none" | number {
  if (color === "none" || (typeof color === "number" && color < cubeStart)) return color
  const rgb = rgbOf(color)
  return rgb === undefined ? "none" : nearest(rgb, palette)
}

/** `part` of `over` in `under`: 0 is all `under`, 1 all `over`. */
export function mix(under: Rgb, over: Rgb, part: number): Rgb {
  const blend = (place: 0 | 1 | 2): number => Math.round(under[place] + (over[place] - under[place]) * part)
  return [blend(0), blend(1), blend(2)]
}

/** Relative luminance, 0 to 1, as WCAG 2 defines it. */
export function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast as WCAG 2 defines it, 1 to 21; text that is read needs 4.5. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white, whichever is read better on `rgb`. */
export function readableOn(rgb: Rgb): `#${string}` {
  return contrast(rgb, [0, 0, 0]) >= contrast(rgb, [255, 255, 255]) ? "#000000" : "#ffffff"
}

/** A terminal's appearance from its background colour. */
export function appearanceOf(background: Rgb): "dark" | "light" {
  return luminance(background) > 0.18 ? "light" : "dark"
}
