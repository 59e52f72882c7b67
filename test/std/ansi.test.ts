import { expect, test } from "bun:test"
import { parseAnsi, type AnsiStyle } from "../../src/std/ansi.ts"

const esc = "\x1b["

function lines(text: string, style?: AnsiStyle): readonly string[] {
  return parseAnsi(text, style).lines.map((line) =>
    line
      .map(({ text: shown, style: own }) => {
        const names = Object.entries(own).map(([name, value]) => (value === true ? name : `${name}=${value}`))
        return names.length === 0 ? shown : `<${names.join(" ")}|${shown}>`
      })
      .join(""),
  )
}

test("colours and attributes become styles, and end where they were ended", () => {
  expect(lines(`${esc}1;31mred${esc}22m thin${esc}0m plain`)).toEqual(["<bold fg=1|red><fg=1| thin> plain"])
  expect(lines(`${esc}38;5;200;48;2;1;2;255mx${esc}39;49my`)).toEqual(["<fg=200 bg=#0102ff|x>y"])
  expect(lines(`${esc}4:3mcurly${esc}4:0m ${esc}38:2::10:20:30mq${esc}m.`)).toEqual([
    "<underline|curly> <fg=#0a141e|q>.",
  ])
  expect(lines(`${esc}97;100;2;3;9;7mx`)).toEqual(["<fg=15 bg=8 dim italic strike inverse|x>"])
})

test("a style goes on over lines and over pieces", () => {
  expect(lines(`${esc}32ma\nb`)).toEqual(["<fg=2|a>", "<fg=2|b>"])
  const first = parseAnsi(`${esc}32ma\n`)
  expect(lines("b", first.style)).toEqual(["<fg=2|b>"])
})

test("a progress bar looks as it did in the end", () => {
  expect(lines("10%\r50%\r100%\ndone")).toEqual(["100%", "done"])
  expect(lines(`downloading\r${esc}Kok`)).toEqual(["ok"])
  expect(lines(`abcdef${esc}3D${esc}K!`)).toEqual(["abc!"])
  expect(lines(`abc${esc}1Gx`)).toEqual(["xbc"])
  expect(lines(`abc${esc}2Kd`)).toEqual(["   d"])
})

test("overstruck bold of a manual page is read once", () => {
  expect(lines("N\bNA\bAM\bME\bE")).toEqual(["NAME"])
})

test("carriage returns before a newline change nothing", () => {
  expect(lines("a\r\r\nb\r\n")).toEqual(["a", "b", ""])
})

test("what moves over lines, asks or sets is dropped", () => {
  expect(lines(`a${esc}2J${esc}10A${esc}6n\x1b]0;t\x07${esc}?1049hb`)).toEqual(["ab"])
})

test("an absurd address does not fill memory", () => {
  const [line] = lines(`${esc}999999999Cx`)
  expect(line?.length).toBeLessThan(5_000)
})

test("a broken sequence is shown", () => {
  expect(lines("\x1b]x")).toEqual(["␛]x"])
})
