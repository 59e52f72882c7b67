import { expect, test } from "bun:test"
import type { FirstStart, FirstStartAnswer, Outcome } from "../../../src/tui/options.ts"
import { openRobot } from "../../support/screen.ts"

const offer: FirstStart = {
  providers: [{ id: "acme", label: "Acme", ready: false }],
  local: [{ model: "local/qwen", label: "Qwen on port 11434" }],
}

function start(outcome: Outcome = { ok: true, text: "Ready" }) {
  const answers: FirstStartAnswer[] = []
  let dismissed = 0
  const firstStart = {
    offer,
    answer(answer: FirstStartAnswer): Promise<Outcome> {
      answers.push(answer)
      return Promise.resolve(outcome)
    },
    dismissed: () => void dismissed++,
  }
  return { answers, dismissed: () => dismissed, options: { firstStart } }
}

test("the first start offers the tour, a server that was found, and a key", async () => {
  const { options, answers } = start()
  const robot = await openRobot({ options })
  robot.shows(`
    › Take the tour  a scripted model: no key, no network
      Use Qwen on port 11434  local/qwen
      Use Acme  with an API key
  `)
  await robot.press("down", "enter")
  expect(answers).toEqual([{ kind: "local", model: "local/qwen" }])
  await robot.draw()
  robot.shows("● Ready")
  await robot.close()
})

test("a key is asked for unseen and given to whoever stores it", async () => {
  const { options, answers } = start()
  const robot = await openRobot({ options })
  await robot.press("down", "down", "enter")
  await robot.type("secret")
  expect(robot.frame()).not.toContain("secret")
  await robot.press("enter")
  expect(answers).toEqual([{ kind: "key", provider: "acme", key: "secret" }])
  await robot.close()
})

test("an answer that fails is told, and the question comes again", async () => {
  const { options } = start({ ok: false, reason: "That key was refused" })
  const robot = await openRobot({ options })
  await robot.press("enter")
  await robot.draw()
  robot.shows("● That key was refused")
  robot.shows("› Take the tour")
  await robot.close()
})

test("the question can be put away", async () => {
  const { options, dismissed } = start()
  const robot = await openRobot({ options })
  await robot.press("escape")
  robot.hides("Take the tour")
  expect(dismissed()).toBe(1)
  await robot.close()
})
