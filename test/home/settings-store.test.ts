import { describe, expect, test } from "bun:test"
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { SettingsStore, type SettingsInput } from "../../src/home/settings-store.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

function open(folder: string, more: Partial<SettingsInput> = {}): SettingsStore {
  return new SettingsStore({
    person: join(folder, "config/config.json"),
    project: join(folder, "project/.cairn/config.json"),
    trusted: false,
    env: {},
    flags: [],
    providers: new Set(),
    ...more,
  })
}

describe("while the program runs", () => {
  test("a saved file counts after a reload, and a reload without a change says so", () => {
    const folder = tempFolder({ "config/config.json": '{ "theme": "moor" }' })
    const store = open(folder)
    expect(store.merged.config.theme).toBe("moor")
    expect(store.reload()).toBe(false)
    putFile(folder, "config/config.json", '{ "theme": "kiln" }')
    expect(store.reload()).toBe(true)
    expect(store.merged.config.theme).toBe("kiln")
  })

  test("a broken file keeps what its last good version said, and says what is wrong", () => {
    const folder = tempFolder({ "config/config.json": '{ "theme": "moor" }' })
    const store = open(folder)
    const path = putFile(folder, "config/config.json", '{\n  "theme": "kiln"\n  "bell": false }')
    expect(store.reload()).toBe(false)
    expect(store.merged.config.theme).toBe("moor")
    expect(store.broken).toBe(true)
    expect(store.problems).toEqual([`${path}:3:3: a comma is expected here; what it said before still counts.`])
    putFile(folder, "config/config.json", '{ "theme": "kiln" }')
    expect(store.reload()).toBe(true)
    expect([store.broken, ...store.problems]).toEqual([false])
  })

  test("a file that is removed says nothing any more", () => {
    const folder = tempFolder({ "config/config.json": '{ "theme": "moor" }' })
    const store = open(folder)
    rmSync(join(folder, "config"), { recursive: true })
    expect(store.reload()).toBe(true)
    expect(store.merged.config.theme).toBe("system")
    expect(store.broken).toBe(false)
  })

  test("a file that is broken at the start is left out", () => {
    const folder = tempFolder({ "config/config.json": '{ "bell": "no", "theme": "moor" }' })
    const store = open(folder)
    expect(store.merged.config).toMatchObject({ bell: true, theme: "system" })
    expect(store.broken).toBe(true)
    expect(store.problems[0]).toContain(
      'config.json:1:11: `bell` has to be true or false, not "no"; the file is left out.',
    )
  })

  test("what cannot be read is told", () => {
    const folder = tempFolder()
    mkdirSync(join(folder, "config/config.json"), { recursive: true })
    expect(open(folder).problems[0]).toContain("config.json cannot be read (EISDIR); the file is left out.")
  })
})

describe("a project's file", () => {
  const files = {
    "config/config.json": '{ "theme": "moor", "providers": { "mine": {} } }',
    "project/.cairn/config.json":
      '{ "theme": "kiln", "model": "mine/x", "shellPath": "./sh", "extensions": ["./x.ts"] }',
  }

  test("says little until it is trusted, and the rest is named", () => {
    const store = open(tempFolder(files))
    expect(store.merged.config).toMatchObject({ theme: "kiln", model: "mine/x", extensions: [] })
    expect(store.merged.config.shellPath).toBeUndefined()
    expect(store.problems.join("\n")).toContain("`shellPath`, `extensions` wait until you trust this folder.")
    expect(store.trust(true)).toBe(true)
    expect(store.merged.config).toMatchObject({ shellPath: "./sh", extensions: ["./x.ts"] })
    expect(store.problems).toEqual([])
  })

  test("stands below flags and variables", () => {
    const flags = [{ flag: "--theme", value: { theme: "lichen" } }]
    const store = open(tempFolder(files), { flags, env: { CAIRN_MODEL: "other/y" } })
    expect(store.merged.config).toMatchObject({ theme: "lichen", model: "other/y" })
    expect(store.merged.origins.get("theme")).toEqual({ origin: "flag", file: "--theme" })
    expect(store.merged.origins.get("model")).toEqual({ origin: "environment", file: "CAIRN_MODEL" })
  })
})

describe("writing a setting", () => {
  test("keeps comments and everything else, and counts at once", async () => {
    const text = '{\n  // my looks\n  "theme": "moor", // for now\n  "bell": false\n}\n'
    const folder = tempFolder({ "config/config.json": text })
    const store = open(folder)
    await store.save("theme", "kiln")
    await store.save("panels.side.size", 30)
    expect(readFileSync(join(folder, "config/config.json"), "utf8")).toBe(
      '{\n  // my looks\n  "theme": "kiln", // for now\n  "bell": false,\n  "panels": {\n    "side": {\n      "size": 30\n    }\n  }\n}\n',
    )
    expect(store.merged.config).toMatchObject({ theme: "kiln", panels: { side: { size: 30 } } })
    await store.save("panels", null)
    expect(store.merged.config.panels.side.size).toBe(40)
  })

  test("makes the file, closed to others, where there is none", async () => {
    const folder = tempFolder()
    const store = open(folder)
    await store.save("model", "local/qwen")
    const path = join(folder, "config/config.json")
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ model: "local/qwen" })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, "config")).mode & 0o777).toBe(0o700)
  })

  test("follows a link instead of replacing it, and keeps the mode", async () => {
    const folder = tempFolder({ "dotfiles/cairn.json": "{}", "config/other": "" })
    chmodSync(join(folder, "dotfiles/cairn.json"), 0o644)
    symlinkSync(join(folder, "dotfiles/cairn.json"), join(folder, "config/config.json"))
    await open(folder).save("theme", "kiln")
    expect(lstatSync(join(folder, "config/config.json")).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, "dotfiles/cairn.json"), "utf8")).toContain("kiln")
    expect(statSync(join(folder, "dotfiles/cairn.json")).mode & 0o777).toBe(0o644)
  })

  test("refuses a value that does not fit, and a file that is broken, and then writes nothing", async () => {
    const folder = tempFolder({ "config/config.json": '{ "theme": "moor" }' })
    const store = open(folder)
    expect(store.save("bell", "no")).rejects.toThrow('`bell` has to be true or false, not "no"')
    const path = putFile(folder, "config/config.json", "{ oops")
    expect(store.save("bell", false)).rejects.toThrow("Nothing was written.")
    expect(readFileSync(path, "utf8")).toBe("{ oops")
  })

  test("two at once both count", async () => {
    const folder = tempFolder()
    const [one, two] = [open(folder), open(folder)]
    await Promise.all([one.save("theme", "kiln"), two.save("keymap", "vim"), one.save("bell", false)])
    expect(JSON.parse(readFileSync(join(folder, "config/config.json"), "utf8"))).toEqual({
      theme: "kiln",
      keymap: "vim",
      bell: false,
    })
  })
})
