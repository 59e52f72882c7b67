import { expect, test } from "bun:test"
import { contentOf, planFile, type Content } from "../../src/engine/undo-changes.ts"
import { encodeText, type TextForm } from "../../src/tools/encoding.ts"
import { seeded } from "../support/seeded.ts"

const forms: readonly TextForm[] = [
  { encoding: "UTF-8", bom: false },
  { encoding: "UTF-8", bom: true },
  { encoding: "UTF-16 LE", bom: true },
  { encoding: "Latin-1", bom: false },
]

type Side = "agent" | "other"

/** Each changed line says whose it is, and no two lines are the same. */
function changed(lines: readonly string[], side: Side, random: () => number): string[] {
  const below = (most: number): number => Math.floor(random() * most)
  const out = [...lines]
  for (let time = 0; time < 1 + below(3); time++) {
    const end = random() < 0.5 ? "\n" : "\r\n"
    const fresh = Array.from({ length: below(3) }, (_, at) => `${side} ${Math.floor(random() * 1e9)}.${at} é${end}`)
    out.splice(below(out.length), below(3), ...fresh)
  }
  return out
}

test("bytes that the agent did not write are never touched by an undo, in any encoding", () => {
  const states = new Set<string>()
  for (let seed = 1; seed <= 1_500; seed++) {
    const random = seeded(seed)
    const form = forms[seed % forms.length] ?? forms[0]
    if (form === undefined) throw new Error("there is a form")
    const bytesOf = (lines: readonly string[]): Content => contentOf(encodeText(lines.join(""), form))
    const before = Array.from({ length: 4 + Math.floor(random() * 12) }, (_, at) => `line ${at} é\r\n`)
    const after = changed(before, "agent", random)
    const now = random() < 0.25 ? after : changed(after, "other", random)
    const [was, made, is] = [bytesOf(before), bytesOf(after), bytesOf(now)]
    if (was === null || made === null || is === null || was.hash === made.hash) continue
    const step = { path: "f", before: was.hash, after: made.hash, mode: null, runs: [1], folders: [] }
    const picked = random() < 0.5 ? null : new Set(["f#1", "f#3"])
    const plan = planFile("f", [{ step, before: was, after: made }], is, (id) => picked?.has(id) ?? true)
    for (const { state } of plan.hunks) states.add(state)
    const result = plan.after?.bytes
    if (result == null) throw new Error("the file is still there")
    if (now === after && picked === null) expect(result).toEqual(was.bytes ?? new Uint8Array())
    // Lines of others, and lines that the agent never touched, are there in their order, and nothing else is but what was before.
    const text = new TextDecoder(label(form), { ignoreBOM: true }).decode(result).replace(/^\ufeff/, "")
    const lines = text.match(/[^\n]*\n/g) ?? []
    const untouched = now.filter((line) => line.startsWith("other") || (before.includes(line) && after.includes(line)))
    expect(lines.filter((line) => untouched.includes(line))).toEqual(untouched)
    for (const line of lines) expect(now.includes(line) || before.includes(line)).toBe(true)
  }
  expect([...states].sort()).toEqual(["conflict", "made", "undone"])
})

function label({ encoding }: TextForm): "utf-8" | "utf-16le" | "windows-1252" {
  return encoding === "UTF-8" ? "utf-8" : encoding === "Latin-1" ? "windows-1252" : "utf-16le"
}
