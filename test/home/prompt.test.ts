import { describe, expect, test } from "bun:test"
import { encode } from "gpt-tokenizer"
import { composePrompt } from "../../src/home/prompt.ts"

const four = ["read", "bash", "edit", "write"]
const cwd = "/home/someone/work/project"

describe("the system prompt", () => {
  test("has at most 300 tokens with the four tools", () => {
    expect(encode(composePrompt({ cwd, tools: four })).length).toBeLessThanOrEqual(300)
  })

  test("has rules only for tools that are on", () => {
    const readOnly = composePrompt({ cwd, tools: ["read", "grep", "find", "ls"] })
    expect(readOnly).toContain("grep, find and ls")
    expect(readOnly).not.toMatch(/\bedit:|\bbash\b|\bwrite\b/)
    expect(composePrompt({ cwd, tools: ["read", "write"] })).toContain("Change a file by writing it whole")
    expect(composePrompt({ cwd, tools: four })).not.toContain("writing it whole")
    expect(composePrompt({ cwd, tools: [] })).not.toMatch(/\bedit:|\bbash\b|\bread a file\b/)
  })

  test("is the same text for the same values, and knows no day", () => {
    expect(composePrompt({ cwd, tools: four })).toBe(composePrompt({ cwd, tools: four.toReversed() }))
    expect(composePrompt({ cwd, tools: four })).not.toMatch(/\b20\d\d\b/)
  })

  test("tells files, skills and place in this order", () => {
    const prompt = composePrompt({
      cwd,
      tools: four,
      append: ["Always answer in French."],
      context: [
        { path: "/a/AGENTS.md", text: "Use tabs." },
        { path: '/a/"b" <c>&/AGENTS.md', text: "Use spaces." },
      ],
      skills: [{ name: "release", description: "cut a release", path: "/s/SKILL.md" }],
    })
    expect(prompt.slice(prompt.indexOf("Always"))).toBe(`Always answer in French.

What the person and the project ask of you:
<file path="/a/AGENTS.md">
Use tabs.
</file>
<file path="/a/&quot;b&quot; &lt;c>&amp;/AGENTS.md">
Use spaces.
</file>

<skills>
Read the file of a skill before a task it fits:
- release: cut a release (/s/SKILL.md)
</skills>

Working folder: ${cwd}`)
  })

  test("gives its opening and rules up for one's own, and keeps the rest", () => {
    const prompt = composePrompt({
      cwd,
      tools: four,
      system: "You are a pirate.",
      context: [{ path: "/a", text: "Arr." }],
    })
    expect(prompt).toStartWith("You are a pirate.\n\nWhat the person")
    expect(prompt).toEndWith(`Working folder: ${cwd}`)
    expect(prompt).not.toContain("Cairn")
  })
})
