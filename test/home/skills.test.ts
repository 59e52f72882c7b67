import { expect, test } from "bun:test"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { composePrompt } from "../../src/home/prompt.ts"
import { readSkills, skillPrompt, type SkillPlaces } from "../../src/home/skills.ts"
import { tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

const skill = (description: string, more = ""): string => `---\ndescription: ${description}\n${more}---\nDo it well.\n`

function places(root: string, trusted = true): SkillPlaces {
  const at = (name: string): string => join(root, name)
  return { home: at("home"), config: at("config"), project: trusted ? at("project/deep") : null }
}

test("skills come from all their places, each name once, the nearest first", () => {
  const root = tempFolder({
    "project/.git/HEAD": "",
    "project/deep/.cairn/skills/release/SKILL.md": skill("of the project"),
    "project/deep/.agents/skills/release/SKILL.md": skill("of the folder"),
    "project/deep/.agents/skills/lint/SKILL.md": skill("of the folder"),
    "project/.agents/skills/lint/SKILL.md": skill("of the top"),
    ".agents/skills/outside/SKILL.md": skill("not in the working tree"),
    "config/skills/group/inner/write/SKILL.md": skill("of the person"),
    "config/skills/note.md": "no head: a note, not a skill",
    "config/skills/short.md": skill("one file"),
    "home/.agents/skills/write/SKILL.md": skill("of the home"),
  })
  const { skills, notices } = readSkills(places(root))
  expect(skills.map(({ name, description }) => `${name}: ${description}`)).toEqual([
    "lint: of the folder",
    "release: of the project",
    "short: one file",
    "write: of the person",
  ])
  expect(notices).toEqual([])
})

test("a project that is not trusted brings none", () => {
  const root = tempFolder({
    "project/deep/.cairn/skills/a/SKILL.md": skill("x"),
    "project/deep/.agents/skills/b/SKILL.md": skill("x"),
    "config/skills/c/SKILL.md": skill("x"),
  })
  expect(readSkills(places(root, false)).skills.map(({ name }) => name)).toEqual(["c"])
})

test("a skill that is wrong is told and hides no other, and circles end", () => {
  const root = tempFolder({
    "config/skills/a/SKILL.md": "---\nname: [\n---\n",
    "config/skills/b/SKILL.md": "no head at all",
    "config/skills/c/SKILL.md": skill("x", "name: Not A Name\n"),
    "config/skills/d/SKILL.md": `---\r\nname: folded\r\ndescription: >\r\n  two\r\n  lines\r\ndisable-model-invocation: true\r\n---\r\ntext`,
    "config/skills/e/x.txt": "",
  })
  symlinkSync(join(root, "config/skills"), join(root, "config/skills/e/around"))
  mkdirSync(join(root, "project/deep"), { recursive: true })
  const { skills, notices } = readSkills(places(root))
  expect(skills).toEqual([
    { name: "folded", description: "two lines", path: join(root, "config/skills/d/SKILL.md"), hidden: true },
  ])
  expect(notices.map((notice) => notice.replace(/^\S+skills\//, "").replace(/\(.*\)/, "(…)"))).toEqual([
    "a/SKILL.md was left out: its head is no YAML (…).",
    "b/SKILL.md was left out: its head has no description.",
    "c/SKILL.md was left out: its name has to be small letters, digits and single hyphens.",
  ])
})

test("the model is told names and places; a skill that is called goes whole, with what is wanted of it", () => {
  const root = tempFolder({ "config/skills/release/SKILL.md": skill("How to release") })
  const [release] = readSkills(places(root)).skills
  if (release === undefined) throw new Error("the skill was not found")
  const prompt = composePrompt({ cwd: "/x", tools: [], skills: [release] })
  expect(prompt).toContain(`- release: How to release (${release.path})`)
  expect(prompt).not.toContain("Do it well.")
  expect(skillPrompt(release, " version 2 ")).toBe(
    `<skill name="release" path="${release.path}">\nFiles that it names are relative to its own folder.\n\nDo it well.\n</skill>\n\nversion 2`,
  )
  rmSync(release.path)
  expect(() => skillPrompt(release, "")).toThrow()
})
