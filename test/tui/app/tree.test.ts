/** Going back, as a robot meets it: the tree, a fork whose input is written again, labels, and a copy. */
import { expect, test } from "bun:test"
import type { Command } from "../../../src/protocol/port.ts"
import { openRobot, type Robot, type RobotOptions } from "../../support/screen.ts"

async function talk(options: RobotOptions = {}): Promise<Robot> {
  const robot = await openRobot({ columns: 90, rows: 24, ...options })
  robot.host.input("first question")
  robot.host.answer("first answer")
  robot.host.input("second question")
  robot.host.answer("second answer")
  robot.host.answers.fork = ({ conversation, entry }) => {
    robot.host.commit({ type: "conversation", conversation: { id: 77, parent: { conversation, entry }, owner: null } })
    return { conversation: 77 }
  }
  await robot.wait(300)
  return robot
}

const asked = <T extends Command["type"]>(robot: Robot, type: T) => robot.host.asked.filter((one) => one.type === type)

test("from the tree one goes back to an input: it is in the editor again, and what came after it is not seen", async () => {
  const robot = await talk()
  await robot.type("/tree")
  await robot.press("enter")
  robot.shows("Tree: your inputs")
  robot.shows("› › second question")
  robot.hides("› first answer")
  await robot.press("enter")
  await robot.draw()
  robot.shows("Shall the model know of it in short?")
  await robot.type("n")
  await robot.wait(50)
  const [first, second] = robot.host.entries.slice(1, 3)
  expect(asked(robot, "fork")).toEqual([{ type: "fork", conversation: 1, entry: first?.id ?? 0 }])
  expect(second?.data.kind).toBe("user")
  expect(robot.prompt).toBe("second question|")
  expect(robot.state.conversation).toBe(77)
  robot.shows("first answer")
  robot.hides("second answer")
  await robot.close()
})

test("what is left behind is summarized where that is wanted, minding what is said", async () => {
  const robot = await talk()
  await robot.press("ctrl+x g")
  await robot.press("enter")
  await robot.type("m")
  await robot.type("the tests")
  await robot.press("enter")
  await robot.wait(50)
  expect(asked(robot, "fork")).toMatchObject([{ summary: "the tests" }])
  await robot.close()
})

test("the tree shows more with a key, and its end is a conversation to go on with", async () => {
  const robot = await talk()
  await robot.type("/tree")
  await robot.press("enter", "ctrl+o")
  robot.shows("Tree: without tools")
  robot.shows("first answer")
  await robot.press("end", "ctrl+end", "enter")
  await robot.wait(50)
  expect(asked(robot, "fork")).toEqual([])
  expect(robot.state.conversation).toBe(1)
  await robot.close()
})

test("a fork is folded and unfolded, and the tree is searched as one types", async () => {
  const robot = await talk()
  const place = { conversation: 77, at: 0, byTask: null }
  const said = (id: number, text: string) => {
    const data = { kind: "user", content: [{ type: "text", text }], submission: 1 } as const
    return { type: "entry", entry: { ...place, id, data } } as const
  }
  const at = robot.host.entries[1]?.id ?? 0
  robot.host.commit(
    { type: "conversation", conversation: { id: 77, parent: { conversation: 1, entry: at }, owner: null } },
    said(101, "another way"),
    said(102, "and further"),
  )
  await robot.type("/tree")
  await robot.press("enter")
  robot.shows("  › and further")
  await robot.press("up", "alt+h")
  robot.shows("▸ 1 more · c77")
  robot.hides("and further")
  await robot.press("alt+h")
  robot.shows("  › and further")
  await robot.type("first")
  robot.shows("› › first question")
  robot.hides("and further")
  await robot.close()
})

test("a point is given a label", async () => {
  const robot = await talk()
  robot.host.answers.label = ({ entry, label }) => {
    robot.host.commit({ type: "document", document: { conversation: 0, name: "labels", value: { [entry]: label } } })
    return null
  }
  await robot.type("/tree")
  await robot.press("enter", "ctrl+r")
  await robot.type("before the rewrite")
  await robot.press("enter")
  await robot.wait(50)
  robot.shows("second question  [before the rewrite]")
  await robot.close()
})

test("an earlier prompt is forked at without a question, and a copy is gone on with", async () => {
  const cloned: unknown[] = []
  const robot = await talk({
    options: {
      outside: {
        async cloneSession(session, conversation) {
          cloned.push([session, conversation])
          return "01930000-0000-7000-8000-0000000000cc"
        },
      },
    },
  })
  await robot.type("/fork")
  await robot.press("enter")
  robot.shows("Fork at an earlier prompt")
  await robot.press("up", "enter")
  await robot.wait(50)
  expect(asked(robot, "fork")).toEqual([{ type: "fork", conversation: 1, entry: 0 }])
  expect(robot.prompt).toBe("first question|")
  await robot.press("ctrl+u")
  await robot.type("/clone")
  await robot.press("enter")
  await robot.wait(50)
  expect(cloned).toEqual([[robot.host.session, 77]])
  expect(robot.host.connects).toBe(2)
  await robot.close()
})
