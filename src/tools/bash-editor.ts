/**
 * Editors in a command: nobody is there to type, there is no terminal, and some of them wait for keys all the same.
 *
 * - What asks for an editor (git and its like) is given a program that says so and fails.
 * - An editor that the command starts itself is found while it waits, and the command is ended. One that is told on its command line what to do
 *   is left to do it.
 */
import { basename } from "node:path"
import type { Found } from "./processes.ts"

const sentence = "There is no editor here: give the text on the command line."
const nobody = `sh -c 'echo "${sentence}" >&2; exit 1' --`

/** Each name that comes before a program's own setting. */
const names = [
  "EDITOR",
  "VISUAL",
  "GIT_EDITOR",
  "GIT_SEQUENCE_EDITOR",
  "SUDO_EDITOR",
  "HGEDITOR",
  "JJ_EDITOR",
  "SVN_EDITOR",
  "GH_EDITOR",
  "KUBE_EDITOR",
]

/** What is set for commands. */
export const noEditor: Readonly<Record<string, string>> = Object.fromEntries(names.map((name) => [name, nobody]))

/** Those that wait without a terminal; others end by themselves, and names that other programs have too are not here. */
const editors = new Set(["vi", "vim", "nvim", "vimdiff"])

/** The editor among these processes that waits for someone to type, as it was started; null where none does. */
export function waitingEditor(found: readonly Found[]): string | null {
  return found.find(({ command }) => isWaiting(command.split(" ")))?.command ?? null
}

function isWaiting([program = "", ...args]: readonly string[]): boolean {
  // `vim.basic` and `vim.tiny` are vim.
  const name = basename(program).replace(/\..*$/, "")
  // A number is a line to stand on; anything else with these beginnings may be a command that ends it.
  return editors.has(name) && args.every((arg) => !/^(-[cesESu]|--|-batch|\+\D)/.test(arg))
}
