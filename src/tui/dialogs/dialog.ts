/**
 * What a dialog is: a value that says what to ask, and what to do with the answer. The components beside this file draw them.
 *
 * - A dialog answers at most once; cancelling is an answer that calls `cancelled`, where there is one.
 * - Its functions run after it has left the stack, so an answer may open the next dialog.
 */

/** A row of a list. `off` says why it cannot be chosen; `right` stands at the right edge, dim. */
export type Item = {
  readonly key: string
  readonly label: string
  readonly detail?: string
  readonly right?: string
  /** Where there is no room for both, `detail` goes before `right`. */
  readonly keepsRight?: true
  readonly off?: string
  /** The heading that it stands under while nothing narrows the list; items of one group stand together. */
  readonly group?: string
}

/** Extra keys of a list: which command, what it is called in the hint, what it does: with the chosen row, or with none. */
export type ItemAction = {
  readonly command: `dialog.${"save" | "delete" | "rename" | "tag" | "archive" | "undo" | "scope" | "sort" | "hidden"}`
  readonly label: string
} & ({ run(item: Item): void } | { always(): void })

export type ListDialog = {
  readonly kind: "list"
  readonly id: string
  readonly title: string
  /** Null while they are being fetched. */
  readonly items: readonly Item[] | null
  /** Key of the row to begin at. */
  readonly at?: string
  /** Text to begin the filter with. */
  readonly filter?: string
  readonly empty?: string
  /** Room below the rows for what the chosen one holds; left out: none. */
  readonly preview?: string
  readonly actions?: readonly ItemAction[]
  chosen(item: Item): void
  /** Hears every row that the bar stands on: for previews. */
  moved?(item: Item): void
  /** Hears what is typed, and answers with other items: they are what was found, and are not narrowed. */
  asked?(text: string): void
  /** Hears what is typed while it narrows the items: more of them may be found by it. */
  typed?(text: string): void
  cancelled?(): void
}

export type ConfirmDialog = {
  readonly kind: "confirm"
  readonly id: string
  readonly title: string
  readonly text: string
  /** The first is the default. `letter` answers at once. */
  readonly choices: readonly { readonly letter: string; readonly label: string; run(): void }[]
  cancelled?(): void
}

export type InputDialog = {
  readonly kind: "input"
  readonly id: string
  readonly title: string
  readonly text: string
  /** Typed unseen: shown as dots, never kept in a history, never logged. */
  readonly masked: boolean
  readonly initial?: string
  submitted(text: string): void
  cancelled?(): void
}

/** Rows to read and scroll: keys, settings, what the model was told. Two columns where `right` is given. */
export type TextDialog = {
  readonly kind: "text"
  readonly id: string
  readonly title: string
  readonly rows: readonly { readonly left: string; readonly right?: string; readonly heading?: boolean }[]
  cancelled?(): void
}

/** Images, the newest last: that is the one to begin with. `about` says what it is. */
export type ImageDialog = {
  readonly kind: "image"
  readonly id: string
  readonly title: string
  readonly images: readonly { readonly data: string; readonly about: string }[]
  cancelled?(): void
}

export type Dialog = ImageDialog | ListDialog | ConfirmDialog | InputDialog | TextDialog
