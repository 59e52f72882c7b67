import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { imageSize } from "../../../src/std/image.ts"
import { droppedImages, withImages } from "../../../src/tui/editor/images.ts"
import { pngOf } from "../../support/image.ts"

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "cairn-images-"))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(path, name), bytes)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("a mentioned image goes along, and what does not is told of where an image was meant", async () => {
  const png = await pngOf(4, 3)
  using folder = folderWith({ "shot.png": png, "fake.png": "text", "notes.md": "text", "cut.png": png.slice(0, 40) })
  const { content, problems } = await withImages(
    "see @shot.png and @fake.png, @gone.png, @gone.md, @notes.md and @cut.png",
    folder.path,
  )
  expect(content.map((part) => part.type)).toEqual(["text", "image"])
  expect(problems).toEqual([
    "fake.png does not go along: it is no image that models take",
    "gone.png does not go along: there is no such file",
    "cut.png does not go along: it is damaged: it cannot be decoded",
  ])
})

test("a large image is scaled to what models take", async () => {
  using folder = folderWith({ "wide.png": await pngOf(3_000, 50) })
  const { content, problems } = await withImages("@wide.png", folder.path)
  const [, image] = content
  if (image?.type !== "image") throw new Error("no image went along")
  expect(imageSize(Buffer.from(image.data, "base64"), image.mimeType)).toEqual({ width: 2_000, height: 33 })
  expect(problems).toEqual([])
})

test("many images share what one message of the protocol takes", async () => {
  const noise = await pngOf(900, 900, "noise")
  expect(noise.length).toBeGreaterThan(1_000_000)
  const names = Array.from({ length: 8 }, (_, at) => `${at}.png`)
  using folder = folderWith(Object.fromEntries(names.map((name) => [name, noise])))
  const { content, problems } = await withImages(names.map((name) => `@${name}`).join(" "), folder.path)
  expect(problems).toEqual([])
  expect(content).toHaveLength(9)
  expect(JSON.stringify(content).length).toBeLessThan(8 * 1024 * 1024)
})

test("paths that are dropped on the terminal are images however they are written, and nothing else is", async () => {
  const png = await pngOf(4, 3)
  using folder = folderWith({ "my shot.png": png, "it's.jpg": png, "two.png": png, "text.png": "no", "a.md": "x" })
  const at = (name: string): string => join(folder.path, name)
  const found = (text: string): readonly string[] | null => droppedImages(text)?.map(({ path }) => path) ?? null
  expect(found(at("my shot.png"))).toEqual([at("my shot.png")])
  expect(found(`'${at("my shot.png")}' `)).toEqual([at("my shot.png")])
  expect(found(`"${at("my shot.png")}"`)).toEqual([at("my shot.png")])
  expect(found(at("my shot.png").replace(" ", "\\ "))).toEqual([at("my shot.png")])
  expect(found(pathToFileURL(at("my shot.png")).href)).toEqual([at("my shot.png")])
  expect(found(`'${folder.path}/it'\\''s.jpg' ${at("two.png")}\n`)).toEqual([at("it's.jpg"), at("two.png")])
  expect(droppedImages(at("two.png"))).toEqual([{ path: at("two.png"), about: "two.png 4×3" }])
  for (const text of [
    at("a.md"),
    at("text.png"),
    at("gone.png"),
    `${at("two.png")} is it`,
    "two.png",
    "/",
    "",
    "file:///%",
  ]) {
    expect(found(text)).toBeNull()
  }
})
