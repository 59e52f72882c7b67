/**
 * What the guide of the tour says and does: texts and calls, step by step. Data; `step.ts` chooses.
 *
 * - It says what it is, a script and no AI, before anything else.
 * - Its files are small and its commands harmless anywhere: a script that prints, nothing that reaches out of the folder.
 * - Commands of the screen are named by what they do and by their name, never by a key: keys are the person's to choose.
 */
import type { JsonObject } from "../../std/json.ts"

export type TourCall = { readonly name: string; readonly args: JsonObject }

/** One response of the guide. No calls: the run is over. */
export type TourStep = { readonly text: string; readonly calls: readonly TourCall[] }

export const topics = ["first", "kill", "long", "fail", "menu"] as const
export type Topic = (typeof topics)[number]

const plan = `# Plan: a heap of stones

- [ ] Write \`stones.sh\`
- [ ] Read it again, and make it kinder
- [ ] Run it, and watch its output as it comes
`

const script = `#!/bin/sh
# Prints one stone at a time, as a walker would lay them.
for stone in 1 2 3 4 5 6 7 8; do
  echo "stone $stone"
  sleep 0.5
done
echo "done"
`

const menu = `What next? Type one word:

| word | what you will see |
|---|---|
| \`kill\` | a command that outlives the program that started it |
| \`long\` | a long answer, to scroll and search in while it streams |
| \`fail\` | what a failing command looks like |

When you have seen enough, choose a real model: Ctrl+L lists those that your keys and local servers give you.`

const first: readonly TourStep[] = [
  {
    text: `Welcome. **This is a tour**: what you read comes from a script inside Cairn, not from an AI. Nothing leaves this machine, no key is needed, and everything but the words is real: the tools, the files, the screen, the ledger that all of it is written to.

I begin with a plan, in a file. The plan panel (Ctrl+X p) shows that file live, and you can tick its boxes there.`,
    calls: [{ name: "write", args: { path: "PLAN.md", content: plan } }],
  },
  {
    text: `Now a small program. You see the file *while* it is being written:`,
    calls: [{ name: "write", args: { path: "stones.sh", content: script } }],
  },
  {
    text: "I read it back before changing it; a result is folded to a few lines, and Ctrl+O shows all of it.",
    calls: [{ name: "read", args: { path: "stones.sh" } }],
  },
  {
    text: `An edit replaces text that must be there exactly once, and shows what changed. The same for the plan; both calls of this turn run side by side.`,
    calls: [
      {
        name: "edit",
        args: {
          path: "stones.sh",
          edits: [
            { oldText: 'echo "done"', newText: 'echo "Eight stones: the next walker knows how far the path goes."' },
          ],
        },
      },
      {
        name: "edit",
        args: {
          path: "PLAN.md",
          edits: [
            { oldText: "- [ ] Write", newText: "- [x] Write" },
            { oldText: "- [ ] Read", newText: "- [x] Read" },
          ],
        },
      },
    ],
  },
  {
    text: `Now it runs. Its output comes line by line; you may scroll, search (Ctrl+F) or type meanwhile. A prompt sent now joins at the next turn.`,
    calls: [{ name: "bash", args: { command: "sh stones.sh" } }],
  },
  {
    text: "One box is left to tick.",
    calls: [{ name: "edit", args: { path: "PLAN.md", edits: [{ oldText: "- [ ] Run", newText: "- [x] Run" }] } }],
  },
  {
    text: `That was a whole run: seven answers and seven calls, each committed to disk before you saw it.

Some things to try now:

- **Find anything**: Ctrl+F looks through this session, folded output included; Enter goes on, Esc brings you back.
- **Every command** has a name and a key: Ctrl+P lists them all, F1 those that work right here.
- **Move about**: Ctrl+Up jumps from prompt to prompt, Tab goes from panel to panel, Ctrl+O folds and unfolds what tools printed.
- **Take it back**: the changes panel (Ctrl+X v) shows what this run did to your files.

\`\`\`sh
# The files of the tour are ordinary files:
cat PLAN.md stones.sh
\`\`\`

${menu}`,
    calls: [],
  },
]

const lastLine = "all of it"

const counted = (host: number): string =>
  `There it is: every line from 1 to 20, once each. If you did kill the host, look at its process id: it is ${host} now. What you had typed, the queue and the open panels came back too.`

const cutShort = `The command did not come to its end, so I am told just that, with all that it printed until then. It is not run again behind your back: nobody but you knows whether that would be safe.`

/** `host` is the process that holds this session; `output` is what the command gave, empty until it has. */
function kill(host: number, output: string): readonly TourStep[] {
  return [
    {
      text: `Let us break something. I start a command of twenty seconds. While it runs, open another terminal and end the program that holds this session, in the hardest way there is:

\`\`\`sh
kill -9 ${host}
\`\`\`

The screen starts another host, which reads in the ledger what was going on and takes it up from there. Or do nothing, and just watch.`,
      calls: [
        {
          name: "bash",
          args: {
            command: `for second in $(seq 1 20); do echo "second $second of 20"; sleep 1; done; echo "${lastLine}"`,
          },
        },
      ],
    },
    { text: `${output.includes(`\n${lastLine}`) ? counted(host) : cutShort}\n\n${menu}`, calls: [] },
  ]
}

const fail: readonly TourStep[] = [
  {
    text: "A command that fails is not an error of the program: the model is told, and goes on.",
    calls: [{ name: "bash", args: { command: "echo 'looking for a bridge'; echo 'no bridge here' >&2; exit 3" } }],
  },
  {
    text: `Exit status 3, with both outputs kept in their order. A real model would now look for another way across.

${menu}`,
    calls: [],
  },
]

const stanza = (
  place: number,
): string => `## ${place}. ${["Ledger", "Spool", "Host", "Screen", "Keymap", "Theme"][place % 6] ?? ""}

Stone ${place} of this heap. Search for \`needle\` while this streams: it hides in some of these paragraphs${place % 7 === 3 ? ", and here is a **needle**" : ""}. Your place on the screen does not move while more comes in below, until you ask to follow again (\`scroll.bottom\`).

- what is written is kept
- what is kept can be found
- what can be found can be copied (\`copy.open\`)

\`\`\`ts
const stone = { number: ${place}, weight: ${(place * 37) % 100} }
heap.push(stone) // ${place} so far
\`\`\`
`

const long: readonly TourStep[] = [
  {
    text: `${Array.from({ length: 24 }, (_, place) => stanza(place + 1)).join("\n")}\n${menu}`,
    calls: [],
  },
]

const menuOnly: readonly TourStep[] = [
  { text: `I am a script and cannot answer that; a real model could.\n\n${menu}`, calls: [] },
]

/** The steps of a topic, told by the process `host`; `output` is what the last call gave. */
export function stepsOf(topic: Topic, host: number, output: string): readonly TourStep[] {
  switch (topic) {
    case "first":
      return first
    case "kill":
      return kill(host, output)
    case "long":
      return long
    case "fail":
      return fail
    case "menu":
      return menuOnly
  }
}
