/** The table of what goes along to which model, row by row. */
import { expect, test } from "bun:test"
import { textOf, type AssistantPart, type Message } from "../../src/message/message.ts"
import { noResultText } from "../../src/message/order.ts"
import { handoff } from "../../src/providers/handoff.ts"
import { anthropicIds, historyFor, imagePlaceholder } from "../../src/providers/history.ts"
import { assistant, call, image, model, result, text, user } from "./support.ts"

const speaker = model({ id: "speaker", api: "anthropic-messages" })
const other = model({ id: "other", api: "anthropic-messages" })
const blind = (id: string): ReturnType<typeof model> => ({ ...speaker, id, input: ["text"] })

type Row = keyof typeof handoff

const parts: Readonly<Partial<Record<Row, AssistantPart>>> = {
  text: text("said"),
  textSignature: { type: "text", text: "said", textSignature: "sealed" },
  thinking: { type: "thinking", thinking: "hm", thinkingSignature: "sealed" },
  redactedThinking: { type: "thinking", thinking: "", thinkingSignature: "sealed", redacted: true },
  callSignature: { ...call("a"), thoughtSignature: "sealed" } as AssistantPart,
}

const told: Readonly<Record<string, (message: Message) => boolean>> = {
  text: (message) => textOf(message).includes("said"),
  textSignature: (message) => JSON.stringify(message).includes("sealed"),
  thinking: (message) => JSON.stringify(message).includes("sealed"),
  redactedThinking: (message) => JSON.stringify(message).includes("sealed"),
  callSignature: (message) => JSON.stringify(message).includes("sealed"),
}

const targets = [
  ["same", speaker],
  ["other", other],
] as const

for (const [whose, target] of targets)
  test.each(Object.entries(parts) as [Row, AssistantPart][])(`%s to the ${whose} model`, (row, part) => {
    const calls = part.type === "toolCall" ? [part] : [part, call("a")]
    const view = historyFor([user("hi"), assistant(speaker, ...calls), result("a", "1")], target, anthropicIds)
    expect(view.some((message) => told[row]?.(message) ?? false)).toBe(handoff[row][whose] !== "dropped")
  })

for (const [whose, target] of targets) {
  const view = (messages: readonly Message[]): readonly Message[] => historyFor(messages, target, anthropicIds)

  test(`calls, their ids and names, to the ${whose} model: mapped together`, () => {
    const [, said, answer] = view([user("hi"), assistant(speaker, call("x:0", "functions.read")), result("x:0", "1")])
    const made = said?.role === "assistant" ? said.content[0] : undefined
    expect(made).toMatchObject({ type: "toolCall", name: "functions_read", arguments: { path: "a" } })
    expect(made?.type === "toolCall" && made.id).toMatch(/^toolu_[0-9a-f]{24}$/)
    expect(answer).toMatchObject({ toolCallId: made?.type === "toolCall" ? made.id : "" })
  })

  test(`broken arguments and a missing result, to the ${whose} model: told`, () => {
    const broken = { type: "toolCall", id: "a", name: "read", arguments: {}, argumentsError: '{"pa' } as const
    const seen = view([user("hi"), assistant(speaker, broken), user("on")])
    expect(JSON.stringify(seen)).not.toContain('{\\"pa')
    expect(seen.map((message) => textOf(message)).join()).toContain(noResultText)
  })

  test(`pictures, to the ${whose} model: kept where it sees, told where it does not`, () => {
    const messages = [user("look", image), assistant(speaker, text("so")), user("on")]
    expect(JSON.stringify(view(messages))).toContain(image.type === "image" ? image.data : "")
    const unseen = historyFor(messages, blind(target.id), anthropicIds)
    expect(textOf(unseen[0] ?? user())).toContain(imagePlaceholder)
  })

  test(`attempts, to the ${whose} model: dropped with their calls and results`, () => {
    for (const stopReason of ["error", "aborted"] as const) {
      const attempt = { ...assistant(speaker, text("half"), call("a")), stopReason }
      expect(view([user("hi"), attempt, result("a", "1"), user("on")])).toMatchObject([
        { role: "user", content: [{ text: "hi" }] },
        { role: "user", content: [{ text: "on" }] },
      ])
    }
  })
}

test("a change of one of provider, format and model makes it another's", () => {
  for (const change of [{ provider: "p" }, { api: "openai-completions" as const }, { id: "m2" }]) {
    const view = historyFor(
      [user("hi"), assistant(speaker, ...Object.values(parts))],
      { ...speaker, ...change },
      anthropicIds,
    )
    expect(JSON.stringify(view)).not.toContain("sealed")
  }
})
