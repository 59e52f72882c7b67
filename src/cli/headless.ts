/**
 * One prompt through a port, with nobody watching: what print, JSON and RPC modes share.
 *
 * - What was pending is finished first; then the prompt is submitted, and the run that answers it is what counts.
 * - Without a prompt, what was interrupted is finished, and the last run counts.
 * - It ends by what is stored: a promise that settles when all work of the session has, or when the port is lost.
 */
import type { AssistantMessage, UserPart } from "../message/message.ts"
import type { Frame, Port } from "../protocol/port.ts"
import type { EntryRecord } from "../protocol/records.ts"
import { applyFrame, emptyView, queueOf, runOf, type View } from "../protocol/view.ts"

export type HeadlessEnd =
  | { readonly kind: "answered"; readonly message: AssistantMessage }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "aborted" }
  | { readonly kind: "held"; readonly reason: string }
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "nothing" }

export type HeadlessOptions = {
  readonly conversation: number
  readonly prompt: readonly UserPart[] | null
  readonly requestId: string
  /** Hears every frame, after the view has it. */
  onFrame?(frame: Frame): void
  /** The wait for consent is over: old work goes on. */
  readonly resume: boolean
  /** Hears of work that is finished first. */
  onPending?(): void
}

function busy(view: View, conversation: number): boolean {
  return view.tasks.size > 0 || runOf(view, conversation) !== undefined
}

function isTurn(entry: EntryRecord, conversation: number): boolean {
  return entry.conversation === conversation && (entry.data.kind === "assistant" || entry.data.kind === "notice")
}

/** How the newest run of a conversation ended, by its last words. */
export function lastEnd(view: View, conversation: number): HeadlessEnd {
  const mine = view.entries.filter((entry) => entry.conversation === conversation)
  if (!mine.some((entry) => entry.data.kind === "user")) return { kind: "nothing" }
  const last = mine.findLast((entry) => isTurn(entry, conversation))?.data
  if (last?.kind === "notice") return { kind: "failed", problem: String(last.text) }
  if (last?.kind !== "assistant") return { kind: "aborted" }
  const { message } = last as { readonly message: AssistantMessage }
  if (message.stopReason === "aborted") return { kind: "aborted" }
  if (message.stopReason === "error") return { kind: "failed", problem: message.errorMessage ?? "the run failed" }
  return message.stopReason === "toolUse" ? { kind: "aborted" } : { kind: "answered", message }
}

/** How the input with this request id ended. */
function endOfRequest(view: View, options: HeadlessOptions): HeadlessEnd {
  const mine = [...view.submissions.values()].find((item) => item.requestId === options.requestId)
  if (mine?.status === "done") return lastEnd(view, options.conversation)
  if (mine?.reason === "aborted") return { kind: "aborted" }
  const end = lastEnd(view, options.conversation)
  return end.kind === "answered" ? { kind: "failed", problem: mine?.reason ?? "the input was not answered" } : end
}

/** Run to the end. The view is of the last frame. */
export async function runHeadless(port: Port, options: HeadlessOptions): Promise<{ end: HeadlessEnd; view: View }> {
  let view = emptyView
  let submitted = false
  const { promise, resolve, reject } = Promise.withResolvers<HeadlessEnd>()
  const submit = (): void => {
    submitted = true
    const { conversation, requestId } = options
    port
      .request({ type: "submit", conversation, requestId, content: options.prompt ?? [], mode: "followUp" })
      .catch(reject)
  }
  const idle = (): void => {
    if (options.prompt !== null && !submitted) submit()
    else resolve(options.prompt === null ? lastEnd(view, options.conversation) : endOfRequest(view, options))
  }
  const begin = (): void => {
    if (view.held !== null && !options.resume) return resolve({ kind: "held", reason: view.held.reason })
    if (view.held !== null) port.request({ type: "resume" }).catch(reject)
    if (!busy(view, options.conversation)) return idle()
    options.onPending?.()
  }
  const unwatch = port.watch((frame) => {
    view = applyFrame(view, frame)
    options.onFrame?.(frame)
    if (frame.type === "snapshot") begin()
    if (frame.type === "settled") idle()
    if (frame.type === "lost") resolve({ kind: "lost", reason: frame.reason })
  })
  try {
    return { end: await promise, view }
  } finally {
    unwatch()
  }
}

/** Inputs that still wait after a run that failed or was stopped. */
export function waiting(view: View, conversation: number): number {
  return queueOf(view, conversation).length
}
