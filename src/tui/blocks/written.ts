/** What a block holds as text for a clipboard: as it was written, with nothing that was only drawn. */
import { cleanControls } from "../../std/clean.ts"
import type { Block } from "./block.ts"
import { outputTextOf } from "./call.ts"

/** A message as it was written, its Markdown included; null for what is more than a text. */
export function messageOf(block: Block): string | null {
  switch (block.kind) {
    case "input":
    case "answer":
    case "thinking":
    case "notice":
    case "queued":
      return cleanControls(block.text)
    case "compaction":
      return cleanControls(block.summary)
    default:
      return null
  }
}

/** The command of a call or of the person's; empty where there is none. */
export function commandOf(block: Block): string {
  if (block.kind === "shell") return cleanControls(block.command)
  if (block.kind !== "call") return ""
  const { command } = block.args
  return typeof command === "string" ? cleanControls(command) : ""
}

/** What was printed, as far as the conversation holds it; empty where nothing was. */
export function outputOf(block: Block): string {
  if (block.kind === "shell") return cleanControls(block.output)
  if (block.kind !== "call") return ""
  return cleanControls(block.result === null ? block.output : outputTextOf(block.result))
}
