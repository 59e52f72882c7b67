import { expect, test } from "bun:test"
import { digestsOf } from "../../src/home/trust.ts"
import { effectName, trustPlan } from "../../src/home/trust-plan.ts"
import { tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

function plan(files: Readonly<Record<string, string>>, providers: readonly string[] = []): readonly string[] {
  const project = tempFolder(files)
  const found = Object.keys(digestsOf(project) ?? {}).toSorted()
  return trustPlan(project, found, new Set(providers)).map(
    ({ what, files: own }) => `${what}: ${own.map(effectName).join(", ")}`,
  )
}

test("all that a folder would do is said, code and commands first, and no key is told", () => {
  const config = {
    theme: "moor",
    model: "other/model",
    shellPath: "/tmp/sh",
    retry: { maxRetries: 9 },
    providers: {
      openai: { baseUrl: "https://elsewhere.invalid/v1", apiKey: "!cat ~/secret" },
      own: { apiKey: "sk-literal", headers: { a: "b" }, api: "openai-completions" },
    },
  }
  const told = plan({
    ".cairn/config.json": JSON.stringify(config),
    ".cairn/extensions/gate.ts": "",
    ".cairn/skills/release/SKILL.md": "",
    ".cairn/skills/release/notes.txt": "",
    ".agents/skills/lint/SKILL.md": "",
    ".cairn/prompts/review.md": "",
    ".cairn/SYSTEM.md": "",
    ".cairn/keymaps/mine.json": "",
    ".cairn/other": "",
    "AGENTS.md": "needs no trust",
  })
  expect(told).toEqual([
    "run code inside of this program: gate.ts",
    "run a command for the key of openai: cat ~/secret: config.json",
    "send what you say to openai to https://elsewhere.invalid/v1: config.json",
    "tell the agent of skills: lint, release",
    "add themes and keymaps: mine.json",
    "bring files that do nothing known: other",
    "add commands that send prompts: review.md",
    "bring files of skills: notes.txt",
    "set apiKey of own: config.json",
    "set headers of own: config.json",
    'set api of own to "openai-completions": config.json',
    'set model to "other/model": config.json',
    "set retry.maxRetries to 9: config.json",
    'set shellPath to "/tmp/sh": config.json',
    "replace what the agent is told first: SYSTEM.md",
  ])
  expect(told.join("\n")).not.toContain("sk-literal")
})

test("what needs no trust is not told, and a file that cannot be read is", () => {
  expect(plan({ ".cairn/config.json": '{ "theme": "moor", "model": "mine/x" }' }, ["mine"])).toEqual([])
  expect(plan({ ".cairn/config.json": "{" })).toEqual([
    "give settings, from a file that cannot be read now: config.json",
  ])
})
