/**
 * The table of what a restart does, one row after the other: inputs, turns, stops and summaries. Each row puts a real process at its moment, which
 * ends itself there by SIGKILL, and opens the session in another one. The rows of calls are in crash-call.test.ts.
 */
import { expect, test } from "bun:test"
import { isLive, type Task } from "../../src/ledger/records.ts"
import type { EntryRecord } from "../../src/protocol/records.ts"
import type { View } from "../../src/protocol/view.ts"
import { fall, type Fallen, type Scene } from "../support/crash-row.ts"
import { answered, ask, isOver, say, sessionsOf, stopped, until, type Step, type Told } from "../support/kill-point.ts"
import { localMachine } from "../support/local-model.ts"
import type { ModelRequest } from "../support/model-script.ts"
import { startModelServer } from "../support/model-server.ts"
import { startStdioHost } from "../support/stdio-host.ts"

const inputs = ({ entries }: View): readonly string[] =>
  entries.flatMap(({ data }) => (data.kind === "user" ? [JSON.stringify(data.content[0])] : []))

const answers = ({ entries }: View): readonly Extract<EntryRecord["data"], { kind: "assistant" }>[] =>
  entries.flatMap(({ data }) => (data.kind === "assistant" && "stopReason" in data.message ? [data] : []))

const wordsOf = (view: View): readonly string[] =>
  answers(view).map(({ message }) => message.content.map((part) => (part.type === "text" ? part.text : "")).join(""))

const turnOf = ({ disk }: Fallen): Task | undefined =>
  disk.tasks.find((task) => task.kind === "generation" && isLive(task))

const summaryOf = ({ disk }: Fallen): Task | undefined => disk.tasks.find(({ kind }) => kind === "compaction")

const text = (words: string): string => JSON.stringify({ type: "text", text: words })

const isSummaryRequest = ({ lastUser }: ModelRequest): boolean => lastUser.startsWith("Summarize the conversation")

/** One input, one answer, in pieces that come apart. */
const one: Scene = {
  script: () => ({ text: ["one ", "two ", { delayMs: 40 }, "three ", { delayMs: 40 }, "four"] }),
  steps: [answered("hello")],
}

const whole = "one two three four"

test("row 0, T01: killed before an input is stored, it is handed in again and is there once, with one run", async () => {
  const row = await fall(one, "commit", ({ disk, seen }) => seen.session !== "" && disk.submissions.length === 0)
  expect(row.acknowledged.size).toBe(0)
  expect(row.problems).toEqual([])
  expect(inputs(row.view)).toEqual([text("hello")])
  expect(row.end.submissions.map(({ status }) => status)).toEqual(["done"])
  expect(wordsOf(row.view)).toEqual([whole])
  expect(row.requests).toHaveLength(1)
})

test("row 1, T02: killed after an input is stored and before anybody is told, handing it in again gives the same one", async () => {
  const row = await fall(one, "committed", ({ disk }) => disk.submissions[0]?.status === "placed")
  const [stored] = row.disk.submissions
  expect(row.acknowledged.size).toBe(0)
  expect(row.disk.tasks.map(({ kind, status }) => [kind, status])).toEqual([["generation", "pending"]])
  expect(row.problems).toEqual([])
  expect(row.end.submissions[0]?.id).toBe(stored?.id ?? 0)
  expect(inputs(row.view)).toEqual([text("hello")])
  expect(wordsOf(row.view)).toEqual([whole])
})

test("row 2: killed while a turn is prepared, it is prepared anew, and the prompt is in the transcript once", async () => {
  const row = await fall(one, "commit", (fallen) => {
    const turn = turnOf(fallen)
    return turn?.status === "running" && turn.phase === "prepare"
  })
  expect(row.asked).toBe(0)
  expect(row.problems).toEqual([])
  expect(row.view.entries.filter(({ data }) => data.kind === "prompt")).toHaveLength(1)
  expect(wordsOf(row.view)).toEqual([whole])
  expect(row.requests).toHaveLength(1)
})

test("row 3: killed when a request is made and not sent, it is sent as it was made", async () => {
  const row = await fall(one, "ask:1")
  const pin = turnOf(row)?.checkpoint["pin"] as { readonly hash: string; readonly bytes: number } | undefined
  expect(turnOf(row)?.phase).toBe("request")
  expect(row.asked).toBe(0)
  expect(row.problems).toEqual([])
  expect(row.requests.map(({ bodyText }) => Buffer.byteLength(bodyText))).toEqual([pin?.bytes ?? 0])
  expect(wordsOf(row.view)).toEqual([whole])
})

const words = ["one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight"]

/** A longer answer, and one more after it. */
const streamed: Scene = {
  script: ({ lastUser }) => ({
    text: lastUser.endsWith("more") ? "more" : words.flatMap((word) => [word, { delayMs: 100 }]),
  }),
  steps: [answered("hello"), answered("more")],
}

test.each([
  ["append", ""],
  ["append", "one "],
  ["appended", ""],
  ["appended", "one "],
])(
  "row 4, T05: killed in mid-stream (%s, %p was shown), what came is kept out of the context, and the same is asked again",
  async (moment, shown) => {
    const shows = ({ seen }: Fallen): string => JSON.stringify([...seen.progress.values()])
    const row = await fall(streamed, moment, (fallen) => fallen.asked === 1 && shows(fallen).includes(shown))
    expect(row.problems).toEqual([])
    expect(row.requests[1]?.bodyText).toBe(row.requests[0]?.bodyText ?? "")
    const said = wordsOf(row.view)
    expect(said.slice(-2)).toEqual([words.join(""), "more"])
    const cut = said.length === 3 ? (said[0] ?? "") : ""
    expect(words.join("")).toStartWith(cut)
    // Nothing that anybody saw is lost.
    for (const word of words) if (shows(row).includes(word)) expect(cut).toContain(word)
    const attempts = answers(row.view).filter(({ message }) => message.stopReason === "aborted")
    expect(attempts.map(({ again }) => again)).toEqual(Array(said.length - 2).fill(true))
    const told = row.requests.at(-1)?.said.filter(({ role }) => role === "assistant")
    expect(told?.map(({ text }) => text)).toEqual([words.join("")])
  },
)

test("row 5: killed when an answer has come and is not stored, it is kept as an attempt and asked for again", async () => {
  const row = await fall(one, "answered:1")
  expect(row.problems).toEqual([])
  expect(answers(row.view).map(({ message }) => message.stopReason)).toEqual(["aborted", "stop"])
  expect(wordsOf(row.view).at(-1)).toBe(whole)
  expect(row.requests.map(({ bodyText }) => bodyText)).toEqual(Array(2).fill(row.requests[0]?.bodyText ?? ""))
})

test("rows 6 and 28: killed when an answer is stored and nobody was told, it is shown to whoever comes, and nothing is asked", async () => {
  const row = await fall(one, "committed", ({ disk }) => disk.submissions[0]?.status === "done")
  expect(wordsOf(row.seen)).toEqual([])
  expect(row.asked).toBe(1)
  expect(row.problems).toEqual([])
  expect(wordsOf(row.view)).toEqual([whole])
  expect(row.requests).toHaveLength(1)
})

test("row 15, T22: killed in the wait for a retry, the wait goes on to its stored end, and the attempt is one of its tries", async () => {
  const busy = { status: 503, body: { error: { message: "overloaded", type: "server_error" } } }
  const script: Scene["script"] = (_, asked) => (asked === 0 ? busy : { text: whole })
  const scene: Scene = { ...one, script, config: { retry: { baseDelayMs: 300 } } }
  const row = await fall(scene, "committed", (fallen) => turnOf(fallen)?.phase === "retry")
  const until = Number(turnOf(row)?.checkpoint["until"])
  expect(row.problems).toEqual([])
  expect(answers(row.view).map(({ message }) => message.stopReason)).toEqual(["error", "stop"])
  expect(row.requests).toHaveLength(2)
  const answer = row.view.entries.findLast(({ data }) => data.kind === "assistant")
  expect(answer?.at ?? 0).toBeGreaterThanOrEqual(until)
})

/** Something that can be summarised, and the wish that it is. */
const compacted: Scene = {
  config: { compaction: { keepRecentTokens: 20 } },
  script: (request) => ({ text: isSummaryRequest(request) ? ["A ", "summary."] : "An answer. ".repeat(60) }),
  steps: [
    answered("first"),
    answered("second"),
    async (host) => {
      const isSummary = ({ data }: EntryRecord): boolean => data.kind === "compaction"
      if (!host.view().entries.some(isSummary) && host.view().tasks.size === 0)
        await ask(host, { type: "compact", conversation: 1 })
      await until(host, (view) => (view.entries.some(isSummary) && view.tasks.size === 0 ? true : undefined))
    },
  ],
}

const summaries = ({ entries }: View): number => entries.filter(({ data }) => data.kind === "compaction").length

test("row 17, T23: killed when a summary is wanted and not asked for, it is asked for", async () => {
  const row = await fall(compacted, "committed", (fallen) => summaryOf(fallen)?.status === "pending")
  expect(row.requests.slice(0, row.asked).filter(isSummaryRequest)).toHaveLength(0)
  expect(row.problems).toEqual([])
  expect([summaries(row.view), row.requests.filter(isSummaryRequest).length]).toEqual([1, 1])
})

test.each(["summarize:1", "summarized:1"])(
  "row 18, T23: killed while a summary is made (%s), the same is asked again",
  async (death) => {
    const row = await fall(compacted, death)
    const asked = row.requests.filter(isSummaryRequest).map(({ bodyText }) => bodyText)
    expect(row.problems).toEqual([])
    expect(new Set(asked).size).toBe(1)
    expect(asked).toHaveLength(death === "summarize:1" ? 1 : 2)
    expect(summaries(row.view)).toBe(1)
  },
)

test("row 19, T23: killed when a summary is placed, it is not asked for again and stands once", async () => {
  const row = await fall(compacted, "committed", ({ disk }) => disk.entries.some(({ kind }) => kind === "compaction"))
  expect(row.problems).toEqual([])
  expect([summaries(row.view), row.requests.filter(isSummaryRequest).length]).toEqual([1, 1])
})

test("row 20: killed while a turn waits for a summary that it needs, the summary is made and the turn goes on", async () => {
  const error = { message: "This model's maximum context length is 1000 tokens", code: "context_length_exceeded" }
  const scene: Scene = {
    ...compacted,
    script: (request, asked) =>
      request.lastUser.endsWith("big") && !request.said.some(({ text }) => text.includes("A summary."))
        ? { status: 400, body: { error: { ...error, type: "invalid_request_error" } } }
        : compacted.script(request, asked),
    steps: [...compacted.steps.slice(0, 2), answered("big")],
  }
  const row = await fall(scene, "committed", (fallen) => turnOf(fallen)?.phase === "compact")
  expect(summaryOf(row)).toBeDefined()
  expect(row.problems).toEqual([])
  expect(summaries(row.view)).toBe(1)
  expect(row.end.submissions.map(({ status }) => status)).toEqual(["done", "done", "done"])
})

test("row 21: killed with inputs queued, each is placed at its time and in its order", async () => {
  const busy: Step = async (host, told) => {
    await say(host, told, "work")
    await until(host, (view) => (view.tasks.size > 0 || isOver(view, "work") === true ? true : undefined))
    await say(host, told, "later")
    await say(host, told, "now", "steer")
    await say(host, told, "and later")
    await until(host, (view) => isOver(view, "and later"))
  }
  const scene: Scene = {
    script: (request, asked) => {
      if (!request.lastUser.endsWith("work")) return { text: "ok" }
      // The first host has no answer to its end.
      return { text: ["w", ...(asked === 0 ? [{ until: request.closed }] : []), "orked"] }
    },
    steps: [busy],
  }
  const queued = ({ disk }: Fallen): number => disk.submissions.filter(({ status }) => status === "queued").length
  const row = await fall(scene, "committed", (fallen) => queued(fallen) === 3)
  expect(row.problems).toEqual([])
  expect(inputs(row.view)).toEqual(["work", "now", "later", "and later"].map(text))
  expect(row.end.submissions.every(({ status }) => status === "done")).toBe(true)
})

test("rows 22 and 27, T21: killed when a stop is stored, the run ends by it and nothing is asked any more", async () => {
  const scene: Scene = {
    script: (request) => ({ text: ["slowly", { until: request.closed }] }),
    steps: [stopped("slow", (view) => JSON.stringify([...view.progress.values()]).includes("slowly"))],
  }
  const row = await fall(scene, "committed", (fallen) => (turnOf(fallen)?.abort ?? null) !== null)
  expect(row.problems).toEqual([])
  expect(row.requests).toHaveLength(1)
  expect(answers(row.view).map(({ message }) => message.stopReason)).toEqual(["aborted"])
  expect(row.end.submissions.map(({ status }) => status)).toEqual(["unanswered"])
})

test("T20: three deaths at one request set it aside, told to whoever comes; another conversation works, and a word lets it go on", async () => {
  const server = await startModelServer({ key: "k", script: () => ({ text: "at last" }) })
  using machine = localMachine(server)
  const told: Told = { acknowledged: new Set() }
  for (let death = 0; death < 3; death++) {
    const [session] = sessionsOf(machine)
    const host = await startStdioHost(machine, { session, env: { CAIRN_KILL: "ask:1" } })
    if (host !== undefined && death === 0) await say(host, told, "hello").catch(() => undefined)
    // It may have died before it could answer.
    if (host !== undefined) expect(await host.ended).toBe("SIGKILL")
  }
  expect(server.requests).toHaveLength(0)
  const host = await startStdioHost(machine, { session: sessionsOf(machine)[0] })
  if (host === undefined) throw new Error("the session does not open")
  const held = await until(host, (view) => view.held ?? undefined)
  expect(JSON.stringify(held)).toContain("3")
  const { conversation } = await host.port.request({ type: "fork", conversation: 1, entry: 0 })
  const content = [{ type: "text", text: "elsewhere" }] as const
  await host.port.request({ type: "submit", conversation, requestId: "elsewhere", content, mode: "followUp" })
  await until(host, (view) => (wordsOf(view).length === 1 ? true : undefined))
  expect(host.view().tasks.size).toBe(1)
  await host.port.request({ type: "resume" })
  await until(host, (view) => isOver(view, "hello"))
  expect(server.requests).toHaveLength(2)
  expect(server.violations).toEqual([])
  await host.kill()
  await server.stop()
})
