/**
 * A keymap: which keys run which commands in which context, from the files of the person and those in the binary.
 *
 * - A file extends `default` where it does not say otherwise; `"extends": null` begins with nothing.
 * - `null` for keys unsets what was inherited, and what a wider context says then counts; an empty list takes the keys and does nothing.
 * - A list runs the first command that applies; where none does, the keys go on to the next context.
 * - The same keys twice in one context of one file are a clash: both lines are named, and the later one counts.
 * - Only a file that cannot be read at all is a problem; a binding that means nothing is a notice and left out.
 */
import { isObject, type Json } from "../std/json.ts"
import { catchProblem, FileProblem, readChain, type Sources } from "./chain.ts"
import { leaderName, parseChord, parseKeys, printKeys, sameChord, type Chord } from "./chord.ts"
import { contextNames, isContext } from "./command-names.ts"
import {
  parseDocument,
  problemAt,
  propertiesOf,
  propertyOf,
  suggestion,
  valueOf,
  type Document,
  type Node,
} from "./jsonc.ts"
import type { Problem } from "./problem.ts"

export type Run = { readonly command: string; readonly args?: Json }

/** `keys` has no `<leader>` any more. An empty `run` swallows the keys. `line` and `column` count from 1. */
export type Binding = {
  readonly context: string
  readonly keys: readonly Chord[]
  readonly run: readonly Run[]
  readonly source: { readonly file: string; readonly line: number; readonly column: number }
}

export type Keymap = {
  readonly name: string
  readonly leader: Chord
  readonly leaderTimeoutMs: number
  readonly bindings: readonly Binding[]
}

/** `notices` are bindings that are wrong: the keymap works without them. */
export type KeymapResult =
  { readonly keymap: Keymap; readonly notices: readonly Problem[] } | { readonly problem: Problem }

const leaderDefault: Chord = { name: "x", ctrl: true, alt: false, shift: false, super: false }
const leaderTimeoutMsDefault = 1_000
/** Below this no hand is quick enough; above it a key seems dead. */
const leaderTimeoutMsMin = 50
const leaderTimeoutMsMax = 60_000

const topNames = ["$schema", "name", "extends", "leader", "leaderTimeout", "bindings"]

/** A binding as one file has it: `run` null unsets, the leader is not put in yet. */
type Line = Omit<Binding, "run"> & { readonly run: readonly Run[] | null }

type Layer = {
  readonly leader: Chord | undefined
  readonly timeoutMs: number | undefined
  readonly lines: readonly Line[]
  readonly notices: readonly Problem[]
}

function fail(document: Document, node: Node, message: string): never {
  throw new FileProblem(problemAt(document, node, message))
}

function leaderOf(document: Document): Chord | undefined {
  const property = propertyOf(document.root, "leader")
  if (property === undefined) return undefined
  const chord =
    typeof property.value.value === "string" ? parseChord(property.value.value) : "`leader` has to be one key"
  if (typeof chord === "string") return fail(document, property.value, chord)
  return chord.name === leaderName ? fail(document, property.value, "`leader` cannot be <leader>") : chord
}

function timeoutOf(document: Document): number | undefined {
  const property = propertyOf(document.root, "leaderTimeout")
  if (property === undefined) return undefined
  const value: unknown = property.value.value
  if (typeof value === "number" && value >= leaderTimeoutMsMin && value <= leaderTimeoutMsMax) return value
  const range = `${leaderTimeoutMsMin} to ${leaderTimeoutMsMax}`
  return fail(document, property.value, `\`leaderTimeout\` has to be a number of milliseconds, ${range}`)
}

/** One `"command"` or `{"run", "args"}`, or the sentence that says what is wrong with it. */
function runOf(value: Json, known: ReadonlySet<string>): Run | string {
  const command = isObject(value) ? value["run"] : value
  if (typeof command !== "string") return 'a binding is "command", [commands], {"run": …, "args": …} or null'
  if (!known.has(command)) return `there is no command \`${command}\`${suggestion(command, [...known])}`
  const args = isObject(value) ? value["args"] : undefined
  return args === undefined ? { command } : { command, args }
}

function linesOf(
  document: Document,
  context: string,
  node: Node,
  known: ReadonlySet<string>,
): Pick<Layer, "lines" | "notices"> {
  const lines: Line[] = []
  const notices: Problem[] = []
  for (const { name, key, value } of propertiesOf(node)) {
    const sequences = parseKeys(name)
    if (typeof sequences === "string") {
      notices.push(problemAt(document, key, sequences))
      continue
    }
    const items = value.type === "array" ? (value.children ?? []) : value.type === "null" ? [] : [value]
    const runs: Run[] = []
    for (const item of items) {
      const run = runOf(valueOf(item), known)
      if (typeof run === "string") notices.push(problemAt(document, item, run))
      else runs.push(run)
    }
    // Nothing of it is left: keys that were meant to do something are not swallowed for a misspelt name.
    if (items.length > 0 && runs.length === 0) continue
    const { file, line, column } = problemAt(document, key, "")
    for (const keys of sequences) {
      lines.push({ context, keys, run: value.type === "null" ? null : runs, source: { file, line, column } })
    }
  }
  return { lines, notices }
}

function readLayer(document: Document, known: ReadonlySet<string>): Layer {
  const notices: Problem[] = propertiesOf(document.root)
    .filter(({ name }) => !topNames.includes(name))
    .map(({ name, key }) => problemAt(document, key, `\`${name}\` means nothing here${suggestion(name, topNames)}`))
  const lines: Line[] = []
  const bindings = propertyOf(document.root, "bindings")
  if (bindings !== undefined && bindings.value.type !== "object") {
    fail(document, bindings.value, "`bindings` has to be an object of contexts, { … }")
  }
  for (const { name, key, value } of propertiesOf(bindings?.value)) {
    if (!isContext(name)) {
      const near = suggestion(name, Object.keys(contextNames))
      notices.push(problemAt(document, key, `there is no context \`${name}\`${near}`))
    } else if (value.type !== "object") {
      notices.push(problemAt(document, value, `the context \`${name}\` has to be an object of keys, { … }`))
    } else {
      const found = linesOf(document, name, value, known)
      lines.push(...found.lines)
      notices.push(...found.notices)
    }
  }
  return { leader: leaderOf(document), timeoutMs: timeoutOf(document), lines, notices }
}

/** A line with its leader put in; two of one identity bind the same keys in the same context. */
type PlacedLine = Line & { readonly identity: string }

function withLeader(line: Line, leader: Chord): PlacedLine {
  const keys = line.keys[0]?.name === leaderName ? [leader, ...line.keys.slice(1)] : line.keys
  return { ...line, keys, identity: `${line.context}\n${printKeys(keys)}` }
}

function clashesOf(lines: readonly PlacedLine[]): readonly Problem[] {
  const first = new Map<string, PlacedLine>()
  return lines.flatMap((line) => {
    const before = first.get(line.identity)
    first.set(line.identity, line)
    if (before === undefined) return []
    const message = `\`${printKeys(line.keys)}\` is bound twice in \`${line.context}\`: here and in line ${before.source.line}; the later one counts`
    return [{ ...line.source, message }]
  })
}

/** Keys that are the leader itself would make every sequence wait, or never begin. */
function leaderTaken(lines: readonly Line[], leader: Chord): readonly Problem[] {
  return lines
    .filter(({ run, keys: [chord, ...rest] }) => run !== null && rest.length === 0 && chord && sameChord(chord, leader))
    .map((line) => ({
      ...line.source,
      message: `\`${printKeys(line.keys)}\` is the leader, so this waits for the next key; choose another key or another leader`,
    }))
}

/** The keymap of that name; `known` are all commands there are, those of extensions included. */
export function resolveKeymap(name: string, sources: Sources, known: Iterable<string>): KeymapResult {
  return catchProblem(() => {
    const commands = new Set(known)
    const layers = readChain(name, sources, "keymap", "default").map((document) => readLayer(document, commands))
    const leader = layers.find((layer) => layer.leader !== undefined)?.leader ?? leaderDefault
    const leaderTimeoutMs = layers.find((layer) => layer.timeoutMs !== undefined)?.timeoutMs ?? leaderTimeoutMsDefault
    const bindings = new Map<string, Binding>()
    const notices = layers.flatMap((layer) => layer.notices)
    for (const layer of layers.toReversed()) {
      const lines = layer.lines.map((line) => withLeader(line, leader))
      notices.push(...clashesOf(lines), ...leaderTaken(lines, leader))
      for (const { identity, context, keys, run, source } of lines) {
        if (run === null) bindings.delete(identity)
        else bindings.set(identity, { context, keys, run, source })
      }
    }
    return { keymap: { name, leader, leaderTimeoutMs, bindings: [...bindings.values()] }, notices }
  })
}

/** All that is wrong in one file, without what it extends. */
export function checkKeymap(text: string, file: string, known: Iterable<string>): readonly Problem[] {
  const parsed = parseDocument(file, text)
  if ("problem" in parsed) return [parsed.problem]
  const checked = catchProblem(() => readLayer(parsed.document, new Set(known)))
  if ("problem" in checked) return [checked.problem]
  const leader = checked.leader ?? leaderDefault
  const lines = checked.lines.map((line) => withLeader(line, leader))
  return [...checked.notices, ...clashesOf(lines), ...leaderTaken(lines, leader)]
}
