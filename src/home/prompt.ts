/**
 * The system prompt, composed from values: the same values give the same text, so that a provider's cache of it holds.
 *
 * - It says what the model cannot know: who it is, how it should use the tools that it has, what the person's files say, where it works. No
 *   date, no state of the repository: what changes would spoil the cache.
 * - Rules of a tool stand only while that tool is on. With the four tools it stays below 300 tokens before the files of the person.
 * - A `SYSTEM.md` or `--system-prompt` takes the place of the opening and the rules; the rest is kept.
 */
export type PromptInput = {
  readonly cwd: string
  /** Names of the tools that are on. */
  readonly tools: readonly string[]
  /** Takes the place of the opening and the rules. */
  readonly system?: string
  readonly append?: readonly string[]
  readonly context?: readonly { readonly path: string; readonly text: string }[]
  /** Told by name and place; the model reads one when a task calls for it. */
  readonly skills?: readonly { readonly name: string; readonly description: string; readonly path: string }[]
}

const opening =
  "You are Cairn, a coding agent in a terminal. You and the person share one machine. Do what is asked with your tools, completely, and check that it works."

type Rule = { readonly when: (has: (tool: string) => boolean) => boolean; readonly text: string }

const rules: readonly Rule[] = [
  {
    when: (has) => has("bash") && !has("grep") && !has("find"),
    text: "Look around with bash (rg, ls, git); read a file with read before you change it.",
  },
  {
    when: (has) => has("grep") || has("find"),
    text: "Look around with grep, find and ls; read a file with read before you rely on it.",
  },
  {
    when: (has) => has("edit"),
    text: "Change files with edit: oldText is exact and unique, and as short as that allows; several changes of one file go into one call.",
  },
  {
    when: (has) => has("write") && has("edit"),
    text: "Use write for new files and whole rewrites only.",
  },
  {
    when: (has) => has("write") && !has("edit"),
    text: "Change a file by writing it whole: read it first, and give every line, never a placeholder for what stays.",
  },
  {
    when: (has) => has("bash"),
    text: "A command that does not end by itself (a server, a watcher) needs a timeout or has to run in the background.",
  },
  {
    when: (has) => has("edit") || has("write") || has("bash"),
    text: "When a result says that an outcome is unknown, look before you do it again.",
  },
  {
    when: () => true,
    text: "Keep to the style of what is there, and change nothing that was not asked for.",
  },
  {
    when: () => true,
    text: "Be brief: say what you did and what is left, with file paths. Say so when something failed or was not checked.",
  },
]

function block(tag: string, body: string, attribute = ""): string {
  return `<${tag}${attribute}>\n${body}\n</${tag}>`
}

/** A path as an attribute: quotes and brackets in it cannot end the tag. */
function attribute(path: string): string {
  return ` path="${path.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`
}

function base(tools: readonly string[]): string {
  const has = (tool: string): boolean => tools.includes(tool)
  const lines = rules.filter(({ when }) => when(has)).map(({ text }) => `- ${text}`)
  return `${opening}\n\n${lines.join("\n")}`
}

/** The whole text, its parts in the order of how seldom they change. */
export function composePrompt(input: PromptInput): string {
  const { cwd, tools, system, append = [], context = [], skills = [] } = input
  const files = context.map(({ path, text }) => block("file", text, attribute(path)))
  const told = skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`)
  const parts = [
    system ?? base(tools),
    ...append,
    files.length === 0 ? "" : `What the person and the project ask of you:\n${files.join("\n")}`,
    told.length === 0 ? "" : block("skills", `Read the file of a skill before a task it fits:\n${told.join("\n")}`),
    `Working folder: ${cwd}`,
  ]
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n")
}
