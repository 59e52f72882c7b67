/**
 * The last row: what model at what effort, how full its context is, what it cost, where we are.
 *
 * - Numbers that are guesses carry a `~`. What is not known is not shown: no zero stands for an absent price.
 */
import type { Role } from "../../home/roles.ts"
import { agentOf, sessionOf, usageOf } from "../../protocol/view.ts"
import { folderOf, type ScreenState } from "../state.ts"
import { money, shortCount } from "./numbers.ts"
import type { Part, Strip } from "./strip.ts"

/** Parts of the window from which its fill is worth a look, and from which it is nearly full. */
const contextWarning = 0.7
const contextError = 0.9

function contextParts(state: ScreenState): readonly Part[] {
  const usage = usageOf(state.view, state.conversation)
  if (usage === undefined || usage.context === 0) return []
  const sign = usage.contextEstimated ? "~" : ""
  const window = usage.contextWindow
  if (window === null) return [{ text: `${sign}${shortCount(usage.context)}`, role: "textMuted", drop: 2 }]
  const part = usage.context / window
  const role: Role = part >= contextError ? "error" : part >= contextWarning ? "warning" : "textMuted"
  return [
    { text: `${sign}${Math.round(part * 100)}%`, role, drop: 1 },
    { text: `${shortCount(usage.context)}/${shortCount(window)}`, role: "textMuted", drop: 4 },
  ]
}

function spentParts(state: ScreenState): readonly Part[] {
  const total = usageOf(state.view, state.conversation)?.total
  if (total === undefined || total.totalTokens === 0) return []
  const sign = total.estimated === true ? "~" : ""
  const cached = total.cacheRead + total.cacheWrite
  const tokens = `${sign}↑${shortCount(total.input + cached)} ↓${shortCount(total.output)}`
  const parts: Part[] = [{ text: tokens, role: "textMuted", drop: 5 }]
  // What costs nothing is not worth a word.
  if (total.cost !== undefined && total.cost.total > 0)
    parts.push({ text: `${sign}${money(total.cost.total)}`, role: "textMuted", drop: 2 })
  return parts
}

/** The model as people call it: without its provider where there is no room. */
function modelParts(state: ScreenState): readonly Part[] {
  const agent = agentOf(state.view, state.conversation)
  if (agent === undefined || agent.model === "") return []
  const record = state.models.find((model) => model.name === agent.model)
  const name = record?.label ?? agent.model.slice(agent.model.indexOf("/") + 1)
  const parts: Part[] = [{ text: name, role: "secondary", drop: 0 }]
  if (agent.thinking !== "off" && record?.thinking.length !== 0) {
    parts.push({ text: agent.thinking, role: "textMuted", drop: 3 })
  }
  return parts
}

/** `path` with the home folder as `~`. */
export function homely(path: string, home: string): string {
  return path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

export function footer(state: ScreenState, place: { readonly folder: string; readonly home: string }): Strip {
  const title = sessionOf(state.view)?.title ?? ""
  const folder = folderOf(state, place.folder)
  const where = state.branch === null ? "" : `(${state.branch})`
  return {
    left: [...modelParts(state), ...contextParts(state), ...spentParts(state)],
    right: [
      { text: title, role: "textMuted", drop: 7 },
      { text: homely(folder, place.home), role: "textMuted", drop: 6 },
      { text: where, role: "textMuted", drop: 3 },
    ],
    gap: " ",
  }
}
