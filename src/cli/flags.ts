/** Every flag, once: parsing, help and completion read this table. */
export type Flag = {
  readonly name: string
  readonly short?: string
  readonly value?: string
  readonly multiple?: boolean
  readonly help: string
}

export const flags = [
  { name: "print", short: "p", help: "answer the prompt on stdout and leave; no screen" },
  { name: "mode", value: "text|json", help: "what print mode writes: the answer, or events, one JSON object a line" },
  { name: "continue", short: "c", help: "go on with the newest session of this folder" },
  { name: "resume", short: "r", help: "choose a session to go on with; with -p: work that waits for consent goes on" },
  { name: "session", value: "id", help: "go on with this session: an id, its beginning, or its last eight digits" },
  { name: "fork", value: "id", help: "go on with a copy of this session, and leave it as it is" },
  { name: "no-session", help: "keep nothing on disk" },
  { name: "name", short: "n", value: "text", help: "name the session" },
  { name: "model", value: "provider/id", help: "the model to use" },
  { name: "thinking", value: "level", help: "off, minimal, low, medium, high, xhigh or max" },
  { name: "api-key", value: "key", help: "the key to send, for this run only" },
  { name: "tools", short: "t", value: "a,b", help: "the tools that are on, of read,bash,edit,write,grep,find,ls" },
  { name: "exclude-tools", value: "a,b", help: "tools that are off" },
  { name: "system-prompt", value: "text", help: "replace the system prompt by this text, or by this file" },
  {
    name: "append-system-prompt",
    value: "text",
    multiple: true,
    help: "add this text, or this file, to the system prompt",
  },
  { name: "no-context-files", help: "leave AGENTS.md and CLAUDE.md out" },
  { name: "approve", short: "a", help: "trust this folder's .cairn for this run" },
  { name: "no-approve", help: "leave this folder's .cairn out of this run, whatever was decided" },
  { name: "take-over", help: "end the process that holds the session, and go on with it" },
  { name: "help", short: "h", help: "show this" },
  { name: "version", short: "v", help: "show the version" },
] as const satisfies readonly Flag[]

export type FlagName = (typeof flags)[number]["name"]

/** Words that stand first and make it another program. */
export const subcommands = [
  { name: "attach", usage: "attach [id]", help: "a screen on a running host" },
  { name: "tour", usage: "tour", help: "a scripted model that needs no key, in a scratch folder" },
  { name: "ps", usage: "ps", help: "every host and running command" },
  {
    name: "stop",
    usage: "stop <id|all> [--now]",
    help: "end a host and its work; --now: at once, the work stays pending",
  },
  { name: "host", usage: "host [id]", help: "hold a session with no screen" },
  {
    name: "sessions",
    usage: "sessions list [--json] [--all] [--archived] [--tag a,b]",
    help: "the sessions of this folder, or all; --archived: those put away too; --tag: those with these tags",
  },
  {
    name: "sessions",
    usage: "sessions search <text> [--here] [--tag a,b] [--limit 100] [--json]",
    help: "lines of all sessions, or of this folder's, that hold a text",
  },
  {
    name: "sessions",
    usage: "sessions tag <id> [tag …] [--remove] [--json]",
    help: "the tags of a session; with tags: give it these, or take them away",
  },
  {
    name: "sessions",
    usage: "sessions stats [id …] [--here] [--json]",
    help: "tokens, cost and time by model and tool: of all sessions, or of some",
  },
  { name: "sessions", usage: "sessions show <id> [c1] [--json]", help: "what was said in one, as Markdown" },
  {
    name: "sessions",
    usage: "sessions log <id> [--json] [--follow]",
    help: "its entries as they come; --follow: also while somebody works on it",
  },
  {
    name: "sessions",
    usage: "sessions check <id|--all> [--accept]",
    help: "whether sessions are what was written; --accept: go on with what is whole",
  },
  {
    name: "sessions",
    usage: "sessions fork <id> [c1] [e12]",
    help: "a new session that begins as a copy, up to an entry",
  },
  {
    name: "sessions",
    usage: "sessions request <id> [e12] [--json]",
    help: "what a model was asked: the request of an answer, made again and compared",
  },
  {
    name: "sessions",
    usage: "sessions export <id> [c1] [--md|--html|--jsonl] [--output file]",
    help: "a transcript as a file; --jsonl: pi's session format",
  },
  { name: "sessions", usage: "sessions import <file …>", help: "session files of pi, as sessions of this one" },
  { name: "sessions", usage: "sessions delete <id …>", help: "remove sessions for good" },
  {
    name: "sessions",
    usage: "sessions prune [id …] [--older-than 30d] [--larger-than 100MB] [--dry-run]",
    help: "remove old or large ones, or the old output in those that are named; give free space back",
  },
  { name: "models", usage: "models [search]", help: "the models that are known, and which are ready" },
  { name: "login", usage: "login [provider]", help: "store a provider's key, or log in with a browser" },
  { name: "logout", usage: "logout [provider]", help: "forget what is stored for a provider" },
  { name: "keymap", usage: "keymap list [name]", help: "every command of the screen, with its keys" },
  { name: "keymap", usage: "keymap check <file>", help: "what is wrong with a keymap file, by line" },
  {
    name: "doctor",
    usage: "doctor [--json]",
    help: "what Cairn needs of this machine: settings, store, models, programs, terminal",
  },
  { name: "config", usage: "config schema", help: "the JSON schema of config.json" },
  { name: "reset-terminal", usage: "reset-terminal", help: "put a terminal right that a killed screen left behind" },
] as const

export type Subcommand = (typeof subcommands)[number]["name"]
