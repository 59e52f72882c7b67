/**
 * What may stand after a slash at the start of an input: a command by the name that people know, a key store, a prompt template or a skill.
 *
 * - A name that nobody knows is no command: the input is sent as it is.
 */
import type { CommandName } from "../../home/command-names.ts"
import type { SlashCommand } from "../editor/completion.ts"
import { sentence } from "../link.ts"
import { send } from "./prompt.ts"
import { attempt, type Stage } from "./stage.ts"

type Slash = SlashCommand & { run(stage: Stage, rest: string): void }

function command(name: string, title: string, to: CommandName, args?: string): Slash {
  return {
    name,
    title,
    ...(args === undefined ? {} : { args }),
    run: (stage, rest) => stage.call(to, rest === "" ? {} : { name: rest }),
  }
}

const slashes: readonly Slash[] = [
  command("help", "the keys that work here", "app.help"),
  command("hotkeys", "the keys that work here", "app.help"),
  command("model", "choose the model", "model.select", "[name]"),
  command("thinking", "choose the thinking level", "thinking.select", "[level]"),
  command("tools", "choose the tools", "tools.select", "[a,b]"),
  command("theme", "choose the theme", "theme.select", "[name]"),
  command("keymap", "choose the keymap", "keymap.select", "[name]"),
  command("settings", "settings, where each comes from, and changing them", "app.settings", "[name]"),
  command("trust", "decide what this folder may do", "app.trust"),
  command("new", "start a new session", "session.new"),
  command("resume", "open another session", "session.select"),
  command("name", "name this session", "session.name", "[name]"),
  command("tree", "go back to a point and fork there", "session.tree"),
  command("fork", "fork at an earlier prompt", "session.fork"),
  command("clone", "go on in a copy, as a session of its own", "session.clone"),
  command("undo", "take back the last run", "run.undo"),
  command("redo", "make again what was taken back", "run.redo"),
  command("changes", "what runs changed in files, hunk by hunk", "panel.toggleChanges"),
  command("compact", "summarize to make room", "compact", "[what to keep]"),
  command("context", "what the model was told", "session.context"),
  command("import", "open a session file of pi as a session", "session.import", "[path]"),
  command("export", "write this session to a file", "session.export", "[path]"),
  command("copy", "copy the last answer", "message.copy"),
  command("transcript", "write this conversation to a file as text", "transcript.file", "[path]"),
  command("pager", "read this conversation in your pager", "transcript.pager"),
  command("goto", "to what was said at a time", "scroll.toTime", "[time]"),
  command("search", "search all sessions", "search.all"),
  command("continue", "go on with interrupted work", "work.resume"),
  command("reload", "read keymaps, themes, prompts and skills again", "app.reload"),
  command("quit", "leave", "app.quit"),
  command("login", "store a provider's key, or log in", "app.login", "[provider]"),
  command("tour", "see what there is, with a scripted model", "app.tour"),
  command("logout", "forget a provider's key", "app.logout", "[provider]"),
  command("doctor", "check what Cairn needs", "app.doctor"),
  command("session", "about this session: tokens, cost, time", "session.about"),
]

/** All that can be completed after a slash. */
export function slashCommands(stage: Pick<Stage, "options">): readonly SlashCommand[] {
  const own = new Set(slashes.map(({ name }) => name))
  // A template that has the name of a command would never be reached.
  return [...slashes, ...(stage.options.outside.templates?.() ?? []).filter(({ name }) => !own.has(name))]
}

/** The text of a template or a skill; empty where its file cannot be read any more, which is told; null where there is none of that name. */
function expand(stage: Stage, name: string, rest: string): string | null {
  try {
    return stage.options.outside.expandTemplate?.(name, rest) ?? null
  } catch (error) {
    stage.say("error", `/${name} cannot be read: ${sentence(error)}`)
    return ""
  }
}

/** Runs `text` if it names a command or a template. False when it is an input like any other. */
export function runSlash(stage: Stage, text: string): boolean {
  const [, name = "", rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? []
  const slash = slashes.find((other) => other.name === name)
  if (slash !== undefined) {
    slash.run(stage, rest.trim())
    return true
  }
  const expanded = expand(stage, name, rest)
  if (expanded === null) return false
  if (expanded !== "") attempt(stage, send(stage, expanded, "steer"))
  return true
}
