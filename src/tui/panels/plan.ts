/**
 * Plans: the files that the settings name, those that the agent keeps, and those that were chosen; live from disk, their boxes ticked in place.
 *
 * - Of several files one is in front, the others are tabs. The one that was chosen stays in front for as long as it is there.
 * - Files are looked at when their folder tells of a change, and at most every `lookMs` for file systems that tell of none.
 * - What a person changes here is changed in the file, with what others wrote meanwhile (`plan-file.ts`).
 */
import { watch, type FSWatcher } from "node:fs"
import { access } from "node:fs/promises"
import { basename, dirname, isAbsolute, join } from "node:path"
import { BoxRenderable } from "@opentui/core"
import { isObject, type Json } from "../../std/json.ts"
import { markdownContent } from "../markdown/markdown.ts"
import type { Content } from "../rows/content.ts"
import { prefixLines, restyle, span, textLine, type Line } from "../rows/row.ts"
import type { RowView } from "../viewport/row-view.ts"
import { agentPlans } from "./agent-plans.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { changeFile, lookAt, type PlanFile } from "./plan-file.ts"
import { addItem, planBlocks, progressOf, toggleItem, type PlanBlock, type PlanItem } from "./plan-text.ts"
import { PlanTabs } from "./plan-tabs.ts"
import { panelRows, readingCommands } from "./reading.ts"

/** How often the files are looked at when nothing tells of a change. */
const lookMs = 2_000

export function openPlan(host: PanelHost, files: readonly string[]): Panel {
  return new Plan(host, files)
}

class Plan implements Panel {
  readonly id = "plan"
  readonly contexts = ["panel.plan", "panel"]
  readonly node: BoxRenderable
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #named: readonly string[]
  readonly #rows: RowView<PlanBlock>
  readonly #tabs: PlanTabs
  readonly #unwatchColors: () => void
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #tops = new Map<string, RowView<PlanBlock>["place"]>()
  #folder: string | null = null
  #input: PanelInput | null = null
  #size = { width: 40, height: 10 }
  /** Files that were chosen here, as absolute paths. */
  #chosen: readonly string[] = []
  #wanted: string | null = null
  #files: readonly PlanFile[] = []
  #front: PlanFile | null = null
  #lookAt = 0
  #looking = false
  #again = false
  #disposed = false

  constructor(host: PanelHost, files: readonly string[]) {
    this.#host = host
    this.#named = files
    this.#rows = panelRows<PlanBlock>(host, {
      content: (block) => this.#content(block),
      open: (block) => void this.#toggle(block),
    })
    this.#tabs = new PlanTabs(host.context, (path) => this.#bringToFront(path))
    this.node = new BoxRenderable(host.context, { width: "100%", height: "100%", flexDirection: "column" })
    this.node.add(this.#tabs.node)
    this.node.add(this.#rows.node)
    this.#unwatchColors = host.highlighter.watch(() => this.#rows.refresh())
    this.commands = {
      ...readingCommands(this.#rows, host),
      "plan.next": () => this.#move(1),
      "plan.previous": () => this.#move(-1),
      "plan.toggle": () => this.#toggleChosen(),
      "plan.edit": () => this.#edit(),
      "plan.nextFile": () => this.#step(1),
      "plan.previousFile": () => this.#step(-1),
      "plan.open": (args) => this.#open(args),
      "plan.close": () => this.#close(),
      "plan.insert": (args) => this.#insert(args),
    }
  }

  get reader() {
    return this.#rows
  }

  get empty(): boolean {
    return this.#front === null
  }

  readonly places = {
    save: (): Json => ({ chosen: [...this.#chosen], wanted: this.#wanted }),
    restore: (_: string, places: Json): void => {
      if (!isObject(places) || !Array.isArray(places.chosen)) return
      this.#chosen = places.chosen.filter((path) => typeof path === "string")
      this.#wanted = typeof places.wanted === "string" ? places.wanted : null
      void this.#look()
    },
  }

  title(): string {
    return this.#front === null ? "plan" : titleOf(this.#front)
  }

  update(input: PanelInput): void {
    const before = this.#input
    this.#input = input
    this.#rows.setTheme(input.theme)
    if (input.widthMethod !== before?.widthMethod) this.#layout()
    if (before?.theme !== input.theme) this.#drawTabs()
    const other = input.folder !== this.#folder
    this.#folder = input.folder
    if (other || input.now >= this.#lookAt || input.view.entries !== before?.view.entries) {
      this.#lookAt = input.now + lookMs
      void this.#look()
    }
  }

  focus(on: boolean): void {
    this.#rows.setFocus(on)
  }

  resize(width: number, height: number): void {
    this.#size = { width, height }
    this.#layout()
    this.#drawTabs()
  }

  dispose(): void {
    this.#disposed = true
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#unwatchColors()
    this.#rows.dispose()
    this.node.destroyRecursively()
  }

  #layout(): void {
    const rows = Math.max(1, this.#size.height - (this.#files.length > 1 ? 1 : 0))
    this.#rows.resize(this.#size.width, rows, this.#input?.widthMethod ?? this.#host.widthMethod)
  }

  #drawTabs(): void {
    if (this.#input === null) return
    const tabs = this.#files.map((file) => ({ path: file.path, title: titleOf(file), front: file === this.#front }))
    this.#tabs.draw(tabs, this.#size.width, this.#input.theme, this.#input.widthMethod)
  }

  /** All files that may be plans, each once. */
  #paths(): readonly string[] {
    const folder = this.#folder ?? ""
    const own = this.#input === null ? [] : agentPlans(this.#input.view)
    const named = [...this.#named, ...own].map((file) => (isAbsolute(file) ? file : join(folder, file)))
    return [...new Set([...named, ...this.#chosen])]
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, () => void this.#look())
      // A folder that goes away ends the watch; the regular look goes on.
      watcher.on("error", () => watcher.close())
      this.#watchers.set(folder, watcher)
    } catch {
      // Folders that cannot be watched, or are not there yet, are looked at every `lookMs`.
      return
    }
  }

  /** One look at a time; what changes meanwhile is looked at afterwards. */
  async #look(): Promise<void> {
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    do {
      this.#again = false
      const known = new Map(this.#files.map((file) => [file.path, file]))
      const files = await Promise.all(this.#paths().map((path) => lookAt(path, known.get(path))))
      if (!this.#disposed) this.#show(files.filter((file) => file !== null))
    } while (this.#again && !this.#disposed)
    this.#looking = false
  }

  #show(files: readonly PlanFile[]): void {
    if (this.#folder !== null) this.#watch(this.#folder)
    for (const { path } of files) this.#watch(dirname(path))
    const same = files.length === this.#files.length && files.every((file, at) => file === this.#files[at])
    const front = files.find(({ path }) => path === this.#wanted) ?? files[0] ?? null
    if (same && front === this.#front && this.#rows.block(0) !== undefined) return
    this.#files = files
    const before = this.#front
    this.#front = front
    this.#layout()
    if (before !== null && before.path !== front?.path) this.#tops.set(before.path, this.#rows.place)
    this.#rows.setBlocks(front?.blocks ?? this.#nothing())
    if (front !== null && before?.path !== front.path) {
      const place = this.#tops.get(front.path)
      if (place === undefined || !this.#rows.restorePlace(place)) this.#rows.toTop()
    }
    this.#drawTabs()
    this.#host.changed()
  }

  /** What an empty panel says. */
  #nothing(): readonly PlanBlock[] {
    const { keys } = this.#host
    return planBlocks(
      `There is no plan here. \`${keys("plan.new")}\` makes one, \`${keys("plan.choose")}\` opens a file.`,
    )
  }

  #content(block: PlanBlock): Content {
    const { parts, pending } = markdownContent(block.text, { highlighter: this.#host.highlighter, streaming: false })
    const { item } = block
    if (item === null) return { parts, pending }
    const lines = parts.flatMap((part) => part.lines)
    const styled = lines.map((line): Line => {
      if (line.kind !== "text") return line
      return { ...line, action: "open", spans: item.done ? restyle(line.spans, { fg: "textMuted" }) : line.spans }
    })
    const indent = "  ".repeat(item.indent)
    const box = span(item.done ? "☑ " : "☐ ", { fg: item.done ? "success" : "markdownListItem" })
    const whole = styled.length === 0 ? [textLine([], { action: "open" })] : styled
    return { parts: [{ lines: prefixLines(whole, [span(indent), box], [span(`${indent}  `)]) }], pending }
  }

  #move(direction: -1 | 1): boolean {
    const items = (this.#front?.blocks ?? []).flatMap(({ item }, index) => (item === null ? [] : [index]))
    const at = this.#rows.chosen
    const next = direction > 0 ? items.find((one) => one > (at ?? -1)) : items.findLast((one) => one < (at ?? Infinity))
    return next !== undefined && this.#rows.choose(next)
  }

  #chosenBlock(): PlanBlock | undefined {
    return this.#rows.chosen === null ? undefined : this.#front?.blocks[this.#rows.chosen]
  }

  #toggleChosen(): boolean {
    const block = this.#chosenBlock()
    if (block === undefined || block.item === null) return false
    void this.#toggle(block)
    return true
  }

  async #toggle({ item, text }: PlanBlock): Promise<void> {
    if (item !== null) await this.#change((source) => toggleItem(source, { line: item.line, done: item.done, text }))
  }

  /** Adds an item behind the chosen one, else at the end. */
  #insert(args: Json | undefined): boolean {
    const text = isObject(args) && typeof args.text === "string" ? args.text.trim() : ""
    if (text === "" || this.#front === null) return false
    const block = this.#chosenBlock()
    const after: PlanItem | null = block?.item == null ? null : { ...block.item, text: block.text }
    void this.#change((source) => addItem(source, text, after))
    return true
  }

  async #change(change: (source: string) => string | undefined): Promise<void> {
    const path = this.#front?.path
    if (path === undefined) return
    try {
      const ended = await changeFile(path, change)
      if (ended === "stale") this.#host.say("warning", "The item changed meanwhile; the plan was read again.")
      if (ended === "busy") this.#host.say("warning", `${basename(path)} is being written by others; try again.`)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#host.say("error", `${basename(path)} was not changed: ${why}`)
    }
    await this.#look()
  }

  #edit(): boolean {
    if (this.#front === null) return false
    this.#host.edit({ path: this.#front.path })
    return true
  }

  #bringToFront(path: string): void {
    this.#wanted = path
    this.#show(this.#files)
  }

  #step(by: 1 | -1): boolean {
    const at = this.#files.findIndex((file) => file === this.#front)
    const next = this.#files[(at + by + this.#files.length) % Math.max(1, this.#files.length)]
    if (next === undefined || next === this.#front) return false
    this.#bringToFront(next.path)
    return true
  }

  /** Shows a file of the person's choice from now on. */
  #open(args: Json | undefined): boolean {
    if (!isObject(args) || typeof args.path !== "string") return false
    const path = isAbsolute(args.path) ? args.path : join(this.#folder ?? "", args.path)
    this.#chosen = [...new Set([...this.#chosen, path])]
    this.#wanted = path
    access(path).then(
      () => this.#look(),
      () => this.#host.say("error", `There is no file ${path}`),
    )
    return true
  }

  /** A file that was chosen is not shown any more. */
  #close(): boolean {
    const path = this.#front?.path
    if (path === undefined || !this.#chosen.includes(path)) return false
    this.#chosen = this.#chosen.filter((other) => other !== path)
    this.#wanted = null
    void this.#look()
    return true
  }
}

function titleOf({ path, blocks }: PlanFile): string {
  const { done, total } = progressOf(blocks)
  return total === 0 ? basename(path) : `${basename(path)} ${done}/${total}`
}
