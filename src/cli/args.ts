/**
 * From argv to one union of modes. Pure: nothing is read and nothing started here.
 *
 * - Flags keep the names that pi's users know. `--` ends them. An unknown flag, word or value is a usage error: one sentence, exit 2.
 * - `@file` among the words is a file that joins the prompt as a block of its own.
 */
import { parseArgs } from "node:util"
import { thinkingLevels, type ThinkingLevel } from "../message/message.ts"
import { flags, subcommands, type FlagName, type Subcommand } from "./flags.ts"

export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "continue" }
  | { readonly kind: "named"; readonly id: string }
  | { readonly kind: "fork"; readonly id: string }
  | { readonly kind: "choose" }
  | { readonly kind: "memory" }

export type RunFlags = {
  readonly session: SessionChoice
  /** Consent for old interrupted work, in modes without keys. */
  readonly resume: boolean
  readonly name?: string
  readonly model?: string
  readonly thinking?: ThinkingLevel
  readonly apiKey?: string
  readonly tools?: readonly string[]
  readonly excludeTools: readonly string[]
  readonly systemPrompt?: string
  readonly appendSystemPrompt: readonly string[]
  readonly contextFiles: boolean
  readonly approve: boolean
  /** Take nothing from the folder that waits for trust, whatever was decided. */
  readonly deny: boolean
  readonly takeOver: boolean
}

export type Mode =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly problem: string }
  | {
      readonly kind: "print"
      readonly output: "text" | "json"
      readonly words: readonly string[]
      readonly run: RunFlags
    }
  | { readonly kind: "screen"; readonly words: readonly string[]; readonly run: RunFlags }
  | {
      readonly kind: "command"
      readonly command: Subcommand
      readonly words: readonly string[]
      readonly options: ReadonlySet<string>
      readonly values: ReadonlyMap<CommandValue, string>
      readonly run: RunFlags
    }

/** Options of subcommands, beside the flags of every run. */
const commandOptions = [
  "json",
  "all",
  "now",
  "succeed",
  "stdio",
  "accept",
  "dry-run",
  "md",
  "html",
  "jsonl",
  "follow",
  "archived",
  "here",
  "match",
  "remove",
] as const

/** Options of subcommands that take a value. `socket`: where a host is to listen, said by the screen that starts it. */
const commandValues = ["socket", "older-than", "larger-than", "output", "limit", "tag"] as const
export type CommandValue = (typeof commandValues)[number]

type Values = Partial<Record<FlagName, string | boolean | string[]>>

function usage(problem: string): Mode {
  return { kind: "usage", problem }
}

function text(values: Values & Record<string, unknown>, name: FlagName | CommandValue): string | undefined {
  const value = values[name]
  return typeof value === "string" ? value : undefined
}

function list(value: string | undefined): readonly string[] | undefined {
  return value
    ?.split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
}

function sessionChoice(values: Values): SessionChoice | { readonly problem: string } {
  const id = text(values, "session")
  const fork = text(values, "fork")
  const chosen = [
    values.continue === true && "--continue",
    values["no-session"] === true && "--no-session",
    id !== undefined && "--session",
    fork !== undefined && "--fork",
  ].filter((name) => name !== false)
  if (chosen.length > 1) return { problem: `${chosen.join(" and ")} exclude each other: give one of them` }
  if (id !== undefined) return { kind: "named", id }
  if (fork !== undefined) return { kind: "fork", id: fork }
  if (values.continue === true) return { kind: "continue" }
  if (values["no-session"] === true) return { kind: "memory" }
  return values.resume === true && values.print !== true ? { kind: "choose" } : { kind: "new" }
}

function runFlags(values: Values): RunFlags | { readonly problem: string } {
  const session = sessionChoice(values)
  if ("problem" in session) return session
  if (values.approve === true && values["no-approve"] === true) {
    return { problem: "--approve and --no-approve exclude each other: give one of them" }
  }
  const thinking = text(values, "thinking")
  if (thinking !== undefined && !(thinkingLevels as readonly string[]).includes(thinking)) {
    return { problem: `--thinking ${thinking} is no level: give one of ${thinkingLevels.join(", ")}` }
  }
  return {
    session,
    resume: values.resume === true,
    name: text(values, "name"),
    model: text(values, "model"),
    thinking: thinking as ThinkingLevel | undefined,
    apiKey: text(values, "api-key"),
    tools: list(text(values, "tools")),
    excludeTools: list(text(values, "exclude-tools")) ?? [],
    systemPrompt: text(values, "system-prompt"),
    appendSystemPrompt: (values["append-system-prompt"] as string[] | undefined) ?? [],
    contextFiles: values["no-context-files"] !== true,
    approve: values.approve === true,
    deny: values["no-approve"] === true,
    takeOver: values["take-over"] === true,
  }
}

const options = Object.fromEntries([
  ...flags.map((flag) => [
    flag.name,
    {
      type: "value" in flag ? ("string" as const) : ("boolean" as const),
      ...("short" in flag ? { short: flag.short } : {}),
      ...("multiple" in flag ? { multiple: true } : {}),
    },
  ]),
  ...commandOptions.map((name) => [name, { type: "boolean" as const }]),
  ...commandValues.map((name) => [name, { type: "string" as const }]),
])

type Parsed = { readonly values: Values & Record<string, unknown>; readonly positionals: readonly string[] }

function parsed(argv: readonly string[]): Parsed | { readonly problem: string } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }) as Parsed
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { problem: (message.split(". ")[0] ?? message).replace(/\.$/, "") }
  }
}

/** `terminal`: both stdin and stdout are one, so a screen makes sense. */
export function modeOf(argv: readonly string[], terminal: boolean): Mode {
  const found = parsed(argv)
  if ("problem" in found) return usage(found.problem)
  const { values, positionals } = found
  if (values.help === true) return { kind: "help" }
  if (values.version === true) return { kind: "version" }
  const run = runFlags(values)
  if ("problem" in run) return usage(run.problem)
  const command = subcommands.find(({ name }) => name === positionals[0])?.name
  const set = new Set(commandOptions.filter((name) => values[name] === true))
  const given = new Map(
    commandValues.flatMap((name) => {
      const value = text(values, name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  if (command !== undefined && values.print !== true) {
    return { kind: "command", command, words: positionals.slice(1), options: set, values: given, run }
  }
  const stray = [...set, ...given.keys()][0]
  if (stray !== undefined) return usage(`--${stray} belongs to a command. See: cairn --help`)
  const mode = text(values, "mode")
  if (mode !== undefined && mode !== "text" && mode !== "json") {
    return usage(`--mode ${mode} is unknown: give text or json`)
  }
  if (values.print !== true && mode === undefined && terminal) return { kind: "screen", words: positionals, run }
  return { kind: "print", output: mode ?? "text", words: positionals, run }
}
