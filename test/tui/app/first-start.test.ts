import { expect, test } from "bun:test"
import type { FirstStart, FirstStartAnswer, LoginSteps, Outcome } from "../../../src/tui/options.ts"
import { openRobot } from "../../support/screen.ts"

const offer: FirstStart = {
  providers: [{ id: "acme", label: "Acme", ready: false }],
  local: [{ model: "local/qwen", label: "Qwen on port 11434" }],
}

function start(outcome: Outcome = { ok: true, text: "Ready" }) {
  const answers: FirstStartAnswer[] = []
  const standing = { settled: false }
  const firstStart = {
    offer,
    answer(answer: FirstStartAnswer): Promise<Outcome> {
      answers.push(answer)
      return Promise.resolve(outcome)
    },
    settled: () => standing.settled,
  }
  return { answers, standing, options: { firstStart } }
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

test("a provider that takes a login is logged into, and works from then on", async () => {
  const { options, answers } = start()
  const login = { kind: "code", key: false } as const
  const providers = [{ id: "acme", label: "Acme", ready: false, login }]
  const ends: ((outcome: Outcome) => void)[] = []
  const outside = {
    logIn(_: string, { show }: LoginSteps): Promise<Outcome> {
      show({ url: "https://acme.test/device", code: "WXYZ-1234" })
      return new Promise((resolve) => ends.push(resolve))
    },
  }
  const firstStart = { ...options.firstStart, offer: { ...offer, providers } }
  const robot = await openRobot({ options: { firstStart, outside } })
  robot.shows("Use Acme  with a code")
  await robot.press("down", "down", "enter")
  robot.shows("and type WXYZ-1234 there.")
  ends[0]?.({ ok: false, reason: "The code has expired: begin again." })
  await robot.draw()
  robot.shows("● The code has expired: begin again.")
  robot.shows("› Take the tour")
  await robot.press("down", "down", "enter")
  ends[1]?.({ ok: true, text: "in" })
  await robot.draw()
  expect(answers).toEqual([{ kind: "login", provider: "acme" }])
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

test("put away, the question leaves a line that says how to go on, and comes again with the first prompt, which waits for it", async () => {
  const { options, answers } = start()
  const robot = await openRobot({ options, columns: 120 })
  await robot.press("escape")
  robot.hides("Take the tour")
  robot.shows("● No model can be asked yet: /login stores a provider's key, /tour shows what there is without one.")
  await robot.wait(60_000)
  robot.shows("● No model can be asked yet")
  await robot.type("hello")
  await robot.press("enter")
  robot.shows("› Take the tour")
  await robot.press("enter")
  await robot.draw()
  expect(answers).toEqual([{ kind: "tour" }])
  robot.hides("No model can be asked yet")
  await robot.close()
})

test("after it was put away the question comes with /login and with the choice of a model, and /tour answers it", async () => {
  const { options, answers } = start()
  const robot = await openRobot({ options, columns: 120 })
  await robot.press("escape", "ctrl+l")
  robot.shows("› Take the tour")
  await robot.press("escape")
  await robot.type("/login")
  await robot.press("escape", "enter")
  robot.shows("› Take the tour")
  await robot.press("escape")
  await robot.type("/tour")
  await robot.press("escape", "enter")
  await robot.draw()
  expect(answers).toEqual([{ kind: "tour" }])
  await robot.close()
})

test("where a model can be asked by then, as from a config that was written meanwhile, nothing is asked again", async () => {
  const { options, standing } = start()
  const robot = await openRobot({ options, columns: 120 })
  await robot.press("escape")
  standing.settled = true
  await robot.type("hello")
  await robot.press("enter")
  robot.hides("Take the tour")
  robot.hides("No model can be asked yet")
  await robot.close()
})
