/** What can be read about this session: what its model is told, and what it took. */
import type { CommandName } from "../../home/command-names.ts"
import type { ContextPart } from "../../protocol/port.ts"
import { cacheShare, noStats, type ModelStats, type Stats } from "../../protocol/stats.ts"
import { sessionOf } from "../../protocol/view.ts"
import { shortId } from "../../std/id.ts"
import type { DoctorRow } from "../options.ts"
import type { TextDialog } from "../dialogs/dialog.ts"
import { elapsed, money, shortCount } from "../status/numbers.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

type Row = TextDialog["rows"][number]

function share(tokens: number, all: number): string {
  return all === 0 ? "" : `${Math.round((tokens / all) * 100)} %`
}

const kindTitles: Readonly<Record<ContextPart["kind"], string>> = {
  prompt: "prompt",
  file: "file",
  skill: "skill",
  tool: "tool",
  conversation: "said so far",
}

async function contextDialog(stage: Stage): Promise<TextDialog> {
  const { conversation } = stage.store.state
  const { system, tokens, parts, window } = await stage.link.request({ type: "context", conversation })
  const all = parts.reduce((sum, part) => sum + part.tokens, 0)
  const nameColumns = Math.max(...parts.map(({ name }) => name.length), "in all".length)
  const line = (left: string, name: string, size: string): Row => ({
    left,
    right: `${name.padEnd(nameColumns)}  ${size}`,
  })
  const row = ({ kind, name, tokens: own }: ContextPart): Row =>
    line(kindTitles[kind], name, `${shortCount(own).padStart(5)}  ${share(own, all)}`)
  const of = window === null ? "" : ` of ${shortCount(window)}, ${share(all, window)}`
  return {
    kind: "text",
    id: "context",
    title: `What the model was told: about ${shortCount(tokens)} tokens`,
    rows: [
      ...parts.map(row),
      line("", "in all", `${shortCount(all).padStart(5)}${of}`),
      { left: "" },
      { left: "System prompt", heading: true },
      { left: system },
    ],
  }
}

function modelLine({ answers, attempts, usage, durationMs }: ModelStats): string {
  const { input, cacheRead, cacheWrite, output, cost } = usage
  const cached = cacheShare(usage)
  return [
    `${answers} answers${attempts === 0 ? "" : `, ${attempts} failed`}`,
    `↑${shortCount(input + cacheRead + cacheWrite)} ↓${shortCount(output)}`,
    cached === null ? "" : `${Math.round(cached * 100)} % cached`,
    cost === undefined ? "" : money(cost.total),
    durationMs === 0 ? "" : elapsed(durationMs),
  ]
    .filter(Boolean)
    .join(" · ")
}

function statsRows(stats: Stats): readonly Row[] {
  const models = Object.entries(stats.models)
  const tools = Object.entries(stats.tools).toSorted(([, a], [, b]) => b.calls - a.calls)
  const total = models.reduce((sum, [, { usage }]) => sum + (usage.cost?.total ?? 0), 0)
  return [
    { left: "inputs", right: String(stats.inputs) },
    ...(stats.compactions === 0 ? [] : [{ left: "summaries", right: String(stats.compactions) }]),
    ...(total === 0 ? [] : [{ left: "cost", right: money(total) }]),
    { left: "" },
    ...(models.length === 0 ? [] : [{ left: "Models", heading: true }]),
    ...models.map(([name, model]) => ({ left: name, right: modelLine(model) })),
    ...(tools.length === 0 ? [] : [{ left: "" }, { left: "Tools", heading: true }]),
    ...tools.map(([name, { calls, failed, durationMs, tokens }]) => ({
      left: name,
      right: [
        `${calls} calls${failed === 0 ? "" : `, ${failed} failed`}`,
        elapsed(durationMs),
        `${shortCount(tokens)} tokens in results`,
      ].join(" · "),
    })),
  ]
}

async function sessionDialog(stage: Stage): Promise<TextDialog> {
  const { view } = stage.store.state
  const stats = view.session === "" ? noStats : await stage.link.request({ type: "stats" })
  const session = sessionOf(view)
  return {
    kind: "text",
    id: "session",
    title: "Session",
    rows: [
      { left: "session", right: view.session === "" ? "not begun" : `${shortId(view.session)}  (${view.session})` },
      { left: "name", right: session?.title ?? "" },
      { left: "folder", right: session?.folder ?? stage.options.folder },
      ...statsRows(stats),
    ],
  }
}

function opens(make: (stage: Stage) => Promise<TextDialog>): Command {
  return {
    run(stage) {
      attempt(
        stage,
        make(stage).then((dialog) => stage.store.dispatch({ type: "dialog.open", dialog })),
      )
      return true
    },
  }
}

const standings: Readonly<Record<DoctorRow["standing"], string>> = { ok: "ok", note: "mind", wrong: "WRONG" }

async function doctorDialog({ options }: Stage): Promise<TextDialog> {
  const found = (await options.outside.doctor?.()) ?? []
  const wrong = found.filter(({ standing }) => standing === "wrong").length
  const title = wrong === 0 ? "Nothing is wrong" : wrong === 1 ? "One thing is wrong" : `${wrong} things are wrong`
  const rows = found.map(({ standing, what, says }) => ({
    left: `${standings[standing].padEnd(6)}${what}`,
    right: says,
  }))
  return { kind: "text", id: "doctor", title, rows }
}

export const aboutCommands = {
  "app.doctor": {
    ...opens(doctorDialog),
    off: ({ options }) => (options.outside.doctor === undefined ? "nothing can be looked at from here" : null),
  },
  "session.context": opens(contextDialog),
  "session.about": opens(sessionDialog),
} as const satisfies Partial<Record<CommandName, Command>>
