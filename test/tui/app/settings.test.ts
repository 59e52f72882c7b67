/** Settings, templates and trust, as a robot meets them: what the program around the screen offers is shown, changed and asked. */
import { expect, test } from "bun:test"
import type { Outside, SettingRow, TrustAnswer, TrustQuestion } from "../../../src/tui/options.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const row = (name: string, value: string, edit: SettingRow["edit"], from = "built in"): SettingRow => ({
  name,
  value,
  from,
  help: `What ${name} is for.`,
  edit,
})

type World = { readonly robot: Robot; readonly written: [string, string][] }

async function withSettings(): Promise<World> {
  const written: [string, string][] = []
  const values = new Map([
    ["bell", "true"],
    ["theme", "dark"],
    ["retry.maxRetries", "3"],
    ["model", "a/b"],
  ])
  const value = (name: string): string => values.get(name) ?? ""
  const outside: Outside = {
    settings: () => [
      row("bell", value("bell"), { kind: "flag", on: value("bell") === "true" }),
      row("theme", value("theme"), { kind: "choice", choices: ["dark", "light"] }),
      row("retry.maxRetries", value("retry.maxRetries"), { kind: "text", text: value("retry.maxRetries") }),
      row("model", value("model"), { kind: "fixed", reason: "--model decides it" }, "a flag"),
    ],
    async setSetting(name, typed) {
      if (typed === "many") return { ok: false, reason: "`retry.maxRetries` has to be a whole number" }
      written.push([name, typed])
      values.set(name, typed)
      return { ok: true, text: `${name} is saved.` }
    },
  }
  const robot = await openRobot({ options: { outside } })
  await robot.type("/settings")
  await robot.press("enter")
  await robot.draw()
  return { robot, written }
}

test("settings are found by typing, with their help, and a switch is turned where it stands", async () => {
  const { robot, written } = await withSettings()
  robot.shows("› bell  true")
  robot.shows("What bell is for.")
  await robot.type("retr")
  robot.shows("› retry.maxRetries  3")
  for (let n = 0; n < 4; n++) await robot.press("backspace")
  await robot.press("up", "up", "enter")
  await robot.draw()
  expect(written).toEqual([["bell", "false"]])
  robot.shows("› bell  false")
  robot.shows("bell is saved.")
  expect(robot.host.asked).toContainEqual({ type: "reload" })
  await robot.close()
})

test("a setting is chosen from its values, written as text, or left alone with the reason", async () => {
  const { robot, written } = await withSettings()
  await robot.press("down", "enter")
  robot.shows("› dark")
  await robot.press("down", "enter")
  await robot.draw()
  robot.shows("› theme  light")
  await robot.press("down", "enter")
  robot.shows("What retry.maxRetries is for.")
  await robot.press("backspace")
  await robot.type("many")
  await robot.press("enter")
  await robot.draw()
  robot.shows("`retry.maxRetries` has to be a whole number")
  robot.shows("› retry.maxRetries  3")
  await robot.press("down", "enter")
  await robot.draw()
  robot.shows("model cannot be changed here: --model decides it")
  expect(written).toEqual([["theme", "light"]])
  await robot.close()
})

test("templates and skills are completed with what they take, and sent as what they say", async () => {
  const outside: Outside = {
    templates: () => [
      { name: "review", title: "Look at a change", args: "<file>" },
      { name: "skill:release", title: "How to release" },
      { name: "quit", title: "never reached" },
    ],
    expandTemplate(name, args) {
      if (name === "skill:release") throw new Error("its file is gone")
      return name === "review" ? `Please review ${args}.` : null
    },
  }
  const robot = await openRobot({ options: { outside } })
  await robot.type("/rev")
  await robot.draw()
  robot.shows("/review <file>")
  await robot.press("tab")
  await robot.type("a.ts")
  await robot.press("enter")
  await robot.draw()
  expect(robot.host.submitted).toEqual(["Please review a.ts."])
  await robot.type("/skill:release now")
  await robot.press("enter")
  await robot.draw()
  robot.shows("/skill:release cannot be read: its file is gone")
  expect(robot.host.submitted.length).toBe(1)
  await robot.type("/qui")
  await robot.draw()
  robot.hides("never reached")
  await robot.close()
})

const question: TrustQuestion = {
  folder: "/project",
  standing: "changed",
  effects: [
    { what: "run code inside of this program", files: [".cairn/extensions/gate.ts"] },
    { what: "add commands that send prompts", files: [".cairn/prompts/review.md"] },
  ],
  news: [".cairn/extensions/gate.ts"],
}

test("at the start a folder's wishes are asked about before anything is reached, all of them to be read", async () => {
  const answers: TrustAnswer[] = []
  const answer = async (given: TrustAnswer) => {
    answers.push(given)
    return { ok: true, text: "This folder is trusted." } as const
  }
  const robot = await openRobot({ options: { trust: { question, answer } } })
  await robot.draw()
  robot.shows("Trust this folder?")
  robot.shows("You trusted this folder; since then it has changed.")
  robot.shows("· run code inside of this program (new or changed)")
  robot.shows("· add commands that send prompts")
  await robot.type("s")
  await robot.draw()
  robot.shows(".cairn/extensions/gate.ts")
  await robot.press("escape")
  await robot.draw()
  robot.shows("Trust it this time only")
  await robot.type("t")
  await robot.draw()
  expect(answers).toEqual(["always"])
  robot.shows("This folder is trusted.")
  await robot.close()
})

test("trust is decided later by a command, and the host reads again", async () => {
  const decided: TrustAnswer[] = []
  const outside: Outside = {
    trust: {
      look: async () => ({ ...question, standing: "denied" }),
      async decide(answer) {
        decided.push(answer)
        return { ok: true, text: "Decided." }
      },
    },
  }
  const robot = await openRobot({ options: { outside } })
  await robot.wait(100)
  await robot.type("/trust")
  await robot.press("enter")
  await robot.draw()
  robot.shows("You do not trust this folder.")
  robot.hides("this time only")
  await robot.press("escape")
  await robot.draw()
  await robot.type("/trust")
  await robot.press("enter")
  await robot.draw()
  await robot.type("t")
  await robot.draw()
  expect(decided).toEqual(["later", "always"])
  expect(robot.host.asked.filter(({ type }) => type === "reload").length).toBe(1)
  await robot.close()
})
