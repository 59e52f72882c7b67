/** The commands that people know by a name after a slash, as a robot meets them. */
import { expect, test } from "bun:test"
import { openRobot } from "../../support/screen.ts"

const known =
  "model thinking tools new resume name session context tree fork clone compact undo redo changes export import copy settings theme keymap hotkeys login logout trust reload doctor quit"

test("every command that people know is completed after a slash", async () => {
  const robot = await openRobot({ columns: 100, rows: 40 })
  for (const name of known.split(" ")) {
    await robot.type(`/${name}`)
    robot.shows(`/${name}`)
    expect(
      robot
        .frame()
        .split("\n")
        .some((row) => new RegExp(`^\\s*›?\\s*/${name}\\s+\\S`).test(row.replace("│", ""))),
    ).toBe(true)
    await robot.press("escape")
    await robot.press("ctrl+u")
  }
  await robot.close()
})

test("tools are turned on and off in a list that stays, or named", async () => {
  const robot = await openRobot({ columns: 100, rows: 30 })
  const asked = (): readonly unknown[] => robot.host.asked.filter(({ type }) => type === "configure")
  await robot.type("/tools")
  await robot.press("enter")
  await robot.wait(50)
  robot.shows("☑ read  Read a file.")
  robot.shows("☑ bash  Run a command.")
  await robot.press("down", "enter")
  await robot.wait(50)
  robot.shows("› ☐ bash")
  expect(asked()).toEqual([{ type: "configure", conversation: 1, tools: ["read"] }])
  await robot.press("escape")
  await robot.type("/tools read, bash")
  await robot.press("enter")
  await robot.wait(50)
  expect(asked()).toHaveLength(2)
  expect(asked()[1]).toMatchObject({ tools: ["read", "bash"] })
  robot.shows("On are now: read, bash")
  await robot.close()
})

test("a file of pi is opened as a session, and one that is none is told of", async () => {
  const read: string[] = []
  const robot = await openRobot({
    options: {
      outside: {
        async importSession(path) {
          read.push(path)
          if (path.includes("none")) throw new Error("none.jsonl is no session file of pi")
          return { session: "01930000-0000-7000-8000-0000000000cc", unread: 2 }
        },
      },
    },
  })
  await robot.type("/import none.jsonl")
  await robot.press("enter")
  await robot.wait(50)
  robot.shows("none.jsonl is no session file of pi")
  await robot.type("/import")
  await robot.press("enter")
  robot.shows("A session file of pi, .jsonl")
  await robot.type("old.jsonl")
  await robot.press("enter")
  await robot.wait(50)
  robot.shows("2 lines of old.jsonl could not be read")
  expect(read).toEqual(["none.jsonl", "old.jsonl"])
  expect(robot.host.connects).toBe(2)
  await robot.close()
})

test("what the doctor found is read in a dialog, and keys are forgotten by choosing whose", async () => {
  const removed: string[] = []
  const robot = await openRobot({
    columns: 100,
    options: {
      outside: {
        doctor: async () => [
          { standing: "ok", what: "data", says: "there is room" },
          { standing: "wrong", what: "model", says: "no model can be asked" },
        ],
        providers: () => [
          { id: "one", label: "Provider One", ready: true },
          { id: "two", label: "Provider Two", ready: false },
        ],
        async removeKey(provider) {
          removed.push(provider)
          return { ok: true, text: `The key of ${provider} is forgotten.` }
        },
      },
    },
  })
  await robot.type("/doctor")
  await robot.press("enter")
  await robot.wait(50)
  robot.shows("One thing is wrong")
  robot.shows("WRONG model  no model can be asked")
  await robot.press("escape")
  await robot.type("/logout")
  await robot.press("enter")
  robot.shows("Provider One")
  robot.hides("Provider Two")
  await robot.press("enter")
  await robot.wait(50)
  expect(removed).toEqual(["one"])
  await robot.close()
})
