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

/** The editor on the file `path`, until it ends. `command` is a command line, as in `$EDITOR`: it may have arguments of its own. */
export async function editFile(command: string, path: string, line?: number): Promise<void> {
  const child = Bun.spawn(["sh", "-c", `${command} "$@"`, "sh", ...fileArguments(command, path, line)], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  })
  const code = await child.exited
  if (code !== 0) throw new Error(`the editor ended with status ${code}; nothing was taken over`)
}

/** `text` as the person left it. */
export async function editOutside(command: string, scratch: string, text: string): Promise<string> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const path = join(scratch, `prompt-${randomUUID()}.md`)
  await Bun.write(path, text, { mode: 0o600 })
  try {
    await editFile(command, path)
    const edited = await Bun.file(path).text()
    // Editors end a file with a line break that nobody typed.
    return edited.replace(/\r\n?/g, "\n").replace(/\n$/, "")
  } finally {
    rmSync(path, { force: true })
  }
}
