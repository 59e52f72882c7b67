import { expect, test } from "bun:test"
import { emptyPartial, fold, type Delta } from "../../../src/message/delta.ts"
import { textOf, type AssistantMessage, type Message } from "../../../src/message/message.ts"
import type { Response } from "../../../src/providers/provider.ts"
import { builtInKeymaps } from "../../../src/home/built-in.ts"
import { parseKeys } from "../../../src/home/chord.ts"
import { commandList } from "../../../src/home/command-names.ts"
import { resolveKeymap } from "../../../src/home/keymap.ts"
import { tourApi } from "../../../src/providers/tour/api.ts"
import { tourModel } from "../../../src/providers/tour/model.ts"
import { topics } from "../../../src/providers/tour/script.ts"
import { ManualClock } from "../../support/manual-clock.ts"
import { readTool, request, result, user } from "../support.ts"

const tools = ["read", "write", "edit", "bash"].map((name) => ({ ...readTool, name }))
const api = tourApi(4_711)

async function ask(
  messages: readonly Message[],
  offered = tools,
): Promise<{ response: Response; deltas: readonly Delta[]; clock: ManualClock }> {
  const clock = new ManualClock()
  const deltas: Delta[] = []
  const wanted = request(tourModel, messages, { tools: offered })
  const call = api.call(wanted, api.encode(wanted), {
    apiKey: undefined,
    headers: {},
    signal: new AbortController().signal,
    clock,
    stallMs: 1,
    onDelta: (delta) => deltas.push(delta),
  })
  await clock.advance(600_000)
  return { response: await call, deltas, clock }
}

function said({ content, stopReason, usage }: Response): AssistantMessage {
  return { role: "assistant", content, stopReason, usage, provider: "tour", api: "tour", model: "guide", timestamp: 1 }
}

/** The whole run that `text` starts, with every call answered. */
async function run(before: readonly Message[], text: string): Promise<readonly Message[]> {
  const messages: Message[] = [...before, user(text)]
  for (let turn = 0; turn < 20; turn++) {
    const { response } = await ask(messages)
    const answer = said(response)
    messages.push(answer)
    const calls = response.content.filter((part) => part.type === "toolCall")
    if (calls.length === 0) return messages
    for (const { id, name } of calls)
      messages.push({
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: [{ type: "text", text: "ok" }],
        isError: false,
        timestamp: 1,
      })
  }
  throw new Error("the tour does not end")
}

test("it says first that it is a script and no AI, and shows every tool", async () => {
  const messages = await run([], "hello")
  const [, first] = messages
  expect(first && textOf(first)).toContain("not from an AI")
  const used = messages.flatMap((message) =>
    message.content.flatMap((part) => (part.type === "toolCall" ? [part.name] : [])),
  )
  expect([...new Set(used)].sort()).toEqual(["bash", "edit", "read", "write"])
})

test("each topic runs to its end and offers the others; a word that is none gets the menu", async () => {
  let messages = await run([], "hello")
  for (const topic of [...topics.filter((name) => name !== "first"), "something else"]) {
    messages = await run(messages, topic)
    const last = messages.at(-1)
    expect(last && textOf(last)).toContain("What next?")
  }
})

test("the same conversation gets the same answer: a killed tour goes on where it was", async () => {
  const messages = await run([], "hello")
  for (let size = 1; size < messages.length; size++) {
    const part = messages.slice(0, size)
    if (part.at(-1)?.role === "assistant") continue
    const [once, again] = [await ask(part), await ask(part)]
    expect(again.response).toEqual(once.response)
  }
})

test("ids of calls are never used twice in a session", async () => {
  const messages = await run(await run(await run([], "hello"), "kill"), "kill")
  const ids = messages.flatMap((message) =>
    message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test("the edits fit the files that were written before", async () => {
  const files = new Map<string, string>()
  for (const message of await run([], "hello"))
    for (const part of message.content) {
      if (part.type !== "toolCall") continue
      const { path, content, edits } = part.arguments as {
        path: string
        content: string
        edits: readonly { oldText: string; newText: string }[]
      }
      if (part.name === "write") files.set(path, content)
      for (const { oldText, newText } of part.name === "edit" ? edits : []) {
        const before = files.get(path) ?? ""
        expect(before.split(oldText).length).toBe(2)
        files.set(path, before.replace(oldText, newText))
      }
    }
  expect(files.get("PLAN.md")).not.toContain("[ ]")
})

test("it streams words at a pace, and the deltas fold to the answer", async () => {
  const { response, deltas, clock } = await ask([user("hello")])
  const folded = deltas.reduce(fold, emptyPartial).parts.map(({ part }) => part)
  expect(folded).toEqual([...response.content])
  expect(deltas.filter(({ type }) => type === "text_delta").length).toBeGreaterThan(20)
  expect(clock.pending).toEqual([])
})

test("an abort stops it in the middle of a word's wait", async () => {
  const clock = new ManualClock()
  const controller = new AbortController()
  const wanted = request(tourModel, [user("hello")], { tools })
  let heard = 0
  const options = {
    apiKey: undefined,
    headers: {},
    signal: controller.signal,
    clock,
    stallMs: 1,
    onDelta: () => void (heard += 1),
  }
  const call = api.call(wanted, api.encode(wanted), options)
  await clock.advance(100)
  const before = heard
  controller.abort()
  await expect(call).rejects.toMatchObject({ kind: "aborted" })
  expect(heard).toBe(before)
})

test("a steer is acknowledged and changes nothing; a tool that is not on offer ends the run in words", async () => {
  const messages = await run([], "hello")
  const steered = await ask([...messages.slice(0, 3), user("use tabs")])
  expect(textOf(steered.response)).toContain("use tabs")
  const plain = await ask(messages.slice(0, 3))
  expect(steered.response.content.slice(1).length).toBe(plain.response.content.slice(1).length)
  const without = await ask([user("hello")], [readTool])
  expect(without.response).toMatchObject({
    stopReason: "stop",
    content: [{ text: expect.stringContaining("`write`") }],
  })
})

test("it tells what became of the command that it invites to kill, and claims nothing else", async () => {
  const before = (await run(await run([], "hello"), "kill")).slice(0, -2)
  const call = before.at(-1)?.content.find((part) => part.type === "toolCall")
  const told = async (output: string): Promise<string> =>
    textOf(
      (await ask([...before, { ...result(call?.type === "toolCall" ? call.id : "", output), toolName: "bash" }]))
        .response,
    )
  expect(await told("second 20 of 20\nall of it\n")).toContain("every line from 1 to 20")
  expect(await told("second 3 of 20\n[outcome unknown]")).toContain("did not come to its end")
})

test("it tells keys that are on the default keymap, and no names of commands", async () => {
  const texts = (await run([], "hello")).map((message) => textOf(message)).join("\n")
  for (const name of commandList.filter((of) => of.includes("."))) expect(texts).not.toContain(name)
  const map = resolveKeymap("default", builtInKeymaps, commandList)
  const bound = "keymap" in map ? map.keymap.bindings : []
  const told = {
    "Ctrl+L": "model.select",
    "Ctrl+O": "block.foldAll",
    "Ctrl+X p": "panel.togglePlan",
    "Ctrl+X v": "panel.toggleChanges",
  }
  for (const [key, command] of Object.entries(told)) {
    expect(texts).toContain(key)
    const keys = parseKeys(key.replace("Ctrl", "ctrl").replace(/[LOX]/, (letter) => letter.toLowerCase()))
    const chords = typeof keys === "string" ? [] : (keys[0] ?? [])
    const runs = bound.filter(({ keys: of }) => JSON.stringify(of) === JSON.stringify(chords)).flatMap((of) => of.run)
    expect(runs.map((of) => of.command)).toContain(command)
  }
})

test("it names the process that it invites to kill", async () => {
  const messages = await run(await run([], "hello"), "kill")
  expect(messages.map((message) => textOf(message)).join()).toContain("kill -9 4711")
})
