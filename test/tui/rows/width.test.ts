import { expect, test } from "bun:test"
import { TextBuffer, TextBufferView } from "@opentui/core"
import { createTestRenderer } from "@opentui/core/testing"
import { textWidth, type WidthMethod } from "../../../src/std/text.ts"

const texts = [
  "plain ascii",
  "你好世界|",
  "한글|",
  "각|",
  "⚙️|⚙|",
  "👩‍👩‍👧‍👦|",
  "👍🏽 ok",
  "👨‍💻👩🏿‍🚀",
  "🇩🇪🇫|",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈",
  "สวัสดีครับ|",
  "नमस्ते क्षि",
  "e\u0301 a\u0308\u0301|",
  "אבג|",
  "①…“”—│─▎▸✓✗☐☑•◦",
  "1️⃣ #️⃣ ❤️ ☎️ ☺︎",
  "ｱｲｳ ﾞ",
  "①②③ ½ ° ±",
  "→ ← ⇒ ∀ ∑ √",
  "╭─╮ ░▒▓ ▁▂▃",
  "〰️ ㊗️ ‼️",
]

test("text is measured as the native renderer measures it, in both of its ways", async () => {
  await using screen = await createTestRenderer({ width: 40, height: 5 })
  for (const method of ["unicode", "wcwidth"] as const satisfies readonly WidthMethod[]) {
    const buffer = TextBuffer.create(method, screen.renderer.nativeScene)
    const view = TextBufferView.create(buffer)
    view.setWrapMode("none")
    buffer.setText(texts.join("\n"))
    const native = view.lineInfo.lineWidthCols
    expect(texts.map((text) => [text, textWidth(text, method)])).toEqual(
      texts.map((text, line) => [text, native[line] ?? -1]),
    )
    view.destroy()
    buffer.destroy()
  }
})
