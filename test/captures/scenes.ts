/**
 * What is photographed of the screen: a session with work of every kind, and the keys that lead to each picture.
 *
 * - A scene begins and ends with the keys in the editor and nothing over the conversation, so that scenes can be taken one by one.
 * - `shows` is on the screen only once the scene is there, at every size.
 */
import type { ModelRequest, Reply } from "../support/model-script.ts"

export type Scene = {
  readonly name: string
  readonly keys: readonly string[]
  /** Typed after the keys. */
  readonly text?: string
  readonly shows: string | RegExp
  /** What was waited for before `text` is typed. */
  readonly before?: string | RegExp
  /** Keys after the text, before the picture. */
  readonly then?: readonly string[]
  readonly leave: readonly string[]
  /** No longer on the screen once it was left. */
  readonly gone?: string
}

const command =
  "for i in $(seq 1 60); do printf '\\033[3%dmline %d of the output\\033[0m\\n' $((i % 8)) $i; done; exit 3"

const plan = "# The plan\n\n- [x] look\n- [ ] mend\n  - [ ] write the test first\n- [ ] ship\n\nNotes with `code`.\n"

const answer = `All **done**. What changed:

| file | lines | why |
| --- | ---: | --- |
| \`PLAN.md\` | 8 | the plan, 计划 |
| \`src/answer.ts\` | 3 | the answer itself, which is longer than a narrow screen has columns for |

1. First *this*,
2. then [that](https://example.com/that).

\`\`\`ts
// The answer to everything.
export const answer: number = 42
\`\`\`

> Quoted, 你好世界, and an emoji 👍.
`

/** The model: looks at the conversation alone. */
export function script(request: ModelRequest): Reply {
  if (request.lastUser.includes("wait")) {
    return request.results.length > 0
      ? { text: "Waited." }
      : { toolCalls: [{ name: "bash", args: { command: "sleep 600" } }] }
  }
  const calls = [
    { name: "bash", args: { command } },
    { name: "write", args: { path: "PLAN.md", content: plan } },
    { name: "write", args: { path: "src/answer.ts", content: "export const answer = 41\n" } },
    { name: "edit", args: { path: "src/answer.ts", edits: [{ oldText: "41", newText: "42" }] } },
    { name: "read", args: { path: "src/answer.ts" } },
  ]
  const call = calls[request.results.length]
  if (call === undefined) return { thinking: "Everything is there; say so.", text: answer }
  return request.results.length === 0
    ? { thinking: "First look around, then make a plan.", toolCalls: [call] }
    : { toolCalls: [call] }
}

export const opening = "make a plan and follow it"
export const closing = "Quoted, 你好世界"

/** To the end of the conversation and back to the editor. No Escape: with the key after it, a terminal makes one key of the two. */
const chatOnly = ["C-x", "Up", "G", "C-x", "Down"]
const toPanel = (steps: number): readonly string[] => Array.from({ length: steps }, () => ["C-x", "Right"]).flat()
const dialog = (name: string, keys: readonly string[], title: string): Scene => ({
  name,
  keys,
  shows: title,
  leave: ["C-c"],
  gone: title,
})

export const scenes: readonly Scene[] = [
  { name: "chat", keys: chatOnly, shows: closing, leave: [] },
  { name: "chat-top", keys: ["C-x", "Up", "g", "g"], shows: "Thinking, 36", leave: chatOnly },
  { name: "panel-output", keys: toPanel(2), shows: /export const answer = 42|answer\.ts/, leave: chatOnly },
  { name: "panel-output-raw", keys: [...toPanel(2), "r"], shows: "raw: read", leave: ["r", ...chatOnly] },
  { name: "panel-plan", keys: [...toPanel(3), "j"], shows: "☐ ship", leave: chatOnly },
  { name: "panel-tasks", keys: ["C-x", "j"], shows: "Nothing is running", leave: ["C-x", "j", ...chatOnly] },
  {
    name: "panel-changes",
    keys: ["C-x", "v"],
    shows: /changes: 2 f|command ran|chan\S* ×/,
    leave: ["C-x", "v", ...chatOnly],
  },
  { name: "panel-tree", keys: ["C-x", "G"], shows: /tree: |tre\S*… ×/, leave: ["C-x", "G", ...chatOnly] },
  { name: "panel-zoomed", keys: [...toPanel(2), "z"], shows: "▣", leave: ["z", ...chatOnly] },
  {
    name: "search",
    keys: ["C-f"],
    before: "/",
    text: "answer",
    shows: /answer\s+\d/,
    then: ["Down"],
    leave: ["C-c"],
  },
  {
    name: "search-list",
    keys: ["C-f"],
    before: "/",
    text: "answer",
    shows: /› \|/,
    then: ["M-l"],
    leave: ["C-c"],
  },
  dialog("palette", ["C-p"], "Commands ─"),
  { ...dialog("palette-narrowed", ["C-p"], "Commands ─"), before: "Commands ─", text: "panel" },
  dialog("picker-models", ["C-l"], "Model ─"),
  dialog("picker-sessions", ["C-x", "l"], "Sessions"),
  dialog("picker-themes", ["C-x", "t"], "Theme ─"),
  dialog("picker-tree", ["C-x", "g"], "Tree:"),
  dialog("settings", ["C-x", "s"], "Settings ─"),
  dialog("help", ["F1"], "Keys ─"),
  { name: "copy-mode", keys: ["C-x", "[", "k", "k", "k", "V", "k"], shows: closing, leave: ["q", "C-x", "Down"] },
  { name: "key-hints", keys: ["C-x"], shows: "Edit the prompt", leave: ["BSpace"] },
  { name: "completion-commands", keys: [], text: "/mo", shows: "/model", leave: ["C-c"] },
  { name: "completion-paths", keys: [], text: "see @ans", shows: "src/answer.ts", leave: ["C-c"] },
  { name: "editor-lines", keys: [], text: "one", then: ["C-j", "C-j"], shows: "one", leave: ["C-c"] },
]

/** Pictures of work that is going on, taken last: the session is left with it. */
export const workingScenes: readonly Scene[] = [
  { name: "working-tasks", keys: ["C-x", "j"], shows: /tasks \d/, leave: ["C-x", "j", "C-x", "Up", "C-x", "Down"] },
  { name: "working-queued", keys: [], text: "and then this", then: ["M-Enter"], shows: "queued", leave: [] },
  dialog("confirm-quit", ["C-x", "q"], "Work is still running"),
]
