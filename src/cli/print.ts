/**
 * Print mode: the answer on stdout, everything else on stderr, and an exit status that tells the truth.
 *
 * - It never exits 0 with nothing to show for it.
 * - Nothing that a model or a tool wrote can drive a terminal: text is cleaned when stdout is one.
 */
import { cleanControls } from "../std/clean.ts"
import { textOf } from "../message/message.ts"
import { unreachable } from "../std/assert.ts"
import type { HeldState } from "../protocol/port.ts"
import type { HeadlessEnd } from "./headless.ts"

export type Written = { readonly out: string; readonly err: string; readonly code: number }

const waysOut: Readonly<Record<HeldState["because"], string>> = {
  old: "Add --resume to let it go on.",
  crashes: "Add --resume to let it try again.",
  cost: "Add --resume to let it go on, for as much again.",
  code: "Open it with that, or begin another session.",
}

/** What a finished headless run writes, and its exit status. Pure. */
export function printed(end: HeadlessEnd, terminal: boolean): Written {
  switch (end.kind) {
    case "answered": {
      const text = textOf(end.message)
      if (text.trim() === "") return { out: "", err: "cairn: the model returned nothing\n", code: 1 }
      const out = `${terminal ? cleanControls(text) : text}\n`
      if (end.message.stopReason !== "length") return { out, err: "", code: 0 }
      const err = `cairn: the answer was cut at the model's output limit (${end.message.usage.output} tokens)\n`
      return { out, err, code: 1 }
    }
    case "failed":
      return { out: "", err: `cairn: ${cleanControls(end.problem)}\n`, code: 1 }
    case "aborted":
      return { out: "", err: "cairn: the run was stopped; go on with: cairn -c\n", code: 130 }
    case "held":
      return { out: "", err: `cairn: ${cleanControls(end.held.reason)} ${waysOut[end.held.because]}\n`, code: 1 }
    case "lost":
      return { out: "", err: `cairn: ${cleanControls(end.reason)}\n`, code: 1 }
    case "nothing":
      return { out: "", err: "cairn: that session has no run yet: give a prompt\n", code: 2 }
    default:
      return unreachable(end)
  }
}
