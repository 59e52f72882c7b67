/** What became of a command, in words for the model and in fields for the screen. */
import { open } from "node:fs/promises"
import { errorCode } from "../std/files.ts"
import type { Json } from "../std/json.ts"
import { unreachable } from "../std/assert.ts"
import { signalName, type Ending } from "./command.ts"
import { binaryName, captureHeadBytes, captureTailBytes, showOutput, type Capture, type Shown } from "./output.ts"
import type { Found } from "./processes.ts"
import { sizeText } from "./show.ts"
import { errorResult, textResult, type ToolResult } from "./tool.ts"

export type CommandReport = {
  readonly command: string
  readonly ending: Ending
  readonly ended:
    | { readonly by: "itself" }
    | { readonly by: "abort" }
    | { readonly by: "timeout"; readonly seconds: number }
    | { readonly by: "editor"; readonly editor: string }
    | { readonly by: "output_limit" }
    | { readonly by: "restart" }
  readonly capture: Capture
  readonly running: readonly Found[]
  readonly notes: readonly string[]
  /** Where the output is kept, and how much of its end, or null where it is nowhere. */
  readonly kept: { readonly path: string; readonly bytesMax: number } | null
}

/** Processes that a result lists. */
const listedMax = 8

/** Both ends of an output file; empty where there is none. */
export async function capturedFile(path: string): Promise<Capture> {
  let file
  try {
    file = await open(path, "r")
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
    return { head: new Uint8Array(), tail: new Uint8Array(), size: 0 }
  }
  try {
    const { size } = await file.stat()
    const read = async (from: number, to: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(Math.max(0, to - from))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
      return bytes.subarray(0, bytesRead)
    }
    const headEnd = Math.min(size, captureHeadBytes)
    return { head: await read(0, headEnd), tail: await read(Math.max(headEnd, size - captureTailBytes), size), size }
  } finally {
    await file.close()
  }
}

function whereText(size: number, kept: CommandReport["kept"]): string {
  if (kept === null) return "it was not kept"
  return size <= kept.bytesMax
    ? `the whole output is in ${kept.path}`
    : `the last ${sizeText(kept.bytesMax)} are in ${kept.path}`
}

function outputText(shown: Shown, { size }: Capture, kept: CommandReport["kept"]): string {
  if (!shown.cut) return shown.text.trimEnd()
  const where = whereText(size, kept)
  const head = shown.head.endsWith("\n") || shown.head === "" ? shown.head : `${shown.head}\n`
  return `${head}[… ${sizeText(shown.bytesLeft)} left out; ${where} …]\n${shown.tail.trimEnd()}`
}

function endText({ ending, ended, capture }: CommandReport): string | null {
  switch (ended.by) {
    case "timeout":
      return `Timed out after ${ended.seconds} s: the command and all that it started were ended.`
    case "abort":
      return "Interrupted: the command and all that it started were ended."
    case "editor":
      return `Ended: ${ended.editor} waited for someone to type, and nobody is there. Change files with the tools for it, or give the editor its commands as arguments.`
    case "output_limit":
      return `The output reached its limit of ${sizeText(capture.size)}: the command and all that it started were ended.`
    case "restart":
      return "Cairn ended while the command ran. Whether it did what it was to do is unknown; what still ran of it was ended. Look before you run it again."
    case "itself":
      return endingText(ending)
    default:
      return unreachable(ended)
  }
}

function endingText(ending: Ending): string | null {
  switch (ending.how) {
    case "exit": {
      if (ending.code === 0) return null
      const name = signalOf(ending.code)
      return `Exit status ${ending.code}${name === null ? "" : ` (${name})`}.`
    }
    case "signal":
      return `Ended by ${ending.name}.`
    case "lost":
      return "The command was ended from outside: its exit status is unknown."
    default:
      return unreachable(ending)
  }
}

/** Shells give 128 and the signal's number for what a signal ended. */
function signalOf(code: number): string | null {
  return code > 128 ? signalName(code - 128) : null
}

function runningText(running: readonly Found[], meant: boolean): string | null {
  if (running.length === 0) return null
  const list = running.slice(0, listedMax).map(({ pid, command }) => `${pid} ${command}`)
  const more = running.length > listedMax ? `, and ${running.length - listedMax} more` : ""
  return `${meant ? "Still running" : "Could not be ended"}: ${list.join(", ")}${more}.`
}

function binaryText(name: string, { size }: Capture, kept: CommandReport["kept"]): string {
  return `[Binary output, ${sizeText(size)} (${name}): not shown; ${whereText(size, kept)}.]`
}

function rawOf(capture: Capture, shown: Shown): string | undefined {
  if (shown.cut) return undefined
  const raw = Buffer.concat([capture.head, capture.tail]).toString()
  return raw === shown.text ? undefined : raw
}

/** Nothing of it is shown, and all of it is kept. */
const binaryShown: Shown = { cut: true, head: "", tail: "", bytesLeft: 0 }

/** The result. `details.raw` is an output that was not cut, where it has colours or more that the model is not shown. */
export function commandResult(report: CommandReport): ToolResult {
  const { capture, ending, ended, running, command } = report
  const binary = binaryName(capture)
  const shown = binary === null ? showOutput(capture) : binaryShown
  const text = binary === null ? outputText(shown, capture, report.kept) : binaryText(binary, capture, report.kept)
  const meant = ended.by === "itself"
  const notes = [endText(report), runningText(running, meant), ...report.notes].filter((note) => note !== null)
  const body = text === "" ? "(no output)" : text
  const raw = rawOf(capture, shown)
  const exit = ending.how === "exit" ? ending.code : null
  const details: Json = {
    command,
    exit,
    signal: ending.how === "signal" ? ending.name : exit === null ? null : signalOf(exit),
    ended: ended.by,
    bytes: capture.size,
    running: running.map(({ pid, command: line }) => ({ pid, command: line })),
    raw,
  }
  const whole = notes.length === 0 ? body : `${body}\n\n[${notes.join(" ")}]`
  const failed = !meant || ending.how !== "exit" || ending.code !== 0
  return failed ? { ...errorResult(whole, details), cut: shown.cut } : textResult(whole, { details, cut: shown.cut })
}
