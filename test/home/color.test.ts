import { describe, expect, test } from "bun:test"
import {
  ansi16,
  appearanceOf,
  contrast,
  mix,
  parseHex,
  readableOn,
  rgbOf,
  rgbOfIndex,
  to16,
  to256,
  toHex,
} from "../../src/home/color.ts"

test("hex comes in four lengths and in no other", () => {
  expect(parseHex("#fff")).toEqual({ rgb: [255, 255, 255], alpha: 1 })
  expect(parseHex("#1A2b3C")).toEqual({ rgb: [26, 43, 60], alpha: 1 })
  expect(parseHex("#0000")?.alpha).toBe(0)
  expect(parseHex("#11223380")?.alpha).toBeCloseTo(0.5, 2)
  for (const text of ["fff", "#ff", "#fffff", "#fffffff", "#ggg", "#ffffffff0"]) expect(parseHex(text)).toBeUndefined()
})

test("a colour goes through hex unchanged", () => {
  for (const hex of ["#000000", "#ffffff", "#123456", "#0a0b0c"] as const) {
    expect(toHex(rgbOf(hex) ?? [1, 2, 3])).toBe(hex)
  }
})

describe("the 256 colours", () => {
  test("are sixteen of the person's, a cube and a ramp of greys", () => {
    expect(rgbOfIndex(9)).toEqual([255, 0, 0])
    expect(rgbOfIndex(16)).toEqual([0, 0, 0])
    expect(rgbOfIndex(231)).toEqual([255, 255, 255])
    expect(rgbOfIndex(110)).toEqual([135, 175, 215])
    expect(rgbOfIndex(232)).toEqual([8, 8, 8])
    expect(rgbOfIndex(255)).toEqual([238, 238, 238])
  })

  test("hold themselves: each of the fixed ones is nearest to itself", () => {
    for (let index = 16; index < 256; index++) {
      expect(rgbOfIndex(Number(to256(toHex(rgbOfIndex(index)))))).toEqual(rgbOfIndex(index))
    }
  })

  test("never stand for the sixteen that the person may have changed", () => {
    for (const hex of ["#cd0000", "#5c5cff", "#7f7f7f"] as const) expect(Number(to256(hex))).toBeGreaterThanOrEqual(16)
  })

  test("leave none and numbers alone", () => {
    expect(to256("none")).toBe("none")
    expect(to256(4)).toBe(4)
  })
})

test("the sixteen colours are chosen from what the terminal told", () => {
  expect(to16("#ff0000")).toBe(9)
  expect(to16("#ff0000", ansi16.with(2, [255, 0, 0]).with(9, [0, 0, 0]))).toBe(2)
  expect(to16(231)).toBe(15)
  expect(to16(3)).toBe(3)
  expect(to16("none")).toBe("none")
})

test("contrast is that of WCAG", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5)
  expect(contrast([255, 255, 255], [118, 118, 118])).toBeCloseTo(4.54, 2)
  expect(contrast([7, 7, 7], [7, 7, 7])).toBe(1)
  expect(readableOn([250, 220, 90])).toBe("#000000")
  expect(readableOn([20, 30, 90])).toBe("#ffffff")
})

test("a mix has its ends, and what lies between", () => {
  expect(mix([0, 0, 0], [200, 100, 50], 0)).toEqual([0, 0, 0])
  expect(mix([0, 0, 0], [200, 100, 50], 1)).toEqual([200, 100, 50])
  expect(mix([0, 0, 0], [200, 100, 50], 0.5)).toEqual([100, 50, 25])
})

test("a background is dark or light", () => {
  expect(["#ffffff", "#fdf6e3"].map((hex) => appearanceOf(rgbOf(hex as `#${string}`) ?? [0, 0, 0]))).toEqual([
    "light",
    "light",
  ])
  expect(["#000000", "#002b36", "#282c34"].map((hex) => appearanceOf(rgbOf(hex as `#${string}`) ?? [0, 0, 0]))).toEqual(
    ["dark", "dark", "dark"],
  )
})
