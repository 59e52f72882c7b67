/**
 * Which step of the tour comes next: a pure function of what was said, so that a killed tour goes on where it was.
 *
 * - An input to an idle tour chooses a topic; one that arrives while a topic is going is a steer, is acknowledged, and changes nothing.
 * - Each answer with calls is one step done; an answer without ends the topic.
 */
import { callsOf, textOf, type Message } from "../../message/message.ts"
import { orderMessages } from "../../message/order.ts"
import { topics, type Topic } from "./script.ts"

/** `steered`: the text that came since the last answer, while a topic was going. `output`: what the last call gave. */
export type TourPlace = {
  readonly topic: Topic
  readonly step: number
  readonly steered: string
  readonly output: string
}

function topicOf(text: string, isFirst: boolean): Topic {
  const word = topics.find(
    (topic) => topic !== "first" && topic !== "menu" && new RegExp(`\\b${topic}\\b`, "i").test(text),
  )
  return word ?? (isFirst ? "first" : "menu")
}

export function placeOf(messages: readonly Message[]): TourPlace {
  let topic: Topic | undefined
  let step = 0
  let steered = ""
  let output = ""
  let any = false
  for (const message of orderMessages(messages)) {
    if (message.role === "toolResult") {
      output = textOf(message)
      continue
    }
    if (message.role === "assistant") {
      steered = ""
      if (callsOf(message).length === 0) topic = undefined
      else step += 1
      continue
    }
    if (topic === undefined) {
      topic = topicOf(textOf(message), !any)
      step = 0
    } else steered = textOf(message)
    any = true
  }
  return { topic: topic ?? "menu", step, steered, output }
}
