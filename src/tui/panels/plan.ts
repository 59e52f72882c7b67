/**
 * The plan: the first file of those that the settings name, live from disk, its boxes ticked in place.
 *
 * - The file is read when it changes, and at most every `lookMs` for file systems that tell of no changes. A file that is gone leaves the panel
 *   empty; one that is too large or no text says so.
 * - A tick is written whole and moved into place, and only when the line is still what the reader saw.
 */
import { watch, type FSWatcher } from "node:fs"
import { chmod, readFile, realpath, rename, stat, unlink, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { markdownContent } from "../markdown/markdown.ts"
import type { Content } from "../rows/content.ts"
import { prefixLines, restyle, span, textLine, type Line } from "../rows/row.ts"
import { RowView } from "../viewport/row-view.ts"
import type { Panel, PanelCommand, PanelHost, PanelInput } from "./panel.ts"
import { planBlocks, progressOf, toggleItem, type PlanBlock } from "./plan-text.ts"
import { readingCommands } from "./reading.ts"

/** A plan is for people: beyond this it is something else. */
const planBytesMax = 512 * 1024
/** How often the file is looked at when nothing tells of a change. */
const lookMs = 2_000

export function openPlan(host: PanelHost, files: readonly string[]): Panel {
  return new Plan(host, files)
}

class Plan implements Panel {
  readonly id = "plan"
  readonly contexts = ["panel.plan", "panel"]
  readonly commands: Readonly<Record<string, PanelCommand>>
  readonly #host: PanelHost
  readonly #files: readonly string[]
  readonly #rows: RowView<PlanBlock>
  readonly #unwatchColors: () => void
  #folder: string | null = null
  #watcher: FSWatcher | null = null
  #size = { width: 40, height: 10 }
  #method: PanelInput["widthMethod"] | null = null
  #path: string | null = null
  #stamp = ""
  #blocks: readonly PlanBlock[] = []
  #lookAt = 0
  #looking = false
  #again = false
  #disposed = false

  constructor(host: PanelHost, files: readonly string[]) {
    this.#host = host
    this.#files = files
    this.#rows = new RowView<PlanBlock>(host.context, {
      source: { content: (block) => this.#content(block) },
      theme: host.theme,
      widthMethod: host.widthMethod,
      clock: host.clock,
      events: {
        changed: () => host.changed(),
        selected: (text) => host.selected(text),
        open: (block) => void this.#toggle(block),
        atStart: () => {},
      },
    })
    this.#unwatchColors = host.highlighter.watch(() => this.#rows.refresh())
    this.commands = {
      ...readingCommands(this.#rows, host),
      "plan.next": () => this.#move(1),
      "plan.previous": () => this.#move(-1),
      "plan.toggle": () => this.#toggleChosen(),
      "plan.edit": () => this.#edit(),
    }
  }

  get node() {
    return this.#rows.node
  }

  get reader() {
    return this.#rows
  }

  get empty(): boolean {
    return this.#path === null
  }

  title(): string {
    if (this.#path === null) return "plan"
    const { done, total } = progressOf(this.#blocks)
    const name = basename(this.#path)
    return total === 0 ? name : `${name} ${done}/${total}`
  }

  update(input: PanelInput): void {
    this.#rows.setTheme(input.theme)
    if (input.widthMethod !== this.#method) {
      this.#method = input.widthMethod
      this.#rows.resize(this.#size.width, this.#size.height, input.widthMethod)
    }
    if (input.folder !== this.#folder) this.#follow(input.folder)
    if (input.now >= this.#lookAt) {
      this.#lookAt = input.now + lookMs
      void this.#look()
    }
  }

  focus(on: boolean): void {
    this.#rows.setFocus(on)
  }

  resize(width: number, height: number): void {
    this.#size = { width, height }
    this.#rows.resize(width, height)
  }

  dispose(): void {
    this.#disposed = true
    this.#watcher?.close()
    this.#unwatchColors()
    this.#rows.dispose()
  }

  #follow(folder: string): void {
    this.#folder = folder
    this.#watcher?.close()
    this.#watcher = null
    try {
      this.#watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || this.#files.includes(name)) void this.#look()
      })
      // A folder that goes away ends the watch; the regular look goes on.
      this.#watcher.on("error", () => this.#watcher?.close())
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#host.say(
        "info",
        `Changes of the plan show within ${lookMs / 1000} s: ${folder} cannot be watched (${why}).`,
      )
    }
  }

  /** Reads the file if it is another one than before. One look at a time; what changes meanwhile is looked at afterwards. */
  async #look(): Promise<void> {
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    do {
      this.#again = false
      await this.#lookOnce()
    } while (this.#again && !this.#disposed)
    this.#looking = false
  }

  async #lookOnce(): Promise<void> {
    const found = await this.#find()
    if (this.#disposed) return
    if (found === null) {
      if (this.#path !== null) this.#show(null, "", "")
      return
    }
    if (found.stamp === this.#stamp) return
    const text = found.size > planBytesMax ? tooLarge(found) : await readFile(found.path, "utf8").catch(unreadable)
    if (!this.#disposed) this.#show(found.path, found.stamp, text)
  }

  async #find(): Promise<{ path: string; stamp: string; size: number } | null> {
    for (const file of this.#files) {
      const path = join(this.#folder ?? "", file)
      const info = await stat(path).catch(() => null)
      if (info?.isFile() !== true) continue
      return { path, stamp: `${path} ${info.ino} ${info.size} ${info.mtimeMs}`, size: info.size }
    }
    return null
  }

  #show(path: string | null, stamp: string, text: string): void {
    this.#path = path
    this.#stamp = stamp
    const fresh = planBlocks(text)
    const known = new Map(this.#blocks.map((block) => [block.key, block]))
    this.#blocks = fresh.map((block) => {
      const old = known.get(block.key)
      return old !== undefined && JSON.stringify(old) === JSON.stringify(block) ? old : block
    })
    const first = this.#rows.block(0) === undefined
    this.#rows.setBlocks(this.#blocks)
    if (first) this.#rows.toTop()
    this.#host.changed()
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
    const items = this.#blocks.flatMap(({ item }, index) => (item === null ? [] : [index]))
    const at = this.#rows.chosen
    const next = direction > 0 ? items.find((one) => one > (at ?? -1)) : items.findLast((one) => one < (at ?? Infinity))
    return next !== undefined && this.#rows.choose(next)
  }

  #toggleChosen(): boolean {
    const block = this.#rows.chosen === null ? undefined : this.#blocks[this.#rows.chosen]
    if (block === undefined || block.item === null) return false
    void this.#toggle(block)
    return true
  }

  async #toggle({ item }: PlanBlock): Promise<void> {
    if (item === null || this.#path === null) return
    try {
      const path = await realpath(this.#path)
      const changed = toggleItem(await readFile(path, "utf8"), item.line, item.done)
      if (changed === undefined)
        this.#host.say("warning", "The plan changed meanwhile; it was read again, nothing was ticked.")
      else await replaceFile(path, changed)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#host.say("error", `${basename(this.#path)} was not changed: ${why}`)
    }
    await this.#look()
  }

  #edit(): boolean {
    if (this.#path === null) return false
    this.#host.edit({ path: this.#path })
    return true
  }
}

function tooLarge({ path, size }: { readonly path: string; readonly size: number }): string {
  return `${basename(path)} is too large for a plan: ${Math.round(size / 1024)} KB.`
}

function unreadable(error: unknown): string {
  return `The plan cannot be read: ${error instanceof Error ? error.message : String(error)}`
}

/** Written beside it and moved into its place, with its mode: whoever reads sees the old file or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const { mode } = await stat(path)
  const temp = `${path}.${process.pid}.tmp`
  try {
    await writeFile(temp, text, { flag: "wx" })
    await chmod(temp, mode & 0o7777)
    await rename(temp, path)
  } catch (error) {
    await unlink(temp).catch(() => {})
    throw error
  }
}
