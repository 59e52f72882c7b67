/**
 * One prompt through a port, with nobody watching: what print, JSON and RPC modes share.
 *
 * - What was pending is finished first; then the prompt is submitted, and the run that answers it is what counts.
 * - Without a prompt, what was interrupted is finished, and the last run counts.
 * - After a stop nothing new begins: a prompt that was not submitted by then never is.
 * - It ends by what is stored: a promise that settles when all work of the session has, or when the port is lost.
 */
import type { AssistantMessage, UserPart } from "../message/message.ts"
import { Refusal, type Frame, type HeldState, type Port } from "../protocol/port.ts"
import type { EntryRecord } from "../protocol/records.ts"
import { applyFrame, emptyView, runOf, type View } from "../protocol/view.ts"

export type HeadlessEnd =
  | { readonly kind: "answered"; readonly message: AssistantMessage }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "aborted" }
  | { readonly kind: "held"; readonly held: HeldState }
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "nothing" }

export type HeadlessOptions = {
  readonly conversation: number
  readonly prompt: readonly UserPart[] | null
  readonly requestId: string
  /** The prompt was submitted already, under this request id. */
  readonly admitted?: boolean
  /** The wait for consent is over: old work goes on. */
  readonly resume: boolean
  /** Fires when the person wants an end; whoever fires it has asked the port to abort. */
  readonly stop: AbortSignal
  /** Hears every frame, after the view has it. */
  onFrame?(frame: Frame, view: View): void
  /** Hears of work that is finished first; `held`: it had been set aside, and gets another chance. */
  onPending?(held: HeldState | null): void
}

function busy(view: View, conversation: number): boolean {
  return view.tasks.size > 0 || runOf(view, conversation) !== undefined
}

/** True for the entries that can be a run's last word. */
function isWord(entry: EntryRecord): boolean {
  const { data } = entry
  return data.kind === "assistant" || (data.kind === "notice" && "level" in data && data.level === "error")
}

/** How the newest run of a conversation ended, by its last words. */
export function lastEnd(view: View, conversation: number): HeadlessEnd {
  const mine = view.entries.filter((entry) => entry.conversation === conversation)
  const begun = view.older.has(conversation) || mine.some((entry) => entry.data.kind === "user")
  if (!begun) return { kind: "nothing" }
  const last = mine.findLast(isWord)?.data
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
  // What had its end before this watch began is told by the last words alone.
  if (mine === undefined || mine.status === "done") return lastEnd(view, options.conversation)
  if (mine.reason === "aborted") return { kind: "aborted" }
  const end = lastEnd(view, options.conversation)
  return end.kind === "answered" ? { kind: "failed", problem: mine.reason ?? "the input was not answered" } : end
}

/** The run that waits since it has cost as much as it may, if one does. */
function limitOf(view: View): { readonly conversation: number; readonly held: HeldState } | undefined {
  const waiting = [...view.tasks.values()].find(({ work }) => work.kind === "generation" && work.phase === "limit")
  if (waiting?.work.kind !== "generation" || waiting.work.limit === undefined || waiting.aborting) return undefined
  const { cost, of } = waiting.work.limit
  const reason = `The run has cost $${cost.toFixed(4)}, and limits.costPerRun is $${of}.`
  return { conversation: waiting.conversation, held: { because: "cost", reason, since: waiting.startedAt } }
}

/** Work that does not go on by this run: its code is not here, or it is old and nobody consented. */
function waits(held: HeldState, resume: boolean): boolean {
  return held.because === "code" || (held.because === "old" && !resume)
}

function endOfHealth(view: View, { prompt, conversation }: HeadlessOptions): HeadlessEnd | null {
  const { state, reason } = view.health
  // What has ended can be told all the same.
  if (state === "read-only" && prompt === null && !busy(view, conversation)) return lastEnd(view, conversation)
  if (state === "read-only") return { kind: "failed", problem: reason }
  // It was lost before anybody watched.
  return state === "poisoned" ? { kind: "lost", reason } : null
}

/** Run to the end. The view is of the last frame. */
export async function runHeadless(port: Port, options: HeadlessOptions): Promise<{ end: HeadlessEnd; view: View }> {
  const { conversation, requestId, stop } = options
  const { promise, resolve, reject } = Promise.withResolvers<HeadlessEnd>()
  let view = emptyView
  let known = false
  let submitted = options.admitted === true
  let unsaved = false
  const submit = (content: readonly UserPart[]): void => {
    submitted = true
    port.request({ type: "submit", conversation, requestId, content, mode: "followUp" }).catch((error: unknown) => {
      // Nobody is there to send it again: it waits until the session can be saved.
      unsaved = error instanceof Refusal && error.code === "not_saved"
      if (!unsaved) reject(error)
      else if (view.health.state === "ok") again()
    })
  }
  const again = (): void => {
    if (!unsaved || options.prompt === null) return
    unsaved = false
    if (stop.aborted) resolve({ kind: "aborted" })
    else submit(options.prompt)
  }
  const idle = (): void => {
    if (submitted) return resolve(endOfRequest(view, options))
    if (stop.aborted) return resolve({ kind: "aborted" })
    if (options.prompt !== null) submit(options.prompt)
    else resolve(lastEnd(view, conversation))
  }
  // What cannot be written to cannot be worked on either.
  const looked = (): boolean => {
    const end = endOfHealth(view, options)
    if (end !== null) resolve(end)
    return end !== null
  }
  const begin = (): void => {
    known = true
    if (looked()) return
    const { held } = view
    if (held !== null && waits(held, options.resume)) return resolve({ kind: "held", held })
    // Naming the session was the consent to try what was set aside once more: nobody does that by itself.
    if (held !== null) port.request({ type: "resume" }).catch(reject)
    if (!busy(view, conversation)) return idle()
    options.onPending?.(held?.because === "crashes" ? held : null)
  }
  // Nobody is there to let it go on but the flag, once.
  let consented = !options.resume
  const atLimit = (): void => {
    const limit = limitOf(view)
    if (limit === undefined) return
    if (consented) return resolve({ kind: "held", held: limit.held })
    consented = true
    port.request({ type: "retryNow", conversation: limit.conversation }).catch(reject)
  }
  const stopped = (): void => {
    if (known && !busy(view, conversation)) idle()
  }
  stop.addEventListener("abort", stopped, { once: true })
  const unwatch = port.watch((frame) => {
    view = applyFrame(view, frame)
    options.onFrame?.(frame, view)
    if (frame.type === "snapshot") begin()
    if (frame.type === "snapshot" || frame.type === "commit") atLimit()
    if (frame.type === "health" && !looked() && view.health.state === "ok") again()
    if (frame.type === "settled") idle()
    if (frame.type === "lost") resolve({ kind: "lost", reason: frame.reason })
  })
  const end = await promise.finally(unwatch)
  stop.removeEventListener("abort", stopped)
  return { end, view }
}
