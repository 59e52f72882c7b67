/** A session as a client would hold it, and a screen to put a panel on. */
import { createTestRenderer } from "@opentui/core/testing"
import type { AssistantPart, StopReason } from "../../../src/message/message.ts"
import { noUsage } from "../../../src/message/usage.ts"
import type { Port } from "../../../src/protocol/port.ts"
import type { CallOutcome, EntryData, EntryRecord, TaskRecord } from "../../../src/protocol/records.ts"
import { emptyView, type View } from "../../../src/protocol/view.ts"
import type { Json, JsonObject } from "../../../src/std/json.ts"
import { plainHighlighter } from "../../../src/tui/highlight/highlighter.ts"
import type { Panel, PanelHost, PanelInput } from "../../../src/tui/panels/panel.ts"
import { plainTheme, stillClock } from "../viewport/blocks.ts"

/** Wall-clock time of everything here. */
export const noon = Date.UTC(2026, 10, 30, 12)

let ids = 0

export function entry(data: EntryData, more: Partial<EntryRecord> = {}): EntryRecord {
  ids += 1
  return { id: ids, conversation: 1, at: noon, byTask: null, data, ...more }
}

export function said(text: string): EntryRecord {
  return entry({ kind: "user", content: [{ type: "text", text }], submission: 1 })
}

export function answered(
  content: string | readonly AssistantPart[],
  more: { readonly task?: number; readonly stop?: StopReason; readonly error?: string; readonly again?: boolean } = {},
): EntryRecord {
  const parts: readonly AssistantPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content
  const message = {
    role: "assistant",
    content: parts,
    api: "test",
    provider: "test",
    model: "model",
    usage: { ...noUsage, output: 12 },
    stopReason: more.stop ?? "stop",
    timestamp: noon,
    ...(more.error === undefined ? {} : { errorMessage: more.error }),
  } as const
  const data: EntryData = { kind: "assistant", message, attempt: 1, ...(more.again ? { again: true } : {}) }
  return entry(data, { byTask: more.task ?? null })
}

export function called(id: string, name: string, args: JsonObject, task = 100): EntryRecord {
  return answered([{ type: "toolCall", id, name, arguments: args }], { task, stop: "toolUse" })
}

export function gave(
  callId: string,
  name: string,
  text: string,
  more: {
    readonly title?: string
    readonly details?: Json
    readonly outcome?: CallOutcome
    readonly ms?: number
    readonly task?: number
    readonly output?: { readonly path: string; readonly bytes: number }
  } = {},
): EntryRecord {
  return entry({
    kind: "toolResult",
    message: {
      role: "toolResult",
      toolCallId: callId,
      toolName: name,
      content: [{ type: "text", text }],
      isError: more.outcome === "failed",
      timestamp: noon,
    },
    task: more.task ?? 7,
    outcome: more.outcome ?? "done",
    title: more.title ?? "",
    durationMs: more.ms ?? 0,
    ...(more.details === undefined ? {} : { details: more.details }),
    ...(more.output === undefined ? {} : { output: more.output }),
  })
}

export function viewOf(entries: readonly EntryRecord[], tasks: readonly TaskRecord[] = []): View {
  return { ...emptyView, session: "s", entries, tasks: new Map(tasks.map((task) => [task.id, task])) }
}

export const noPort: Port = {
  watch: () => () => {},
  request: () => Promise.reject(new Error("no host")),
  close: () => Promise.resolve(),
}

export type Heard = {
  readonly copied: string[]
  readonly opened: number[]
  readonly edited: unknown[]
  readonly paged: unknown[]
  readonly went: unknown[]
  readonly forked: number[]
  readonly said: string[]
  changes: number
  older: number
}

export async function openPanel<P extends Panel>(
  open: (host: PanelHost) => P,
  width: number,
  height: number,
  more: Partial<PanelInput> = {},
) {
  const screen = await createTestRenderer({ width, height })
  const clock = stillClock()
  const heard: Heard = {
    copied: [],
    opened: [],
    edited: [],
    paged: [],
    went: [],
    forked: [],
    said: [],
    changes: 0,
    older: 0,
  }
  const theme = plainTheme()
  const host: PanelHost = {
    context: screen.renderer,
    clock,
    followMs: 0,
    highlighter: plainHighlighter,
    widthMethod: "unicode",
    theme,
    changed: () => (heard.changes += 1),
    copy: (text) => heard.copied.push(text),
    selected: (text) => heard.copied.push(text),
    moved: () => {},
    loadOlder: () => (heard.older += 1),
    openOutput: (task) => heard.opened.push(task),
    edit: (what) => heard.edited.push(what),
    goTo: (conversation, entry) => heard.went.push([conversation, entry]),
    forkAt: (entry) => heard.forked.push(entry),
    page: (what) => heard.paged.push(what),
    keys: (command) => `<${command}>`,
    say: (_, text) => heard.said.push(text),
  }
  const panel = open(host)
  screen.renderer.root.add(panel.node)
  panel.resize(width, height)
  const input: PanelInput = {
    view: emptyView,
    conversation: 1,
    theme,
    now: noon,
    widthMethod: "unicode",
    port: noPort,
    folder: "/",
    ...more,
  }
  const show = (view: View, now = noon): void => panel.update({ ...input, view, now })
  const frame = async (): Promise<string> => {
    await screen.renderOnce()
    const rows = screen.captureCharFrame().split("\n")
    return rows
      .map((row) => row.replace(/▐$/, "").trimEnd())
      .join("\n")
      .trimEnd()
  }
  return { ...screen, panel, clock, heard, show, frame, input }
}
