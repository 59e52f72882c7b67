import { describe, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { imageBytesMax, imageFileBytesMax } from "../../src/std/fit-image.ts"
import { readTool } from "../../src/tools/read.ts"
import type { ToolResult } from "../../src/tools/tool.ts"
import { seeded } from "../support/seeded.ts"
import { detail, textOf, workbench } from "./workbench.ts"

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("")

async function read(content: string | Uint8Array, args: { offset?: number; limit?: number } = {}): Promise<string> {
  using bench = workbench()
  bench.put("f.txt", content)
  return textOf(await bench.call(readTool, { path: "f.txt", ...args }))
}

const lineNote = "Lines are cut at 2000 bytes; a command shows more: sed -n 1p FILE | cut -b2001-."

describe("reading text", () => {
  test("gives the file without its last newline", async () => expect(await read("a\nb\n")).toBe("a\nb"))

  test("says that an empty file is empty", async () => {
    expect(await read("")).toBe("[The file is empty.]")
    expect(await read(Uint8Array.of(0xef, 0xbb, 0xbf))).toBe("[The file is empty.]")
  })

  test("leaves out the byte order mark and the CR of CRLF", async () => {
    expect(await read("\ufeffa\r\nb\r\n")).toBe("a\nb")
  })

  test("gives a window, and where to go on", async () => {
    expect(await read(numbered(5), { offset: 2, limit: 2 })).toBe(
      "line 2\nline 3\n\n[Lines 2-3 of 5. Go on with offset=4.]",
    )
    expect(await read(numbered(5), { offset: 4, limit: 9 })).toBe("line 4\nline 5")
  })

  test("stops at 2,000 lines", async () => {
    const text = await read(numbered(2_500))
    expect(text.split("\n")[1_999]).toBe("line 2000")
    expect(text.endsWith("\n\n[Lines 1-2000 of 2500. Go on with offset=2001.]")).toBe(true)
  })

  test("stops at 50 KiB, after a whole line", async () => {
    const text = await read(`${"x".repeat(999)}\n`.repeat(100))
    expect(text).toContain("[Lines 1-51 of 100. Go on with offset=52.]")
    expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024)
  })

  test("says how many lines there are to an offset past the end", async () => {
    expect(await read("a\nb\n", { offset: 3 })).toBe("f.txt has 2 lines: offset 3 is past its end.")
  })

  test("cuts a long line between characters, with its length (84)", async () => {
    const text = await read(`${"😀".repeat(3_000)}\nnext\n`)
    expect(text).toBe(`${"😀".repeat(500)}… [line cut: 6000 characters]\nnext\n\n[${lineNote}]`)
  })

  test("names an encoding that is not UTF-8, and reads it (85)", async () => {
    expect(await read(Buffer.from("\ufeffhä\r\n阴\n", "utf16le"))).toBe("hä\n阴\n\n[Encoding: UTF-16 LE.]")
    expect(await read(Buffer.from("\ufeffhä\n", "utf16le").swap16())).toBe("hä\n\n[Encoding: UTF-16 BE.]")
    expect(await read(Uint8Array.of(0x63, 0xe9, 0x0a))).toBe("cé\n\n[Encoding: Latin-1.]")
  })

  test("shows a broken byte as U+FFFD", async () => {
    expect(await read(Buffer.concat([Buffer.from("é"), Uint8Array.of(0xff)]))).toBe("é\ufffd")
  })
})

describe("reading a large file (83)", () => {
  test("keeps only what is asked for in memory", async () => {
    using bench = workbench()
    const line = "lorem ipsum dolor sit amet\n".repeat(1_000)
    execFileSync("sh", ["-c", `yes "$0" | head -c 120000000 > big`, line.trimEnd()], { cwd: bench.folder })
    Bun.gc(true)
    const before = process.memoryUsage().rss
    expect(textOf(await bench.call(readTool, { path: "big", offset: 10, limit: 1 }))).toBe(
      "lorem ipsum dolor sit amet\n\n[Lines 10-10 of more (120.0 MB). Go on with offset=11.]",
    )
    expect(textOf(await bench.call(readTool, { path: "big", offset: 99_999_999 }))).toContain("is past its end")
    Bun.gc(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })

  test("cuts a single line of 40 MB (84)", async () => {
    using bench = workbench()
    bench.put("one.js", Buffer.alloc(40_000_000, "x"))
    expect(textOf(await bench.call(readTool, { path: "one.js" }))).toBe(
      `${"x".repeat(2_000)}… [line cut: 40000000 characters]\n\n[${lineNote}]`,
    )
  })

  test("does not look for ever for the end of a line", async () => {
    using bench = workbench()
    bench.put("one.js", Buffer.alloc(68 * 1024 * 1024, "x"))
    const text = textOf(await bench.call(readTool, { path: "one.js" }))
    expect(text).toMatch(/^x{2000}… \[line cut: 67\d{6} characters\]\n\n\[/)
    expect(text).toContain("[Lines 1-1 of more (71.3 MB). Go on with offset=2. Lines are cut")
  })

  test("is ended by an abort", async () => {
    using bench = workbench()
    bench.put("f", numbered(10))
    const result = await bench.call(readTool, { path: "f" }, { signal: AbortSignal.abort() })
    expect([result.isError, textOf(result)]).toEqual([true, "Reading was interrupted."])
  })
})

describe("what is no text is named (85)", () => {
  test("a program", async () => {
    using bench = workbench()
    const result = await bench.call(readTool, { path: process.execPath })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/is an ELF program, \d+\.\d MB, not text: look at it/)
  })

  test("text that goes over into NULs, however late", async () => {
    expect(await read(Buffer.concat([Buffer.from("text\n".repeat(800)), Buffer.alloc(100)]))).toContain(
      "is binary data",
    )
    expect(
      await read(Buffer.concat([Buffer.from(`${"x".repeat(99)}\n`.repeat(700)), Buffer.alloc(9)]), { offset: 1 }),
    ).not.toContain("\0")
    expect(await read(Buffer.concat([Buffer.from("x".repeat(70_000)), Buffer.alloc(9)]))).toContain(
      "goes over into binary data",
    )
  })

  test("a folder", async () => {
    using bench = workbench()
    mkdirSync(bench.path("d"))
    const result = await bench.call(readTool, { path: "d" })
    expect([result.isError, textOf(result)]).toEqual([true, "d is a folder: list it with ls."])
  })

  test("a FIFO without a writer, a device, and files of the kernel, without waiting (45)", async () => {
    using bench = workbench()
    execFileSync("mkfifo", [bench.path("p")])
    const told = async (path: string): Promise<string> => textOf(await bench.call(readTool, { path }))
    expect(await told("p")).toBe("p is a named pipe, not a file: reading it could wait for ever.")
    expect(await told("/dev/zero")).toBe("/dev/zero is a device, not a file: reading it could wait for ever.")
    expect(await told("/dev/tty")).toContain("is a device")
    expect(await told("/proc/self/status")).toContain("Name:")
    const kmsg = await bench.call(readTool, { path: "/proc/kmsg" })
    expect(kmsg.isError || textOf(kmsg).length > 0).toBe(true)
  })
})

describe("a path that is not there", () => {
  test("is answered with names like it", async () => {
    using bench = workbench()
    bench.put("config.ts", "x")
    bench.put("other", "x")
    const result = await bench.call(readTool, { path: "confg.ts" })
    expect([result.isError, textOf(result)]).toEqual([true, "confg.ts does not exist. Did you mean config.ts?"])
    expect(textOf(await bench.call(readTool, { path: "config.js" }))).toContain("Did you mean config.ts?")
    expect(textOf(await bench.call(readTool, { path: "nothing" }))).toBe("nothing does not exist.")
  })

  test("is answered with the folder that is missing", async () => {
    using bench = workbench()
    expect(textOf(await bench.call(readTool, { path: "a/b/c" }))).toBe(
      `a/b/c does not exist: there is no folder ${bench.path("a/b")}.`,
    )
  })

  test("is read under the name that looks the same", async () => {
    using bench = workbench()
    bench.put("Shot at 9.41\u202fAM.txt", "space")
    bench.put("It\u2019s cafe\u0301.txt", "quote")
    expect(textOf(await bench.call(readTool, { path: "Shot at 9.41 AM.txt" }))).toBe("space")
    expect(textOf(await bench.call(readTool, { path: "It's café.txt" }))).toBe("quote")
  })
})

describe("an image", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAFElEQVR4nGNkYGD4zwAFTDAGiAYAFjgBAyGAJBcAAAAASUVORK5CYII=",
    "base64",
  )

  test("is known by its content, and given as one", async () => {
    using bench = workbench()
    bench.put("picture.txt", png)
    const result = await bench.call(readTool, { path: "picture.txt" })
    expect(result.content).toEqual([
      { type: "text", text: `[image/png, ${png.length} bytes, 3×2 pixels]` },
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
    ])
    expect([detail(result, "width"), detail(result, "height")]).toEqual([3, 2])
  })

  test("is left out for a model that takes none, with a note", async () => {
    using bench = workbench()
    bench.put("a.png", png)
    const result = await bench.call(readTool, { path: "a.png" }, { images: false })
    expect(textOf(result)).toBe(`[a.png: image/png, ${png.length} bytes, 3×2 pixels. This model takes no images.]`)
  })

  test("larger than models take is scaled, and the scale is told", async () => {
    using bench = workbench()
    bench.put("broad.png", await plain(5_000, 40))
    const result = await bench.call(readTool, { path: "broad.png" })
    expect(textOf(result)).toMatch(
      /^\[image\/png, [\d.]+ (bytes|kB), 5000×40 pixels; shown at 2000×16: multiply by 2\.50 for places in the file\]/,
    )
    expect(await imageOf(result)).toEqual({ type: "image/png", width: 2_000, height: 16 })
  })

  test("of more bytes than models take becomes a JPEG", async () => {
    using bench = workbench()
    const noise = await noisy(1_400, 1_000)
    expect(noise.length).toBeGreaterThan(imageBytesMax)
    bench.put("noise.png", noise)
    const result = await bench.call(readTool, { path: "noise.png" })
    expect(textOf(result)).toContain("1400×1000 pixels; shown as image/jpeg]")
    expect(await imageOf(result)).toEqual({ type: "image/jpeg", width: 1_400, height: 1_000 })
  })

  test("of each kind that models know is decoded and scaled", async () => {
    using bench = workbench()
    const png = await plain(2_400, 10)
    const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==", "base64")
    const rows = [
      ["a.jpg", await new Bun.Image(png).jpeg().bytes(), { type: "image/jpeg", width: 2_000, height: 8 }],
      ["a.webp", await new Bun.Image(png).webp().bytes(), { type: "image/jpeg", width: 2_000, height: 8 }],
      ["a.gif", gif, { type: "image/gif", width: 1, height: 1 }],
    ] as const
    for (const [path, bytes, wanted] of rows) {
      bench.put(path, bytes)
      expect(await imageOf(await bench.call(readTool, { path }))).toEqual(wanted)
    }
  })

  test("that is damaged or of too many pixels is refused, since every later request would fail", async () => {
    using bench = workbench()
    bench.put("torn.png", (await noisy(60, 60)).subarray(0, 2_000))
    const bomb = Buffer.from(png)
    bomb.writeUInt32BE(20_000, 16)
    bomb.writeUInt32BE(20_000, 20)
    bench.put("bomb.png", bomb)
    for (const [path, reason] of [
      ["torn.png", "it is damaged: it cannot be decoded."],
      ["bomb.png", "it has more than 100 million pixels."],
    ] as const) {
      const result = await bench.call(readTool, { path })
      expect([result.isError, result.content.length]).toEqual([true, 1])
      expect(textOf(result)).toEndWith(reason)
    }
  })

  test("of a file larger than anybody looks at is not read", async () => {
    using bench = workbench()
    bench.put("huge.png", png)
    truncateSync(bench.path("huge.png"), imageFileBytesMax + 1)
    expect(textOf(await bench.call(readTool, { path: "huge.png" }))).toContain("is too large to look at (image/png")
  })
})

/** An image of one colour, as a PNG. */
async function plain(width: number, height: number): Promise<Uint8Array> {
  return pngOf(width, height, () => 0x80)
}

/** An image that no format makes smaller. */
async function noisy(width: number, height: number): Promise<Uint8Array> {
  const random = seeded(7)
  return pngOf(width, height, () => Math.floor(random() * 256))
}

function pngOf(width: number, height: number, byte: () => number): Promise<Uint8Array> {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const bitmap = Buffer.alloc(54 + rowBytes * height)
  bitmap.write("BM")
  bitmap.writeUInt32LE(bitmap.length, 2)
  bitmap.writeUInt32LE(54, 10)
  bitmap.writeUInt32LE(40, 14)
  bitmap.writeInt32LE(width, 18)
  bitmap.writeInt32LE(height, 22)
  bitmap.writeUInt16LE(1, 26)
  bitmap.writeUInt16LE(24, 28)
  for (let at = 54; at < bitmap.length; at++) bitmap[at] = byte()
  return new Bun.Image(bitmap).png().bytes()
}

async function imageOf(result: ToolResult): Promise<{ type: string; width: number; height: number } | null> {
  const part = result.content.find((one) => one.type === "image")
  if (part?.type !== "image") return null
  const { width, height } = await new Bun.Image(Buffer.from(part.data, "base64")).metadata()
  return { type: part.mimeType, width, height }
}

test("a link is followed, and a window through it is the same", async () => {
  using bench = workbench()
  bench.put("real", "a\nb\n")
  symlinkSync("real", bench.path("link"))
  expect(textOf(await bench.call(readTool, { path: "link", offset: 2 }))).toBe("b")
})

test("the title names the lines", () => {
  expect(readTool.title({ path: "a", offset: 5, limit: 3 })).toBe("a:5-7")
  expect(readTool.title({ file_path: "a" })).toBe("a")
  expect(readTool.title({})).toBe("")
})

test("a path in the ledgers' folder is refused, by whatever way, but for what is readable", async () => {
  using bench = workbench()
  mkdirSync(bench.path("ledgers/output"), { recursive: true })
  writeFileSync(bench.path("ledgers/secret"), "s")
  writeFileSync(bench.path("ledgers/output/1"), "o")
  symlinkSync(bench.path("ledgers"), bench.path("way"))
  const places = { refused: [bench.path("ledgers")], readable: [bench.path("ledgers/output")] }
  for (const path of ["ledgers/secret", "way/secret", "ledgers/../ledgers/secret", join(bench.folder, "way/new")]) {
    const result = await bench.call(readTool, { path }, places)
    expect([result.isError, textOf(result)]).toEqual([
      true,
      `${path} is where Cairn keeps its sessions: tools do not touch it.`,
    ])
  }
  expect(textOf(await bench.call(readTool, { path: "way/output/1" }, places))).toBe("o")
})
