/**
 * What a run has changed in files, hunk by hunk: read, taken back one by one or all at once, opened in the editor.
 *
 * - It shows one run, the newest at first, or the whole conversation, which is for reading: a hunk is taken back of the run that made it.
 * - The host is asked when the panel comes into view and when something was said or undone since; one question at a time.
 */
import type { ChangeHunk, ChangesRecord, FileChanges } from "../../protocol/changes.ts"
import type { View } from "../../protocol/view.ts"
import { isAbsolute, join } from "node:path"
import { scopeOf } from "../blocks/blocks-of.ts"
import { diffLines, parseDiff } from "../blocks/diff.ts"
import { languageOf } from "../highlight/languages.ts"
import type { Content, RowBlock } from "../rows/content.ts"
import { span, textLine, type Line } from "../rows/row.ts"
import type { RowView } from "../viewport/row-view.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { panelRows, readingCommands } from "./reading.ts"

type ChangeBlock = RowBlock &
  (
    | { readonly kind: "file"; readonly file: FileChanges }
    | { readonly kind: "hunk"; readonly file: FileChanges; readonly hunk: ChangeHunk }
    | { readonly kind: "note"; readonly text: string }
  )

/** The runs of a conversation by the entries that began them, oldest first: inputs, and what was taken back. */
export function runsOf(view: View, conversation: number): readonly number[] {
  const scope = scopeOf(view.conversations, conversation)
  return view.entries
    .filter(({ id, conversation: of }) => id <= (scope.get(of) ?? -1))
    .filter(({ data }) => data.kind === "undo" || (data.kind === "user" && !("run" in data && data.run !== undefined)))
    .map(({ id }) => id)
}

const stateWords: Readonly<Record<ChangeHunk["state"], string>> = {
  made: "",
  undone: "taken back",
  conflict: "changed since",
}

function fileLine({ path, kind, added, removed, note }: FileChanges): Line {
  const what = kind === "edited" ? "" : ` ${kind === "made" ? "new" : "removed"}`
  return textLine([
    span(path, { fg: "primary", bold: true }),
    span(`${what}  +${added} −${removed}`, { fg: "textMuted" }),
    span(note === "" ? "" : `  ${note}`, { fg: "warning" }),
  ])
}

/** A head as of a unified diff: where the first of its lines stands, what is around the change included, and how many there are. */
function hunkHead({ state, reason, lines, ...hunk }: ChangeHunk): string {
  const around = lines.filter((line) => line.startsWith(" ")).length
  const before = Math.max(
    0,
    lines.findIndex((line) => !line.startsWith(" ")),
  )
  const range = (start: number, count: number): string =>
    `${start + (count === 0 && around > 0 ? 1 : 0) - before},${count + around}`
  const old = range(hunk.oldStart, hunk.oldLines)
  const fresh = range(hunk.newStart, hunk.newLines)
  const word = [stateWords[state], reason].filter(Boolean).join(": ")
  return `@@ -${old} +${fresh} @@${word === "" ? "" : ` ${word}`}`
}

function blocksOf({ files, commands }: ChangesRecord, nothing: string): readonly ChangeBlock[] {
  const plain = { group: null, folded: false, prompt: false } as const
  const blocks = files.flatMap((file): readonly ChangeBlock[] => [
    { ...plain, key: file.path, gap: 1, size: file.path.length, kind: "file", file },
    ...file.hunks.map((hunk): ChangeBlock => {
      const size = hunk.lines.reduce((sum, line) => sum + line.length, 0)
      return { ...plain, key: hunk.id, gap: 0, size, kind: "hunk", file, hunk }
    }),
  ])
  const ran =
    commands === 0 ? "" : `${commands} ${commands === 1 ? "command" : "commands"} ran; what changed so is not in here.`
  const notes = [blocks.length === 0 ? nothing : "", ran].filter((text) => text !== "")
  return [
    ...blocks,
    ...notes.map((text): ChangeBlock => ({ ...plain, key: text, gap: 1, size: text.length, kind: "note", text })),
  ]
}

export function openChanges(host: PanelHost): Panel {
  return new Changes(host)
}

class Changes implements Panel {
  readonly id = "changes"
  readonly contexts = ["panel.changes", "panel"]
  /** It comes when it is asked for. */
  readonly empty = true
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #rows: RowView<ChangeBlock>
  readonly #unwatch: () => void
  #input: PanelInput | null = null
  #size = { width: 40, height: 10 }
  /** The run that is shown; null: the newest; "all": the conversation. */
  #chosen: number | "all" | null = null
  #shown: ChangesRecord = { files: [], commands: 0 }
  #asked = ""
  /** Whose changes are shown: others are read from their beginning. */
  #subject = ""
  #asking = false

  constructor(host: PanelHost) {
    this.#host = host
    this.#rows = panelRows<ChangeBlock>(host, { content: (block) => this.#content(block) })
    this.#unwatch = host.highlighter.watch(() => this.#rows.refresh())
    this.commands = {
      ...readingCommands(this.#rows, host),
      "changes.revert": () => this.#revert(),
      "changes.revertAll": () => this.#revertAll(),
      "changes.edit": () => this.#edit(),
      "changes.older": () => this.#step(-1),
      "changes.newer": () => this.#step(1),
      "changes.all": () => this.#all(),
    }
  }

  get node() {
    return this.#rows.node
  }

  get reader() {
    return this.#rows
  }

  title(): string {
    const { files } = this.#shown
    const sum = (of: "added" | "removed"): number => files.reduce((total, file) => total + file[of], 0)
    const what = this.#chosen === "all" ? "all changes" : "changes"
    return files.length === 0
      ? what
      : `${what}: ${files.length} ${files.length === 1 ? "file" : "files"} +${sum("added")} −${sum("removed")}`
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    this.#rows.setTheme(input.theme)
    if (before?.widthMethod !== input.widthMethod) {
      this.#rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    if (before?.conversation !== input.conversation) this.#chosen = null
    this.#look()
  }

  focus(on: boolean): void {
    this.#rows.setFocus(on)
  }

  resize(width: number, height: number): void {
    this.#size = { width, height }
    this.#rows.resize(width, height)
  }

  dispose(): void {
    this.#unwatch()
    this.#rows.dispose()
  }

  #run(): number | undefined {
    const input = this.#input
    if (input === null || this.#chosen === "all") return undefined
    return this.#chosen ?? runsOf(input.view, input.conversation).at(-1)
  }

  /** Asks the host where something may have changed since it was asked last. */
  #look(): void {
    const input = this.#input
    if (input === null || this.#asking) return
    const { view, conversation } = input
    const run = this.#run()
    const key = [view.session, conversation, this.#chosen ?? "", run ?? "", view.entries.at(-1)?.id ?? 0].join(" ")
    if (key === this.#asked) return
    this.#asked = key
    if (run === undefined && this.#chosen !== "all") return this.#show({ files: [], commands: 0 })
    this.#asking = true
    const asked = { type: "changes", conversation } as const
    input.port.request(run === undefined ? asked : { ...asked, run }).then(
      (record) => this.#done(record),
      (error: unknown) => {
        this.#host.say(
          "warning",
          `The changes could not be read: ${error instanceof Error ? error.message : String(error)}`,
        )
        this.#done(null)
      },
    )
  }

  #done(record: ChangesRecord | null): void {
    this.#asking = false
    if (record !== null) this.#show(record)
    this.#look()
  }

  #show(record: ChangesRecord): void {
    this.#shown = record
    this.#rows.setBlocks(
      blocksOf(record, this.#chosen === "all" ? "Nothing was changed." : "This run changed nothing."),
    )
    const subject = [this.#input?.conversation, this.#run() ?? "all"].join(" ")
    if (subject !== this.#subject) this.#rows.toTop()
    this.#subject = subject
    this.#host.changed()
  }

  #content(block: ChangeBlock): Content {
    if (block.kind === "file") return { parts: [{ lines: [fileLine(block.file)] }], pending: false }
    if (block.kind === "note") {
      return { parts: [{ lines: [textLine([span(block.text, { fg: "textMuted" })])] }], pending: false }
    }
    const { file, hunk } = block
    const context = { highlighter: this.#host.highlighter, language: languageOf(file.path), pending: false }
    const lines = diffLines(parseDiff([hunkHead(hunk), ...hunk.lines].join("\n")), context)
    return { parts: [{ lines }], pending: context.pending }
  }

  #hunk(): Extract<ChangeBlock, { kind: "hunk" | "file" }> | undefined {
    const block = this.#rows.currentBlock?.block
    return block === undefined || block.kind === "note" ? undefined : block
  }

  #revert(): boolean {
    const block = this.#hunk()
    if (block === undefined) return false
    const hunks = block.kind === "hunk" ? [block.hunk.id] : block.file.hunks.map(({ id }) => id)
    this.#undo(hunks)
    return true
  }

  #revertAll(): boolean {
    if (this.#shown.files.length === 0) return false
    this.#undo(undefined)
    return true
  }

  #undo(hunks: readonly string[] | undefined): void {
    const input = this.#input
    const run = this.#run()
    if (input === null) return
    if (run === undefined)
      return this.#host.say("info", "Choose a run first: a change is taken back of the run that made it")
    const asked = { type: "undo", conversation: input.conversation, run, what: "files" } as const
    // What is taken back becomes the newest run: this one stays in view.
    this.#chosen = run
    input.port.request(hunks === undefined ? asked : { ...asked, hunks }).then(
      ({ undone, refused }) => {
        const no = refused.map(({ hunk, reason }) => `${hunk}: ${reason}`)
        if (no.length > 0) this.#host.say("warning", no.join("\n"))
        else
          this.#host.say(
            "info",
            undone.length === 0 ? "There was nothing to take back" : "Taken back; /redo makes it again",
          )
        this.#asked = ""
        this.#look()
      },
      (error: unknown) => this.#host.say("error", error instanceof Error ? error.message : String(error)),
    )
  }

  #edit(): boolean {
    const block = this.#hunk()
    const input = this.#input
    if (block === undefined || input === null) return false
    const { path } = block.file
    const line = block.kind === "hunk" ? Math.max(1, block.hunk.newStart) : 1
    this.#host.edit({ path: isAbsolute(path) ? path : join(input.folder, path), line })
    return true
  }

  #step(by: -1 | 1): boolean {
    const input = this.#input
    if (input === null) return false
    const runs = runsOf(input.view, input.conversation)
    const at = runs.indexOf(this.#run() ?? -1)
    const next = at < 0 ? runs.at(-1) : runs[at + by]
    if (next === undefined) return false
    this.#chosen = next
    this.#look()
    return true
  }

  #all(): boolean {
    this.#chosen = this.#chosen === "all" ? null : "all"
    this.#look()
    return true
  }
}
