/**
 * A text in the person's own editor. The text comes back only when the editor ended well; else the old one stays, and the reason is thrown.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { basename, join } from "node:path"

/** Editors that take a line behind the path, and those that take it so with a flag; all others know `+line`. */
const colonEditors = ["hx", "helix", "zed", "subl", "lapce"]
const gotoEditors = ["code", "codium", "cursor", "windsurf", "code-insiders"]

/** The arguments that open a file at a line. */
export function fileArguments(command: string, path: string, line: number | undefined): readonly string[] {
  if (line === undefined) return [path]
  const [program = ""] = command.trim().split(/\s+/)
  const name = basename(program)
  if (colonEditors.includes(name)) return [`${path}:${line}`]
  if (gotoEditors.includes(name)) return ["--goto", `${path}:${line}`]
  return [`+${line}`, path]
}

/** A command line on the terminal, with `rest` as further arguments, until it ends; its status. */
async function onTerminal(command: string, rest: readonly string[]): Promise<number> {
  const io = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const
  return Bun.spawn(["sh", "-c", `${command} "$@"`, "sh", ...rest], io).exited
}

/** The editor on the file `path`, until it ends. `command` is a command line, as in `$EDITOR`: it may have arguments of its own. */
export async function editFile(command: string, path: string, line?: number): Promise<void> {
  const code = await onTerminal(command, fileArguments(command, path, line))
  if (code !== 0) throw new Error(`the editor ended with status ${code}; nothing was taken over`)
}

/** A pager or an editor on a file that is only read: what it makes of it is nobody's. */
export async function viewFile(command: string, path: string): Promise<void> {
  const code = await onTerminal(command, [path])
  if (code !== 0) throw new Error(`${command} ended with status ${code}`)
}

/** Runs `use` on a file of `scratch` that holds `text`, and removes it. */
export async function textFile<T>(scratch: string, text: string, use: (path: string) => Promise<T>): Promise<T> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const path = join(scratch, `text-${randomUUID()}.md`)
  await Bun.write(path, text, { mode: 0o600 })
  try {
    return await use(path)
  } finally {
    rmSync(path, { force: true })
  }
}

/** `text` as the person left it. */
export function editOutside(command: string, scratch: string, text: string): Promise<string> {
  return textFile(scratch, text, async (path) => {
    await editFile(command, path)
    const edited = await Bun.file(path).text()
    // Editors end a file with a line break that nobody typed.
    return edited.replace(/\r\n?/g, "\n").replace(/\n$/, "")
  })
}
