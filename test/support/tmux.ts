/**
 * A real terminal for the executable: a tmux server of its own, without the person's settings.
 *
 * - A terminal is one server with one session; nothing is shared, so tests may run side by side.
 * - A program that is over at once may take its output with it, so a test waits for the screen before it lets a program end.
 * - What is on the screen is looked at again and again until it is as expected; a wait that fails shows the screen as it was.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "./eventually.ts"
import { waitGone } from "./process.ts"

export type TerminalOptions = {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly width?: number
  readonly height?: number
}

export type Terminal = AsyncDisposable & {
  /** Pid of the program in the terminal. */
  readonly pid: number
  /** Keys by tmux's names: `Enter`, `C-c`, `M-x`, `Up`; in turn. */
  keys(...names: readonly string[]): Promise<void>
  /** Text as if it were typed. */
  type(text: string): Promise<void>
  /** Text as if it were pasted, with the marks that terminals put around it where the program asked for them. */
  paste(text: string): Promise<void>
  /** The rows of the screen, spaces at their ends left out. */
  rows(): Promise<readonly string[]>
  /** The screen with its colours and attributes, as escape sequences. */
  styled(): Promise<string>
  /** The place of the cursor from 0, and whether it shows. */
  cursor(): Promise<{ readonly column: number; readonly row: number; readonly shown: boolean }>
  /** Waits until the screen holds `wanted`, a text or a question about its rows. */
  shows(wanted: string | ((rows: readonly string[]) => boolean), ceilingMs?: number): Promise<void>
  /** Waits until the screen no longer holds `unwanted`. */
  hides(unwanted: string, ceilingMs?: number): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Waits for the program to end; gives its exit status, or 128 and the signal's number as a shell does. */
  ended(ceilingMs?: number): Promise<number>
  /** Ends the server and what runs in it. Safe to call twice. */
  kill(): Promise<void>
}

/** Thirty seconds for what takes less than three on a busy machine. */
const ceiling = 30_000

/** A tmux server answers within milliseconds; one that is kept waiting by its machine, within a second. */
const answerMs = 10_000

/** Commands that change nothing. */
const looking: ReadonlySet<string> = new Set(["capture-pane", "display-message", "run-shell"])

/** Starts `command` in a terminal. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const server = new Server(options)
  await server.start()
  return terminalOf(server)
}

/** The pane stays when its program has ended, so that its last screen and its status can be read. Escape is sent as it comes. */
const config = `
set-option -g remain-on-exit on
set-option -g remain-on-exit-format ""
set-option -g status off
set-option -s escape-time 0
set-option -g history-limit 5000
set-option -ga terminal-overrides ",*:Tc"
`

class Server {
  readonly #options: TerminalOptions
  /** Holds the server's socket, so that no other server can be meant. */
  readonly #folder = mkdtempSync(join(tmpdir(), "cairn-tmux-"))
  #pids: readonly number[] = []

  constructor(options: TerminalOptions) {
    this.#options = options
  }

  get pid(): number {
    return this.#pids[1] ?? 0
  }

  async start(): Promise<void> {
    const { width = 100, height = 30, cwd, command, env } = this.#options
    // `env -i` because a tmux server adds its own variables to what it starts; TERM is tmux's to say.
    const settings = Object.entries(env)
      .filter(([name]) => name !== "TERM")
      .map(([name, value]) => `${name}=${value}`)
    const program = ["env", "-i", ...settings, "TERM=tmux-256color", ...command]
    writeFileSync(join(this.#folder, "tmux.conf"), config)
    await this.tmux("new-session", "-d", "-s", "t", "-x", String(width), "-y", String(height), "-c", cwd, ...program)
    const pids = await this.tmux("display-message", "-p", "-t", "t", "#{pid} #{pane_pid}")
    this.#pids = pids.trim().split(" ").map(Number)
  }

  /** What a tmux command prints. One that only looks is asked again when no answer comes; another one is told of. */
  async tmux(...args: readonly string[]): Promise<string> {
    const tries = looking.has(args[0] ?? "") ? 3 : 1
    for (let at = 0; at < tries; at++) {
      const answer = await this.#ask(args)
      if (answer !== null) return answer
    }
    throw new Error(`tmux ${args.join(" ")}: no answer in ${answerMs / 1_000} s, ${tries} times`)
  }

  /** What a command prints; null where its client had to be ended. */
  async #ask(args: readonly string[]): Promise<string | null> {
    const { PATH = "/usr/bin:/bin" } = this.#options.env
    const child = Bun.spawn(["tmux", "-u", "-L", "t", "-f", join(this.#folder, "tmux.conf"), ...args], {
      env: { PATH, HOME: this.#folder, TERM: "xterm-256color", LANG: "C.UTF-8", TMUX_TMPDIR: this.#folder },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: answerMs,
      killSignal: "SIGKILL",
    })
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const status = await child.exited
    if (child.signalCode === "SIGKILL") return null
    if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${errors.trim()}`)
    return out
  }

  async kill(): Promise<void> {
    const pids = this.#pids
    this.#pids = []
    if (pids.length === 0) return
    await this.tmux("kill-server")
    await waitGone(pids)
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function terminalOf(server: Server): Terminal {
  const pid = server.pid
  const rows = async (): Promise<readonly string[]> => {
    const text = await server.tmux("capture-pane", "-p", "-t", "t")
    return text
      .replace(/\n$/, "")
      .split("\n")
      .map((row) => row.trimEnd())
  }
  const screen = async (told: string): Promise<string> => `${told}; the screen was:\n${(await rows()).join("\n")}`
  const asked = (what: string): Promise<string> => server.tmux("display-message", "-p", "-t", "t", what)
  return {
    pid,
    keys: async (...names) => void (await server.tmux("send-keys", "-t", "t", ...names)),
    type: async (text) => void (await server.tmux("send-keys", "-t", "t", "-l", "--", text)),
    async paste(text) {
      await server.tmux("set-buffer", "-b", "paste", "--", text)
      await server.tmux("paste-buffer", "-p", "-r", "-d", "-b", "paste", "-t", "t")
    },
    rows,
    styled: () => server.tmux("capture-pane", "-p", "-e", "-t", "t"),
    async cursor() {
      const [column, row, shown] = (await asked("#{cursor_x} #{cursor_y} #{cursor_flag}")).trim().split(" ")
      return { column: Number(column), row: Number(row), shown: shown === "1" }
    },
    async shows(wanted, ceilingMs = ceiling) {
      const fits = (now: readonly string[]): boolean =>
        typeof wanted === "string" ? now.join("\n").includes(wanted) : wanted(now)
      const told = typeof wanted === "string" ? `waited for "${wanted}"` : `waited for ${wanted.toString()}`
      await eventually(
        async () => fits(await rows()),
        () => screen(told),
        ceilingMs,
      )
    },
    async hides(unwanted, ceilingMs = ceiling) {
      const gone = async (): Promise<boolean> => !(await rows()).join("\n").includes(unwanted)
      await eventually(gone, () => screen(`waited for "${unwanted}" to go`), ceilingMs)
    },
    resize: async (width, height) =>
      void (await server.tmux("resize-window", "-t", "t", "-x", String(width), "-y", String(height))),
    async ended(ceilingMs = ceiling) {
      const fate = async (): Promise<readonly string[]> => {
        // A server may miss the end of a program that was over at once; the end of another one makes it look at all.
        await server.tmux("run-shell", "-b", "true")
        return (await asked("#{pane_dead},#{pane_dead_status},#{pane_dead_signal}")).trim().split(",")
      }
      // The end of the output and the end of the program are told apart, in either order.
      const over = ([dead = "", status = "", signal = ""]: readonly string[]): boolean =>
        dead === "1" && status + signal !== ""
      await eventually(
        async () => over(await fate()),
        () => screen("waited for the program to end"),
        ceilingMs,
      )
      const [, status = "", signal = ""] = await fate()
      return status === "" ? 128 + Number(signal) : Number(status)
    },
    kill: () => server.kill(),
    [Symbol.asyncDispose]: () => server.kill(),
  }
}
