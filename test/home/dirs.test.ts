import { describe, expect, test } from "bun:test"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { dirsOf, openDir, type Dirs } from "../../src/home/dirs.ts"
import { tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

function dirs(env: Readonly<Record<string, string>>, homedir = ""): Dirs | string {
  const result = dirsOf(env, { homedir, uid: 1000 })
  return "dirs" in result ? result.dirs : result.problem
}

describe("folders", () => {
  test("are under the home folder", () => {
    expect(dirs({ HOME: "/home/a" })).toEqual({
      home: "/home/a",
      config: "/home/a/.config/cairn",
      data: "/home/a/.local/share/cairn",
      cache: "/home/a/.cache/cairn",
      runtime: "/tmp/cairn-1000",
    })
  })

  test("follow the XDG variables, and those of their own name before them", () => {
    const env = {
      HOME: "/home/a",
      XDG_CONFIG_HOME: "/x/c",
      XDG_DATA_HOME: "/x/d",
      XDG_RUNTIME_DIR: "/run/1",
      CAIRN_DATA: "/own",
    }
    expect(dirs(env)).toMatchObject({
      config: "/x/c/cairn",
      data: "/own",
      cache: "/home/a/.cache/cairn",
      runtime: "/run/1/cairn",
    })
  })

  test("take a relative XDG path as unset, and refuse a relative one of their own", () => {
    expect(dirs({ HOME: "/home/a", XDG_DATA_HOME: "data" })).toMatchObject({ data: "/home/a/.local/share/cairn" })
    expect(dirs({ HOME: "/home/a", CAIRN_DATA: "data" })).toBe('CAIRN_DATA has to be an absolute path, and is "data".')
  })

  test("ask the system where HOME is not set, and say so where nobody knows", () => {
    expect(dirs({}, "/var/lib/a")).toMatchObject({ home: "/var/lib/a", config: "/var/lib/a/.config/cairn" })
    expect(dirs({})).toContain("This user has no home folder. Set HOME, or CAIRN_CONFIG, CAIRN_DATA and CAIRN_CACHE.")
    expect(dirs({ CAIRN_CONFIG: "/c", CAIRN_DATA: "/d", CAIRN_CACHE: "/e" })).toMatchObject({
      config: "/c",
      home: "/d",
    })
  })
})

describe("a folder", () => {
  test("is made closed to others", () => {
    const path = join(tempFolder(), "a/b")
    expect(openDir(path, "data", "CAIRN_DATA")).toBeNull()
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test("that cannot be is a sentence with path, reason and way out, and nothing is made elsewhere", () => {
    const file = join(tempFolder({ file: "" }), "file/data")
    expect(openDir(file, "data", "CAIRN_DATA")).toBe(
      `The data folder ${file} cannot be used: a part of the path is a file. Make it writable, or set CAIRN_DATA to another folder.`,
    )
    expect(openDir("/proc/cairn/data", "data", "CAIRN_DATA")).toContain(
      "The data folder /proc/cairn/data cannot be used: ",
    )
    expect(existsSync("/proc/cairn")).toBe(false)
  })
})
