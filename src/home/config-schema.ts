/**
 * Every setting, once: its type, its default, and the sentence that explains it. The config's type, its checks, its published JSON schema, the
 * names of its environment variables and the settings shown on screen are all made from this.
 *
 * - Names are pi's where they mean the same.
 * - Objects that are reached by names from the top are groups of settings: nothing in them is required, and each leaf has a default or is
 *   optional. What stands in lists and in maps (models, providers) is checked as it is.
 */
import { Type, type Static, type TSchema } from "@sinclair/typebox"
import { thinkingLevels } from "../message/message.ts"
import type { JsonObject } from "../std/json.ts"
import { durationPattern } from "./duration.ts"

function choice<const T extends readonly string[]>(
  values: T,
  options: { readonly default?: T[number]; readonly description?: string } = {},
): ReturnType<typeof Type.Unsafe<T[number]>> {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options })
}

const group = <P extends Record<string, TSchema>>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, description })

const text = (fallback: string, description: string) => Type.String({ default: fallback, description })
const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })
const texts = (fallback: readonly string[], description: string) =>
  Type.Array(Type.String(), { default: [...fallback], description })
const whole = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description })
const duration = (fallback: string, description: string) =>
  Type.String({ default: fallback, pattern: durationPattern, description })

const anyObject = Type.Unsafe<JsonObject>({ type: "object" })
const headers = Type.Record(Type.String(), Type.String(), {
  description: 'Headers to send. "$NAME" takes the value from the environment.',
})

const apis = ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"] as const

const price = Type.Object(
  {
    input: Type.Number({ minimum: 0 }),
    output: Type.Number({ minimum: 0 }),
    cacheRead: Type.Optional(Type.Number({ minimum: 0 })),
    cacheWrite: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false, description: "US dollars per million tokens." },
)

const model = Type.Object(
  {
    id: Type.String({ description: "The name that the server knows it by." }),
    name: Type.Optional(Type.String({ description: "The name to show." })),
    api: Type.Optional(choice(apis)),
    baseUrl: Type.Optional(Type.String()),
    contextWindow: Type.Optional(Type.Integer({ minimum: 1, description: "Tokens." })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1, description: "Tokens of one answer." })),
    reasoning: Type.Optional(Type.Boolean({ description: "The model can think before it answers." })),
    thinking: Type.Optional(
      Type.Unsafe<Partial<Record<(typeof thinkingLevels)[number], string | null>>>({
        type: "object",
        description: "Each thinking level as the vendor's word for it; null takes a level away.",
      }),
    ),
    input: Type.Optional(Type.Array(choice(["text", "image"]))),
    cost: Type.Optional(price),
    quirks: Type.Optional(anyObject),
    headers: Type.Optional(headers),
    edits: Type.Optional(choice(["replace", "whole"], { description: "whole: the model writes whole files." })),
  },
  { additionalProperties: false },
)

const login = Type.Object(
  {
    kind: Type.Optional(
      choice(["pkce", "device"], { description: "pkce: a browser on this machine; device: a code." }),
    ),
    authorizeUrl: Type.Optional(Type.String({ description: "Where the browser goes (pkce)." })),
    deviceUrl: Type.Optional(Type.String({ description: "Where a code is asked for (device)." })),
    tokenUrl: Type.Optional(Type.String({ description: "Where tokens are asked for." })),
    exchangeUrl: Type.Optional(
      Type.String({ description: "Where a token is exchanged for one that requests bear (github-copilot)." }),
    ),
    clientId: Type.Optional(Type.String({ description: "This program, as the server knows it." })),
    scope: Type.Optional(Type.String()),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: "0: any that is free." })),
  },
  { additionalProperties: false, description: "How `cairn login` logs in at this provider." },
)

const provider = Type.Object(
  {
    name: Type.Optional(Type.String({ description: "The name to show." })),
    api: Type.Optional(choice(apis, { description: "The wire format that the server speaks." })),
    baseUrl: Type.Optional(Type.String({ description: "The address, with its version part." })),
    apiKey: Type.Optional(
      Type.String({
        description: '"$NAME": from the environment; "!command": what it prints; anything else: the key.',
      }),
    ),
    login: Type.Optional(login),
    headers: Type.Optional(headers),
    quirks: Type.Optional(anyObject),
    models: Type.Optional(
      Type.Array(model, { description: "Models that the catalog does not know, or knows wrongly." }),
    ),
  },
  { additionalProperties: false },
)

const agentSettings = {
  model: Type.Optional(Type.String({ description: "The model to start with, as provider/id." })),
  defaultThinkingLevel: choice(thinkingLevels, { default: "medium", description: "The thinking level to start with." }),
  modelThinkingLevels: Type.Record(Type.String(), choice(thinkingLevels), {
    default: {},
    description: "Thinking levels to start with, by provider/id.",
  }),
  enabledModels: texts([], "The models to cycle through; none means all that have a key."),
  providers: Type.Record(Type.String(), provider, {
    default: {},
    description: "Providers that the catalog does not know, and changes to those it does.",
  }),
  defaultTools: texts(["read", "bash", "edit", "write"], "The tools that are on."),
  steeringMode: choice(["one-at-a-time", "all"], {
    default: "one-at-a-time",
    description: "How many waiting prompts join a running turn at once.",
  }),
  followUpMode: choice(["one-at-a-time", "all"], {
    default: "one-at-a-time",
    description: "How many queued prompts begin the next run together.",
  }),
  retry: group(
    {
      enabled: flag(true, "Ask again when a provider fails in a way that may pass."),
      maxRetries: whole(3, 0, 100, "How often."),
      baseDelayMs: whole(2_000, 0, 600_000, "Milliseconds before the first time; it doubles after that."),
      maxAgentDelayMs: whole(60_000, 0, 3_600_000, "The longest wait between two times, in milliseconds."),
    },
    "What to do when a provider fails.",
  ),
  httpIdleTimeoutMs: whole(
    300_000,
    1_000,
    3_600_000,
    "Milliseconds without a byte after which an answer counts as stalled.",
  ),
  httpFirstByteTimeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1_000,
      maximum: 3_600_000,
      description: "Milliseconds without a byte before an answer begins; left out: httpIdleTimeoutMs.",
    }),
  ),
  compaction: group(
    {
      enabled: flag(true, "Summarize older parts of a conversation before the context is full."),
      reserveTokens: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "Tokens to keep free for an answer; left out: by the model's window.",
        }),
      ),
      keepRecentTokens: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "Tokens of the newest part to keep; left out: by the model's window.",
        }),
      ),
    },
    "How a conversation is kept below the model's window.",
  ),
  betterTitles: flag(
    true,
    "Let the model name a session better than by its first line, once nothing else is to be done.",
  ),
  limits: group(
    {
      costPerRun: Type.Optional(
        Type.Number({ minimum: 0, description: "US dollars after which a run waits for a key; left out: no limit." }),
      ),
    },
    "Where work stops and asks.",
  ),
} as const

const machineSettings = {
  shellPath: Type.Optional(Type.String({ description: "The shell that runs commands; left out: bash, else sh." })),
  passEnv: texts([], "Names of provider keys in the environment that commands may see all the same."),
  bash: group(
    { orphanLimit: duration("24h", "How long a command may go on after the program that started it has died.") },
    "Commands that the agent runs.",
  ),
  redact: texts(
    [],
    "Regular expressions of secrets: what they match is taken out of inputs, answers, results, kept outputs and exports.",
  ),
  output: group(
    {
      maxBytes: whole(64 * 1024 * 1024, 1024 * 1024, 2 ** 40, "Bytes of one command's output that are kept."),
      maxSessionBytes: whole(
        1024 * 1024 * 1024,
        1024 * 1024,
        2 ** 42,
        "Bytes of all outputs of a session that are kept.",
      ),
    },
    "Output that is kept on disk.",
  ),
  host: group(
    { linger: duration("10m", "How long work without a screen waits for one after it has ended.") },
    "The process that works behind the screen.",
  ),
  resume: group(
    { maxAge: duration("24h", "Interrupted work that is older waits for a key instead of going on at once.") },
    "Work that was interrupted.",
  ),
  defaultProjectTrust: choice(["ask", "always", "never"], {
    default: "ask",
    description: "What to do about a project's own settings and extensions when you have not decided yet.",
  }),
  extensions: texts(
    [],
    "Files and folders of extensions beside those in `extensions/`; -name turns a built-in one off.",
  ),
} as const

const screenSettings = {
  theme: text(
    "system",
    "The theme: system follows the terminal's own colours; a pair light/dark follows its background.",
  ),
  appearance: choice(["auto", "dark", "light"], {
    default: "auto",
    description: "Which side of a theme to use; auto follows the terminal's background.",
  }),
  keymap: text("default", "The keymap: default, vim, emacs or one of your own."),
  panels: group(
    {
      main: texts(["chat"], "Panels of the main slot."),
      side: group(
        {
          stack: texts(["tool", "plan"], "Panels beside it, from the top."),
          size: whole(40, 10, 90, "Per cent of the columns that they have."),
          from: whole(100, 1, 1_000, "Below this many columns they are tabs."),
        },
        "The side slot.",
      ),
      bottom: texts([], "Panels below."),
      bottomSize: whole(33, 10, 90, "Per cent of the rows that the panels below have."),
      footer: texts(["status"], "What the last line shows; [] takes the line away."),
    },
    "Which panel stands where.",
  ),
  search: group(
    {
      regex: flag(false, "Take what is searched for as a regular expression."),
    },
    "Searching.",
  ),
  plan: group(
    { files: texts(["PLAN.md", "TODO.md"], "Files that the plan panel shows, the first that exists.") },
    "The plan panel.",
  ),
  keyHintsMs: whole(
    300,
    0,
    10_000,
    "Milliseconds after which the beginning of a key sequence shows what may follow; 0 shows nothing.",
  ),
  mouse: flag(true, "Use the mouse; off leaves it to the terminal."),
  bell: flag(true, "Ring the bell when work ends or asks while the terminal is in the background."),
  colors: choice(["auto", "truecolor", "256", "16", "none"], {
    default: "auto",
    description: "How many colours the terminal can show.",
  }),
  hideThinkingBlock: flag(true, "Fold reasoning once it has ended; while it comes, its last rows show."),
  externalEditor: Type.Optional(
    Type.String({ description: "The command of your editor; left out: $VISUAL, else $EDITOR." }),
  ),
  exitOutput: choice(["hint", "transcript", "none"], {
    default: "hint",
    description: "What is left in the terminal after quitting: how to resume, the whole conversation, or nothing.",
  }),
} as const

export const settings = Type.Object(
  { $schema: Type.Optional(Type.String()), ...agentSettings, ...machineSettings, ...screenSettings },
  { additionalProperties: false, description: "Settings of Cairn." },
)

/** All settings with their values: those of no file are built in. */
export type Config = Static<typeof settings>

/** What an untrusted project may say at most; a model only of a provider that the person already has, plan files only inside its folder. */
export const untrustedSettings: readonly string[] = [
  "$schema",
  "theme",
  "keymap",
  "panels",
  "plan",
  "defaultThinkingLevel",
  "model",
]

/** Names that people bring along, and what they are here. */
export const otherNames: Readonly<Record<string, string>> = {
  defaultModel: "the model is named by `model`, as provider/id",
  defaultProvider: "the provider is part of `model`, as provider/id",
  thinking: "the level to start with is `defaultThinkingLevel`",
  tools: "the tools that are on are `defaultTools`",
  fullscreenExitOutput: "what is left after quitting is `exitOutput`",
  apiKey: "keys belong to a provider: `providers.<name>.apiKey`, or `auth.json`",
}
