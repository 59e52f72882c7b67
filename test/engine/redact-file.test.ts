import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { redactFile } from "../../src/engine/redact-file.ts"
import { makeRedact } from "../../src/std/redact.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-redact-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const secret = "a-secret-of-some-length"
const redact = makeRedact([], () => [secret])

/** The file after its secrets were taken out, as Latin-1. */
async function redactedText(bytes: string): Promise<string> {
  const path = join(folder, "7")
  writeFileSync(path, Buffer.from(bytes, "latin1"))
  await redactFile(path, redact)
  expect(readdirSync(folder)).toEqual(["7"])
  return readFileSync(path, "latin1")
}

test("a secret is taken out wherever in a large output it stands, and every other byte stays", async () => {
  const any = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
  for (const filler of [`${any}\n`, "a word after a word ", "x"]) {
    // The second secret lies across the end of the first piece where there are only lines or only words to cut at.
    const before = filler.repeat(Math.ceil((1024 * 1024 - 30) / filler.length)).slice(0, 1024 * 1024 - 10)
    const between = filler === "x" ? " " : ""
    const rest = filler.repeat(Math.ceil(1_500_000 / filler.length))
    const whole = `${secret}${before.slice(secret.length)}${between}${secret} ${rest}${secret}`
    expect(await redactedText(whole)).toBe(whole.replaceAll(secret, "[redacted]"))
  }
})

test("a secret whose letters are more than a byte each is taken out as a whole", async () => {
  const path = join(folder, "7")
  const other = makeRedact([/owner: \p{L}+/gu], () => ["pässwörter", secret])
  for (const [before, after] of [
    ["", ""],
    [`\xff\n\xfe ${secret}\n`, "\xff\n\xfe [redacted]\n"],
  ] as const) {
    const line = Buffer.from("key: pässwörter, owner: Müller\n").toString("latin1")
    writeFileSync(path, Buffer.from(before + line, "latin1"))
    await redactFile(path, other)
    expect(readFileSync(path, "latin1")).toBe(`${after}key: [redacted], [redacted]\n`)
  }
})

test("an output with no secret in it is not written again", async () => {
  const path = join(folder, "7")
  writeFileSync(path, "nothing to see\n".repeat(100_000))
  const before = statSync(path).ino
  await redactFile(path, redact)
  expect(statSync(path).ino).toBe(before)
  expect(readdirSync(folder)).toEqual(["7"])
})

test("an output that cannot be cleaned is not kept", async () => {
  const path = join(folder, "7")
  writeFileSync(path, `a word ${secret}`)
  // In the way of the clean one.
  mkdirSync(`${path}.clean`)
  await expect(redactFile(path, redact)).rejects.toHaveProperty("code")
  expect(existsSync(path)).toBe(false)
})
