/**
 * The console while the screen has the terminal: what a library says there would be written across what is drawn.
 *
 * - It is told to the person like any other failure, and the console is given back with the terminal.
 */
const methods = ["debug", "error", "info", "log", "trace", "warn"] as const

/** Takes the console over. `heard` gets what is said as an error or a warning, as one text; the returned function gives the console back. */
export function takeConsole(console: Console, heard: (text: string) => void): () => void {
  const before = methods.map((name) => [name, console[name]] as const)
  for (const name of methods) {
    const tells = name === "error" || name === "warn"
    console[name] = (...values: unknown[]) => {
      if (tells) heard(values.map(textOf).join(" "))
    }
  }
  return () => {
    for (const [name, method] of before) console[name] = method
  }
}

function textOf(value: unknown): string {
  return value instanceof Error ? value.message : typeof value === "string" ? value : Bun.inspect(value, { depth: 1 })
}
