/**
 * The dialogs of the state as nodes: the top one is seen and has the keys, those under it wait as they were.
 */
import type { CliRenderer, KeyEvent } from "@opentui/core"
import { unreachable } from "../../std/assert.ts"
import { ConfirmView } from "./confirm-view.ts"
import type { Dialog } from "./dialog.ts"
import type { DialogView, Look } from "./frame.ts"
import { ImageView } from "./image-view.ts"
import { InputView } from "./input-view.ts"
import { ListView } from "./list-view.ts"
import { TextView } from "./text-view.ts"

export type StackOptions = {
  readonly renderer: CliRenderer
  close(id: string): void
  /** Keys of a command inside a dialog, for hints. */
  keysOf(command: string): string
}

export class DialogStack {
  readonly #options: StackOptions
  readonly #views = new Map<string, DialogView>()
  #shown: readonly Dialog[] = []
  #look: Look | null = null
  #size = { columns: 80, rows: 24 }

  constructor(options: StackOptions) {
    this.#options = options
  }

  /** Brings the nodes up to the dialogs of the state. True when another one is on top now. */
  sync(dialogs: readonly Dialog[]): boolean {
    if (dialogs === this.#shown) return false
    const top = this.#shown.at(-1)?.id
    for (const [id, view] of this.#views) {
      if (dialogs.some((dialog) => dialog.id === id)) continue
      view.dispose()
      this.#views.delete(id)
    }
    for (const dialog of dialogs) {
      const view = this.#views.get(dialog.id)
      if (view === undefined) this.#add(dialog)
      else view.update(dialog)
    }
    this.#shown = dialogs
    const now = dialogs.at(-1)?.id
    for (const [id, view] of this.#views) view.node.visible = id === now
    if (now !== undefined && now !== top) this.#views.get(now)?.focus()
    return now !== top
  }

  /** Gives the keys to the field of the top dialog. */
  refocus(): void {
    this.#top()?.focus()
  }

  run(command: string): boolean {
    return this.#top()?.run(command) ?? false
  }

  type(text: string): void {
    this.#top()?.type(text)
  }

  key(event: KeyEvent): void {
    this.#top()?.key(event)
  }

  look(look: Look): void {
    this.#look = look
    for (const view of this.#views.values()) view.look(look)
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
    for (const view of this.#views.values()) view.resize(columns, rows)
  }

  #top(): DialogView | undefined {
    const id = this.#shown.at(-1)?.id
    return id === undefined ? undefined : this.#views.get(id)
  }

  #add(dialog: Dialog): void {
    const view = this.#make(dialog)
    this.#views.set(dialog.id, view)
    this.#options.renderer.root.add(view.node)
    view.resize(this.#size.columns, this.#size.rows)
    if (this.#look !== null) view.look(this.#look)
  }

  #make(dialog: Dialog): DialogView {
    const { renderer, close, keysOf } = this.#options
    // An answer runs when the dialog is gone, so that it may open the next one.
    const cancelled = (): void => {
      close(dialog.id)
      dialog.cancelled?.()
    }
    switch (dialog.kind) {
      case "list": {
        const chosen = (item: Parameters<typeof dialog.chosen>[0]): void => {
          close(dialog.id)
          dialog.chosen(item)
        }
        return new ListView(renderer, dialog, { chosen, cancelled, keysOf })
      }
      case "confirm": {
        const chosen = (place: number): void => {
          close(dialog.id)
          dialog.choices[place]?.run()
        }
        return new ConfirmView(renderer, dialog, { chosen, cancelled })
      }
      case "input": {
        const submitted = (text: string): void => {
          close(dialog.id)
          dialog.submitted(text)
        }
        return new InputView(renderer, dialog, { submitted, cancelled })
      }
      case "text":
        return new TextView(renderer, dialog, cancelled)
      case "image":
        return new ImageView(renderer, dialog, cancelled)
      default:
        return unreachable(dialog)
    }
  }
}
