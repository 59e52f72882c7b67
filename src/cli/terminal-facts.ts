/** What the environment says of the terminal. Pure. */
import type { ColorDepth, TerminalFacts } from "../tui/options.ts"

type Env = Readonly<Record<string, string | undefined>>

function depthOf(env: Env): ColorDepth {
  if ((env.NO_COLOR ?? "") !== "") return "none"
  const color = env.COLORTERM ?? ""
  if (color === "truecolor" || color === "24bit") return "truecolor"
  const term = env.TERM ?? ""
  if (/-direct$|^xterm-(kitty|ghostty)|^alacritty|^foot|^wezterm/.test(term)) return "truecolor"
  if (term.includes("256color")) return "256"
  return "16"
}

/** `asked` is the setting; `auto` looks at the environment. */
export function terminalFacts(env: Env, asked: ColorDepth | "auto"): TerminalFacts {
  const remote = ["SSH_TTY", "SSH_CONNECTION", "MOSH_CONNECTION_CAPABILITIES"].some((name) => (env[name] ?? "") !== "")
  const multiplexer =
    (env.TMUX ?? "") !== "" ? "tmux" : (env.STY ?? "") !== "" ? "screen" : (env.ZELLIJ ?? "") !== "" ? "zellij" : "none"
  return { name: env.TERM ?? "", colors: asked === "auto" ? depthOf(env) : asked, remote, multiplexer }
}

/** True for a terminal that cannot place text: it gets a prompt and plain lines. */
export function isDumb(env: Env): boolean {
  return env.TERM === undefined || env.TERM === "" || env.TERM === "dumb"
}
