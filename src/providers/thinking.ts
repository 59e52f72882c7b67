/** Which of a model's thinking levels a request gets, and what a model takes when nobody said more than that it reasons. */
import { thinkingLevels, type ThinkingLevel } from "../message/message.ts"
import type { Model } from "./model.ts"

export type ThinkingMap = Model["thinking"]

/** Every vendor with a scale has these three; `off` with no word means that the switch alone, or silence, turns it off. */
export const usualThinking: ThinkingMap = { off: "", minimal: "minimal", low: "low", medium: "medium", high: "high" }

export const noThinking: ThinkingMap = {}

/** The levels that a model takes, in rising order. */
export function levelsOf(model: Pick<Model, "thinking">): readonly ThinkingLevel[] {
  return thinkingLevels.filter((level) => model.thinking[level] !== undefined)
}

/** `word` is the vendor's; empty where there is only a switch. */
export type Thinking = { readonly level: ThinkingLevel; readonly word: string }

/**
 * The nearest level that the model takes: the same, else the next one up, else the next one down. Undefined for a model that does not reason.
 * Off is never raised by a wish for more; a model that cannot be turned off gets its lowest.
 */
export function chooseThinking(model: Pick<Model, "thinking">, wished: ThinkingLevel): Thinking | undefined {
  const levels = levelsOf(model)
  const rank = thinkingLevels.indexOf(wished)
  const thinking = levels.filter((level) => level !== "off" || wished === "off")
  const up = thinking.find((level) => thinkingLevels.indexOf(level) >= rank)
  const level = up ?? thinking.at(-1) ?? levels[0]
  const word = level === undefined ? undefined : model.thinking[level]
  return level === undefined || word === undefined ? undefined : { level, word }
}
