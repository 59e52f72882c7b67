import { describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { commandList } from "../../src/home/command-names.ts"
import { keymapShelf, themeShelf, type ThemeShelf } from "../../src/home/shelf.ts"
import { systemClock } from "../../src/std/clock.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

const open = (folder: string): ThemeShelf => themeShelf({ folders: [folder], clock: systemClock })
const text = (color: string): string => `{ "extends": "dark", "theme": { "text": "${color}" } }`

describe("a shelf", () => {
  test("has the built-in and the person's, by name", () => {
    const names = open(
      tempFolder({ "mine.json": text("#ffffff"), "dark.jsonc": "{}", ".hidden.json": "{}", "notes.txt": "" }),
    ).names()
    expect(names).toEqual(["dark", "harbor", "high-contrast", "kiln", "lichen", "light", "mine", "moor"])
  })

  test("gives what stands in the file now", () => {
    const folder = tempFolder({ "mine.json": text("#eeeeee") })
    const shelf = open(folder)
    expect(shelf.load("mine", "dark")?.theme.colors.text).toBe("#eeeeee")
    putFile(folder, "mine.json", text("#dddddd"))
    expect(shelf.load("mine", "dark")?.theme.colors.text).toBe("#dddddd")
  })

  test("keeps the last good version of a file that breaks or goes, and says so", () => {
    const folder = tempFolder({ "mine.json": text("#eeeeee") })
    const shelf = open(folder)
    shelf.load("mine", "dark")
    const path = putFile(folder, "mine.json", '{ "theme": { "text": "#xyz" } }')
    expect(shelf.load("mine", "dark")).toMatchObject({
      theme: { colors: { text: "#eeeeee" } },
      problems: [
        `${path}:1:22: \`#xyz\` is no colour; write # and 3 or 6 hex digits; its last good version is still in use.`,
      ],
    })
    rmSync(path)
    expect(shelf.load("mine", "dark")?.problems).toEqual(["mine: the file is gone; its last version is still in use."])
  })

  test("gives a built-in one for a file that never was good", () => {
    const shelf = open(tempFolder({ "moor.json": "{", "mine.json": "{" }))
    expect(shelf.load("moor", "dark")?.theme.name).toBe("moor")
    expect(shelf.load("moor", "dark")?.problems[0]).toEndWith("; moor is used instead.")
    expect(shelf.load("mine", "light")?.problems[0]).toEndWith("; light is used instead.")
  })

  test("has nothing for a name that nothing has", () =>
    expect(open(tempFolder()).load("nobody", "dark")).toBeUndefined())

  test("asks the first folder first", () => {
    const [project, person] = [
      tempFolder({ "a.json": text("#eeeeee") }),
      tempFolder({ "a.json": text("#dddddd"), "b.json": '{ "extends": "a" }' }),
    ]
    const shelf = themeShelf({ folders: [project, person], clock: systemClock })
    expect(shelf.load("a", "dark")?.theme.colors.text).toBe("#eeeeee")
    expect(shelf.load("b", "dark")?.theme.colors.text).toBe("#eeeeee")
  })

  test("hears of a save in any of its folders", async () => {
    const folder = join(tempFolder(), "themes")
    const shelf = open(folder)
    let end: () => void = () => {}
    const heard = new Promise<void>((resolve) => (end = shelf.watch(resolve)))
    putFile(folder, "mine.json", text("#eeeeee"))
    await heard
    end()
    expect(shelf.load("mine", "dark")?.theme.colors.text).toBe("#eeeeee")
  })
})

test("a shelf of keymaps knows the commands of extensions as they come", () => {
  const folder = tempFolder({ "mine.json": '{ "bindings": { "global": { "f9": "weather.show" } } }' })
  const commands: string[] = [...commandList]
  const shelf = keymapShelf({ folders: [folder], clock: systemClock }, () => commands)
  expect(shelf.load("mine")?.problems[0]).toContain("there is no command `weather.show`")
  commands.push("weather.show")
  expect(shelf.load("mine")?.problems).toEqual([])
  expect(shelf.load("mine")?.keymap.bindings.some(({ run }) => run[0]?.command === "weather.show")).toBe(true)
})
