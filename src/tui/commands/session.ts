/** Commands of sessions and of the conversation: opening, naming, exporting, compacting, and what waits in the queue. */
import type { CommandName } from "../../home/command-names.ts"
import { textOf } from "../../message/message.ts"
import { shortId } from "../../std/id.ts"
import { queueOf, sessionOf } from "../../protocol/view.ts"
import type { ScreenState } from "../state.ts"
import { inputText } from "../status/outbox.ts"
import { sentence } from "../link.ts"
import { giveBack, send } from "./prompt.ts"
import { attempt, type Command, type Stage } from "./stage.ts"

const name: Command = {
  run(stage, args) {
    const rename = (title: string): void => {
      if (title.trim() !== "") attempt(stage, stage.link.request({ type: "title", title: title.trim() }))
    }
    if (typeof args.name === "string" && args.name !== "") {
      rename(args.name)
      return true
    }
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "name",
        title: "Name",
        text: "What this session is called in lists:",
        masked: false,
        initial: sessionOf(stage.store.state.view)?.title ?? "",
        submitted: rename,
      },
    })
    return true
  },
}

const exportSession: Command = {
  off: (stage) => (stage.options.outside.exportSession === undefined ? "sessions are not exported from here" : null),
  run(stage, args) {
    const { exportSession } = stage.options.outside
    const { session } = stage.store.state.view
    if (exportSession === undefined || session === "") return false
    const write = (path: string): void => {
      if (path.trim() === "") return
      attempt(
        stage,
        exportSession(session, path.trim()).then((outcome) =>
          stage.say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason),
        ),
      )
    }
    if (typeof args.name === "string" && args.name !== "") {
      write(args.name)
      return true
    }
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "export",
        title: "Export",
        text: "The file to write, .jsonl or .html:",
        masked: false,
        initial: `cairn-${shortId(session)}.html`,
        submitted: write,
      },
    })
    return true
  },
}

const importSession: Command = {
  off: (stage) => (stage.options.outside.importSession === undefined ? "sessions are not imported from here" : null),
  run(stage, args) {
    const { importSession } = stage.options.outside
    if (importSession === undefined) return false
    const read = async (path: string): Promise<void> => {
      const { session, unread } = await importSession(path)
      await stage.link.change({ kind: "session", id: session })
      if (unread > 0) stage.say("warning", `${unread} lines of ${path} could not be read and were left out`)
    }
    const open = (path: string): void => {
      if (path.trim() !== "") attempt(stage, read(path.trim()))
    }
    if (typeof args.name === "string" && args.name !== "") {
      open(args.name)
      return true
    }
    stage.store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "input",
        id: "import",
        title: "Import",
        text: "A session file of pi, .jsonl; it becomes a session of its own:",
        masked: false,
        submitted: open,
      },
    })
    return true
  },
}

function lastAnswer({ view, conversation }: ScreenState): string | undefined {
  const last = view.entries.findLast(
    ({ data, conversation: own }) =>
      own === conversation &&
      data.kind === "assistant" &&
      textOf(data.message) !== "" &&
      data.message.stopReason !== "error" &&
      data.message.stopReason !== "aborted",
  )
  return last?.data.kind === "assistant" ? textOf(last.data.message) : undefined
}

const copyAnswer: Command = {
  off: ({ store }) => (lastAnswer(store.state) === undefined ? "there is no answer to copy yet" : null),
  run(stage) {
    const answer = lastAnswer(stage.store.state)
    if (answer === undefined) return false
    stage.copy(answer)
    return true
  },
}

/** Takes all inputs that wait out of the queue; their texts, in order. What was taken before a failure is still given. */
async function withdrawAll(stage: Stage): Promise<readonly string[]> {
  const { state } = stage.store
  const texts: string[] = []
  for (const { id } of queueOf(state.view, state.conversation)) {
    try {
      const { content } = await stage.link.request({ type: "withdraw", submission: id })
      texts.push(inputText(content))
    } catch (error) {
      stage.say("error", sentence(error))
      break
    }
  }
  return texts
}

const waits = (stage: Stage): boolean => queueOf(stage.store.state.view, stage.store.state.conversation).length > 0
const nothingWaits = (stage: Stage): string | null => (waits(stage) ? null : "nothing waits")

const editQueue: Command = {
  off: nothingWaits,
  run(stage) {
    if (!waits(stage)) return false
    attempt(
      stage,
      withdrawAll(stage).then((texts) => {
        if (texts.length > 0) giveBack(stage, texts.join("\n\n"))
      }),
    )
    return true
  },
}

const dropQueue: Command = {
  off: nothingWaits,
  run(stage) {
    if (!waits(stage)) return false
    attempt(stage, withdrawAll(stage))
    return true
  },
}

async function sendAll(stage: Stage): Promise<void> {
  for (const text of await withdrawAll(stage)) await send(stage, text, "steer")
}

const sendQueue: Command = {
  off: nothingWaits,
  run(stage) {
    if (!waits(stage)) return false
    attempt(stage, sendAll(stage))
    return true
  },
}

/** A request that waits, for its time or for the person. */
function asksLater({ view }: ScreenState): boolean {
  return [...view.tasks.values()].some(
    ({ work }) => work.kind === "generation" && (work.phase === "retry" || work.phase === "limit"),
  )
}

const linkWaits = ({ link }: ScreenState): boolean => link.status === "waiting" || link.status === "stopped"

const retryNow: Command = {
  off: ({ store: { state } }) => (linkWaits(state) || asksLater(state) ? null : "nothing waits to be asked again"),
  run(stage) {
    const { state } = stage.store
    const { conversation } = state
    if (linkWaits(state)) return stage.link.retry()
    const waiting = asksLater(state)
    if (waiting) attempt(stage, stage.link.request({ type: "retryNow", conversation }))
    return waiting
  },
}

/** Consent: what waits here goes on; else the session that was interrupted is opened, which is consent as well. */
const resume: Command = {
  off: ({ store }) => {
    const { view, interrupted } = store.state
    if (view.held?.because === "code") return view.held.reason
    return view.held === null && interrupted === null ? "nothing was interrupted" : null
  },
  run(stage) {
    const { view, interrupted } = stage.store.state
    if (view.held?.because === "code") stage.say("warning", view.held.reason)
    else if (view.held !== null) attempt(stage, stage.link.request({ type: "resume" }))
    else if (interrupted !== null) attempt(stage, stage.link.change({ kind: "session", id: interrupted.id }))
    else return false
    return true
  },
}

const compact: Command = {
  run(stage, args) {
    const { conversation } = stage.store.state
    const focus = typeof args.name === "string" && args.name !== "" ? { focus: args.name } : {}
    attempt(stage, stage.link.request({ type: "compact", conversation, ...focus }))
    return true
  },
}

export const sessionCommands = {
  "session.new": {
    run(stage) {
      attempt(stage, stage.link.change({ kind: "new" }))
      return true
    },
  },
  "session.name": name,
  "session.export": exportSession,
  "session.import": importSession,
  "message.copy": copyAnswer,
  "queue.edit": editQueue,
  "queue.drop": dropQueue,
  "queue.send": sendQueue,
  "retry.now": retryNow,
  "work.resume": resume,
  compact,
} as const satisfies Partial<Record<CommandName, Command>>
