/**
 * Asking the person one line, outside of the screen.
 *
 * - A secret is not echoed, not even as stars; pasted text is taken without its brackets. Ctrl+C stops, and so does the end of the input.
 * - Where the input is no terminal, a line is read from it as it is: a key may be piped.
 */

const enter = /[\r\n]/
const pasteMarks = /\x1b\[20[01]~/g
const ctrlC = "\x03"
const ctrlD = "\x04"
const ctrlU = "\x15"
const backspaces = ["\x7f", "\b"]

/** What `line` is after `typed`; undefined where the person stopped. `done` when a line has ended. */
export function typeInto(line: string, typed: string): { readonly line: string; readonly done: boolean } | undefined {
  for (const letter of typed.replace(pasteMarks, "")) {
    if (letter === ctrlC || letter === ctrlD) return undefined
    if (enter.test(letter)) return { line, done: true }
    if (letter === ctrlU) line = ""
    else if (backspaces.includes(letter)) line = [...line].slice(0, -1).join("")
    else if (letter >= " ") line += letter
  }
  return { line, done: false }
}

async function readPiped(): Promise<string | undefined> {
  const text = await Bun.stdin.text()
  const [line = ""] = text.split(enter)
  return line === "" ? undefined : line
}

function readTerminal(prompt: string, secret: boolean): { readonly answer: Promise<string | undefined>; stop(): void } {
  const { stdin, stderr } = process
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let line = ""
  const finish = (answer: string | undefined): void => {
    stdin.off("data", hear)
    if (secret) stdin.setRawMode(false)
    stdin.pause()
    if (secret) stderr.write("\n")
    resolve(answer)
  }
  const hear = (bytes: Buffer | string): void => {
    const next = typeInto(line, bytes.toString())
    if (next === undefined) return finish(undefined)
    line = next.line
    if (next.done) finish(line)
  }
  stderr.write(prompt)
  if (secret) stdin.setRawMode(true)
  stdin.setEncoding("utf8")
  stdin.on("data", hear)
  stdin.resume()
  return { answer: promise, stop: () => finish(undefined) }
}

/** A line that nobody sees; undefined where the person stopped or the input has none. The prompt goes to stderr. */
export function askSecret(prompt: string): Promise<string | undefined> {
  return process.stdin.isTTY === true ? readTerminal(prompt, true).answer : readPiped()
}

/** A line that is seen; `stop` ends the asking. Only for a terminal. */
export function askLine(prompt: string): { readonly answer: Promise<string | undefined>; stop(): void } {
  return readTerminal(prompt, false)
}
