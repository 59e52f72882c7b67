import { expect, test } from "bun:test"
import type { ModelRecord } from "../../../src/protocol/port.ts"
import type { LoginSteps, LoginWay, Outcome } from "../../../src/tui/options.ts"
import { commandInfo, commandList } from "../../../src/home/command-names.ts"
import { commands } from "../../../src/tui/commands/table.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const model = (name: string, more: Partial<ModelRecord> = {}): ModelRecord => ({
  name,
  provider: name.split("/")[0] ?? "",
  label: name.split("/")[1] ?? "",
  contextWindow: 200_000,
  price: { input: 3, output: 15 },
  thinking: ["off", "low", "high"],
  images: true,
  edits: "replace",
  ready: true,
  ...more,
})

const models = [model("acme/fast"), model("acme/smart"), model("other/keyless", { ready: false })]

const configured = (robot: Robot) => robot.host.asked.filter((command) => command.type === "configure")

test("the palette shows every command with its key, and runs the one that was found by typing", async () => {
  const robot = await openRobot()
  await robot.press("ctrl+p")
  robot.shows("› Quit; running work goes on in the background unless you say otherwise")
  await robot.type("new session")
  robot.shows("› Start a new session  session.new")
  robot.shows("ctrl+x n")
  await robot.press("enter")
  await robot.wait(100)
  expect(robot.host.connects).toBe(2)
  await robot.close()
})

test("where the palette has no room for the name of a command, it has its key", async () => {
  const robot = await openRobot({ columns: 100, rows: 30 })
  robot.host.input("question")
  robot.host.answer("answer")
  await robot.wait(100)
  await robot.press("ctrl+p")
  await robot.type("take back the last run")
  await robot.wait(100)
  expect(robot.frame()).toMatch(/Take back the last run: .* ctrl\+x b │/)
  await robot.close()
})

test("the palette says why a command cannot be used, and does not run it", async () => {
  const robot = await openRobot()
  await robot.press("ctrl+p")
  await robot.type("stop the running")
  robot.shows("› Stop the running turn  nothing is running")
  await robot.press("enter")
  robot.shows("Stop the running turn")
  await robot.close()
})

test("a command that needs something that is not there says in the palette what that is", async () => {
  const robot = await openRobot({ columns: 120 })
  await robot.press("ctrl+p")
  for (const [typed, shown] of [
    ["send the prompt", "the editor is empty"],
    ["to the next match", "nothing is being searched for"],
    ["tick or untick", "the plan panel has to have the focus"],
    ["copy the block you are", "nothing was said yet"],
    ["redo what was undone", "nothing was undone in the editor"],
    ["ask the model again", "nothing waits to be asked again"],
    ["go to the editor", "the editor has the focus"],
  ] as const) {
    await robot.type(typed)
    robot.shows(shown)
    await robot.press("ctrl+u")
  }
  await robot.close()
})

test("every command that would do nothing says why, and the keys of a panel's command name the panel", async () => {
  const leaves = new Set(["app.quit", "app.detach", "app.clear"])
  const fresh = await openRobot()
  const named = commandList.filter((one) => commandInfo(one).hidden !== true && !leaves.has(one))
  const able = named.filter((name) => (commands[name].off?.(fresh.screen.app) ?? null) === null)
  await fresh.close()
  for (const name of able) {
    const one = await openRobot()
    expect(`${name} ${one.screen.app.run(name)}`).toBe(`${name} true`)
    await one.close()
  }
  const robot = await openRobot({ columns: 120 })
  await robot.press("ctrl+p")
  await robot.type("open a file as a plan")
  robot.shows("panel.plan: o")
  await robot.close()
})

test("commands and models stand under headings until something is typed", async () => {
  const robot = await openRobot()
  robot.host.answers.models = () => models
  await robot.press("ctrl+p")
  robot.shows(`
    │ Cairn
    │ › Quit;
  `)
  await robot.type("quit")
  robot.hides("│ Cairn")
  await robot.press("escape", "ctrl+l")
  await robot.draw()
  robot.shows("│ acme")
  await robot.close()
})

test("help says what each key does here first, keys of one meaning in one row", async () => {
  const robot = await openRobot({ columns: 120, rows: 60 })
  await robot.press("f1")
  robot.shows("│ the editor has the focus")
  robot.shows("shift+enter, ctrl+enter")
  robot.shows("Begin a new line")
  await robot.press("escape", "ctrl+x up", "f1")
  robot.shows("│ the conversation has the focus instead of the editor")
  await robot.close()
})

test("the bar goes round at the ends of a list and the view follows it", async () => {
  const robot = await openRobot()
  await robot.press("ctrl+p", "up")
  robot.shows("› Show the changes of the whole conversation")
  await robot.press("down")
  robot.shows("› Quit;")
  await robot.close()
})

test("a model is chosen from those that can be asked, with window and price", async () => {
  const robot = await openRobot()
  robot.host.answers.models = () => models
  await robot.press("ctrl+l")
  await robot.draw()
  robot.shows("fast  acme/fast")
  robot.shows("200k tokens · $3.00 / $15.00")
  robot.shows("keyless  no key: /login")
  await robot.type("smart")
  await robot.press("enter")
  expect(configured(robot)).toMatchObject([{ model: "acme/smart" }])
  await robot.close()
})

test("F2 goes through the enabled models and back", async () => {
  const host = { settings: { enabledModels: ["acme/*"] } }
  const robot = await openRobot(host)
  robot.host.answers.models = () => models
  robot.host.model = "acme/smart"
  robot.host.say(robot.host.snapshot())
  await robot.press("f2")
  await robot.draw()
  expect(configured(robot)).toMatchObject([{ model: "acme/fast" }])
  await robot.close()
})

test("the thinking level goes through what the model takes", async () => {
  const robot = await openRobot()
  robot.host.answers.models = () => models
  robot.host.model = "acme/smart"
  robot.host.say(robot.host.snapshot())
  await robot.press("ctrl+l", "escape", "shift+tab")
  expect(configured(robot)).toMatchObject([{ thinking: "low" }])
  await robot.close()
})

test("sessions are listed newest first with their age, and another one is opened in place", async () => {
  const robot = await openRobot()
  const summary = {
    folder: robot.folder,
    createdAt: 0,
    bytes: 1,
    interrupted: false,
    archived: false,
    tags: [],
    holder: null,
    state: "ok",
    note: "",
  } as const
  const now = robot.clock.now()
  robot.host.summaries.push(
    { ...summary, id: "01930000-0000-7000-8000-0000000000aa", title: "Fix the build", updatedAt: now - 5 * 60_000 },
    {
      ...summary,
      id: "01930000-0000-7000-8000-0000000000bb",
      title: "",
      updatedAt: now - 3 * 3_600_000,
      interrupted: true,
    },
  )
  await robot.press("ctrl+x l")
  await robot.draw()
  robot.shows("› Fix the build")
  robot.shows("5 min · 000000aa")
  robot.shows("untitled  interrupted")
  await robot.press("enter")
  await robot.wait(100)
  expect(robot.host.connects).toBe(2)
  await robot.close()
})

test("a session is named by what is typed", async () => {
  const robot = await openRobot()
  await robot.type("/name The big refactor")
  await robot.press("enter")
  expect(robot.host.asked.filter((command) => command.type === "title")).toEqual([
    { type: "title", title: "The big refactor" },
  ])
  await robot.close()
})

test("what the model was told can be read", async () => {
  const robot = await openRobot()
  robot.host.answers.context = () => ({
    system: "You are an agent.",
    parts: [
      { kind: "prompt", name: "instructions", tokens: 300 },
      { kind: "file", name: "AGENTS.md", tokens: 1_200 },
      { kind: "tool", name: "read", tokens: 1_000 },
      { kind: "conversation", name: "conversation", tokens: 17_500 },
    ],
    tokens: 2_500,
    window: 200_000,
  })
  await robot.press("ctrl+x h")
  await robot.draw()
  robot.shows("What the model was told: about 2.5k tokens")
  robot.shows("file         AGENTS.md      1.2k  6 %")
  expect(robot.frame()).toMatch(/in all +20k of 200k, 10 %/)
  robot.shows("You are an agent.")
  await robot.press("escape")
  robot.hides("You are an agent.")
  await robot.close()
})

test("a request that fails is told in a sentence and nothing else happens", async () => {
  const robot = await openRobot()
  robot.host.answers.compact = () => Promise.reject(new Error("There is nothing to summarize yet."))
  await robot.type("/compact")
  await robot.press("enter")
  await robot.draw()
  robot.shows("● There is nothing to summarize yet.")
  await robot.close()
})

test("a key is typed unseen, and goes to whoever stores keys and nowhere else", async () => {
  const stored: string[] = []
  const saveKey = (provider: string, key: string): Promise<Outcome> => {
    stored.push(`${provider} ${key}`)
    return Promise.resolve({ ok: true, text: "The key of Acme is stored" })
  }
  const outside = { providers: () => [{ id: "acme", label: "Acme", ready: false }], saveKey }
  const robot = await openRobot({ options: { outside } })
  await robot.type("/login acme")
  await robot.press("enter")
  await robot.type("sk-test")
  await robot.paste("-123")
  robot.shows("•••••••••••")
  expect(robot.frame()).not.toContain("sk-test")
  await robot.press("backspace", "enter")
  await robot.draw()
  expect(stored).toEqual(["acme sk-test-12"])
  robot.shows("● The key of Acme is stored")
  expect(robot.memory.sent.join(" ")).not.toContain("sk-")
  expect(JSON.stringify(robot.host.asked)).not.toContain("sk-")
  await robot.close()
})

/** Logins that the test ends: what was shown of them, and how they were asked for. */
function logins(way: LoginWay) {
  const asked: (LoginSteps & { readonly provider: string; readonly end: (outcome: Outcome) => void })[] = []
  const saved: string[] = []
  const outside = {
    providers: () => [{ id: "acme", label: "Acme", ready: false, login: way }],
    saveKey(provider: string, key: string): Promise<Outcome> {
      saved.push(`${provider} ${key}`)
      return Promise.resolve({ ok: true, text: "stored" })
    },
    logIn(provider: string, steps: LoginSteps): Promise<Outcome> {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      asked.push({ ...steps, provider, end: resolve })
      return promise
    },
  }
  return { asked, saved, outside }
}

test("a login with a code shows where to go and what to type there, and ends with a sentence", async () => {
  const { asked, outside } = logins({ kind: "code", key: false, notice: "It bears another's name." })
  const robot = await openRobot({ options: { outside } })
  await robot.type("/login acme")
  await robot.press("enter")
  asked[0]?.show({ url: "https://acme.test/device", code: "WXYZ-1234" })
  await robot.draw()
  robot.shows("It bears another's name.")
  robot.shows("Open https://acme.test/device")
  robot.shows("and type WXYZ-1234 there.")
  asked[0]?.end({ ok: true, text: "You are logged in at acme." })
  await robot.draw()
  robot.hides("WXYZ-1234")
  robot.shows("● You are logged in at acme.")
  expect(asked.map(({ provider, signal }) => [provider, signal.aborted])).toEqual([["acme", false]])
  await robot.close()
})

test("a login with a browser takes the address that it ended at, and is stopped by putting it away", async () => {
  const { asked, outside } = logins({ kind: "browser", key: false })
  const robot = await openRobot({ options: { outside } })
  await robot.type("/login acme")
  await robot.press("enter")
  asked[0]?.show({ url: "https://acme.test/authorize?state=s" })
  await robot.draw()
  robot.shows("Open https://acme.test/authorize?state=s")
  await robot.paste("http://127.0.0.1:1/callback?code=c")
  await robot.press("enter")
  expect(await asked[0]?.pasted).toBe("http://127.0.0.1:1/callback?code=c")
  asked[0]?.end({ ok: false, reason: "The login was refused." })
  await robot.draw()
  robot.shows("● The login was refused.")
  await robot.type("/login acme")
  await robot.press("enter")
  asked[1]?.show({ url: "https://acme.test/again" })
  await robot.draw()
  robot.shows("Open https://acme.test/again")
  await robot.press("escape")
  expect(asked[1]?.signal.aborted).toBe(true)
  await robot.close()
})

test("where a key is taken as well, the person chooses", async () => {
  const { asked, saved, outside } = logins({ kind: "browser", key: true })
  const robot = await openRobot({ options: { outside } })
  await robot.type("/login acme")
  await robot.press("enter")
  robot.shows(`
    › Log in with a browser
      Type an API key
  `)
  await robot.press("down", "enter")
  await robot.type("sk-typed")
  await robot.press("enter")
  await robot.draw()
  expect([saved, asked.length]).toEqual([["acme sk-typed"], 0])
  await robot.type("/login acme")
  await robot.press("enter", "enter")
  expect(asked.length).toBe(1)
  await robot.close()
})

test("a second dialog stands over the first, which is as it was when it comes back", async () => {
  const robot = await openRobot({
    options: { outside: { providers: () => [{ id: "acme", label: "Acme", ready: false }] } },
    settings: {},
  })
  await robot.press("f1")
  robot.shows("─ Keys ─")
  await robot.press("pagedown", "escape")
  robot.hides("─ Keys ─")
  expect(robot.state.dialogs).toEqual([])
  await robot.close()
})

test("under a dialog nothing hears keys", async () => {
  const robot = await openRobot()
  await robot.type("draft")
  await robot.press("ctrl+p")
  await robot.type("zzz")
  await robot.press("ctrl+u", "escape")
  expect(robot.prompt).toBe("draft|")
  await robot.close()
})

test.each([
  [40, 10],
  [60, 20],
  [100, 30],
  [200, 50],
])("at %d by %d a dialog is inside of the screen and its bar can be seen", async (columns, rows) => {
  const robot = await openRobot({ columns, rows })
  await robot.press("ctrl+p")
  robot.shows("› Quit")
  robot.shows("╭─ Commands ─")
  robot.shows("╰──")
  await robot.press("pagedown", "pagedown")
  expect(robot.frame()).toContain("› ")
  await robot.press("escape")
  robot.hides("╭─ Commands ─")
  await robot.close()
})
