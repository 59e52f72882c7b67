import { describe, expect, test } from "bun:test"
import { chmodSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Credentials, type CredentialOptions } from "../../src/home/credentials.ts"
import { commandRunner, parseKey } from "../../src/home/key-value.ts"
import { systemClock } from "../../src/std/clock.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { putFile, tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

function open(folder: string, more: Partial<CredentialOptions> = {}): Credentials {
  return new Credentials({
    file: join(folder, "config/auth.json"),
    env: {},
    clock: systemClock,
    run: async (command) => ({ problem: `unexpected: ${command}` }),
    variables: { anthropic: ["ANTHROPIC_API_KEY"], google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
    config: {},
    ...more,
  })
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe("a key", () => {
  test("comes from the flag, auth.json, the config, the usual variables, in this order", async () => {
    const folder = tempFolder({ "config/auth.json": '{ "anthropic": { "type": "api_key", "key": "stored" } }' })
    const env = { ANTHROPIC_API_KEY: "ambient", GOOGLE_API_KEY: "second" }
    const config = { anthropic: "configured", local: "configured" }
    expect(await open(folder, { env, config, flag: "flagged" }).key("anthropic")).toEqual({ key: "flagged" })
    const keys = open(folder, { env, config })
    expect([keys.source("anthropic"), await keys.key("anthropic")]).toEqual(["auth.json", { key: "stored" }])
    expect([keys.source("local"), await keys.key("local")]).toEqual(["config", { key: "configured" }])
    expect([keys.source("google"), await keys.key("google")]).toEqual(["environment", { key: "second" }])
    expect([keys.source("nobody"), await keys.key("nobody")]).toEqual([undefined, undefined])
    expect(keys.hint("google")).toBe(
      "There is no key for google: set GEMINI_API_KEY, or store one with `cairn login google` or /login google.",
    )
  })

  test("is known as a secret wherever it stands, before it is asked for; one of a command once it was had", async () => {
    const auth = {
      anthropic: "stored-key",
      acme: { type: "oauth", access: "access-1", refresh: "refresh-1", expires: 1 },
    }
    const folder = tempFolder({ "config/auth.json": JSON.stringify(auth) })
    const env = { GEMINI_API_KEY: "ambient-key", LOCAL_KEY: "named-key", OTHER: "no key of ours" }
    const config = { local: "$LOCAL_KEY", plain: "written-key", asked: "!pass", unset: "$NOT_SET" }
    const keys = open(folder, { env, config, flag: "flagged-key", run: async () => ({ output: "printed-key" }) })
    const known = ["stored-key", "access-1", "refresh-1", "written-key", "named-key", "ambient-key", "flagged-key"]
    expect(keys.secrets().toSorted()).toEqual(known.toSorted())
    const asked = open(folder, { env, config, run: async () => ({ output: "printed-key\n" }) })
    await asked.key("asked")
    expect(asked.secrets()).toContain("printed-key")
  })

  test.each<[string, ReturnType<typeof parseKey>]>([
    ["$LOCAL", { kind: "variable", name: "LOCAL" }],
    ["${LOCAL}", { kind: "variable", name: "LOCAL" }],
    ["!pass show x", { kind: "command", command: "pass show x" }],
    ["sk-1", { kind: "literal", key: "sk-1" }],
    ["$$LOCAL", { kind: "literal", key: "$LOCAL" }],
    ["$!x", { kind: "literal", key: "!x" }],
    ["", { kind: "literal", key: "" }],
  ])("written %s is %o", (text, value) => expect(parseKey(text)).toEqual(value))

  test("on the command line is taken as it is", async () => {
    for (const flag of ["$HOME", "!ls", "sk"])
      expect(await open(tempFolder(), { flag }).key("x")).toEqual({ key: flag })
  })

  test("of a variable that is not set is a sentence", async () => {
    const keys = open(tempFolder(), { config: { local: "$LOCAL_KEY" } })
    expect(await keys.key("local")).toEqual({
      problem: "The key of local is to come from $LOCAL_KEY, which is not set.",
    })
    expect(keys.keyNow("local")).toBeUndefined()
  })

  test("of a command is asked for once, when it is needed, and again only where it failed", async () => {
    const answers: ({ output: string } | { problem: string })[] = [
      { problem: "it ended with exit status 1." },
      { output: " sk-1\n" },
    ]
    let runs = 0
    const run: CredentialOptions["run"] = async () => answers[runs++] ?? { problem: "asked too often" }
    const keys = open(tempFolder(), { run, config: { vault: "!pass show key" } })
    expect([keys.source("vault"), keys.keyNow("vault"), runs]).toEqual(["config", undefined, 0])
    expect(await keys.key("vault")).toEqual({
      problem: "The command for the key of vault failed: it ended with exit status 1.",
    })
    expect(await Promise.all([keys.key("vault"), keys.key("vault"), keys.key("vault")])).toEqual([
      { key: "sk-1" },
      { key: "sk-1" },
      { key: "sk-1" },
    ])
    expect(runs).toBe(2)
  })
})

describe("a command for a key", () => {
  const run = commandRunner({ PATH: process.env["PATH"] ?? "", SECRET: "sk-9" }, systemClock)

  test("runs in the person's environment and gives what it prints", async () => {
    expect(await run('printf %s "$SECRET"')).toEqual({ output: "sk-9" })
  })

  test("that fails is told by its status, and never by what it printed", async () => {
    expect(await run("echo sk-9; echo sk-9 >&2; exit 3")).toEqual({ problem: "it ended with exit status 3." })
  })

  test("that never ends is ended", async () => {
    const clock = new ManualClock()
    const running = commandRunner({ PATH: process.env["PATH"] ?? "" }, clock)("exec sleep 600")
    await clock.advance(60_000)
    expect(await running).toEqual({ problem: "it did not end within 60 seconds." })
  })
})

describe("auth.json", () => {
  test("is made with the first key, closed to others, and forgets again", async () => {
    const folder = tempFolder()
    const keys = open(folder)
    await keys.store("anthropic", "sk-1")
    await keys.store("local", "$LOCAL")
    const path = join(folder, "config/auth.json")
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      anthropic: { type: "api_key", key: "sk-1" },
      local: { type: "api_key", key: "$LOCAL" },
    })
    expect([modeOf(path), modeOf(join(folder, "config"))]).toEqual([0o600, 0o700])
    expect(keys.stored()).toEqual(["anthropic", "local"])
    expect(await keys.key("anthropic")).toEqual({ key: "sk-1" })
    expect([await keys.remove("anthropic"), await keys.remove("anthropic")]).toEqual([true, false])
    expect(await keys.key("anthropic")).toBeUndefined()
    expect(readdirSync(join(folder, "config"))).toEqual(["auth.json"])
  })

  test("keeps entries of other kinds, becomes closed, and is followed through a link", async () => {
    const entry = { type: "oauth", refresh: "r" }
    const folder = tempFolder({ "dotfiles/auth": JSON.stringify({ other: entry }), "config/x": "" })
    chmodSync(join(folder, "dotfiles/auth"), 0o644)
    symlinkSync(join(folder, "dotfiles/auth"), join(folder, "config/auth.json"))
    const keys = open(folder)
    expect(keys.source("other")).toBeUndefined()
    await keys.store("local", "sk-1")
    expect(lstatSync(join(folder, "config/auth.json")).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(join(folder, "dotfiles/auth"), "utf8"))).toMatchObject({ other: entry })
    expect(modeOf(join(folder, "dotfiles/auth"))).toBe(0o600)
  })

  test("that is broken is told, keeps what was read, and is not written over", async () => {
    const folder = tempFolder({ "config/auth.json": '{ "local": "sk-1" }' })
    const keys = open(folder)
    const path = putFile(folder, "config/auth.json", '{ "local": "sk-2')
    keys.reload()
    expect(keys.problem).toBe(`${path}:1:12: this text is never closed by a double quote`)
    expect(await keys.key("local")).toEqual({ key: "sk-1" })
    expect(keys.store("x", "y")).rejects.toThrow("nothing was written")
    expect(readFileSync(path, "utf8")).toBe('{ "local": "sk-2')
  })

  test("written by two at once has both keys", async () => {
    const folder = tempFolder()
    await Promise.all(["a", "b", "c", "d"].map((name) => open(folder).store(name, `key of ${name}`)))
    expect(open(folder).stored().toSorted()).toEqual(["a", "b", "c", "d"])
  })

  test("whose lock was left by a process that died is written all the same", async () => {
    const folder = tempFolder({ "config/auth.json": "{}", "config/auth.json.lock": "" })
    const long = Date.now() / 1_000 - 60
    utimesSync(join(folder, "config/auth.json.lock"), long, long)
    await open(folder).store("local", "sk-1")
    expect(open(folder).stored()).toEqual(["local"])
  })

  test("whose lock is held is waited for, and then told by name", async () => {
    const folder = tempFolder({ "config/auth.json": "{}", "config/auth.json.lock": "" })
    const clock = new ManualClock(Date.now())
    const told: string[] = []
    open(folder, { clock })
      .store("local", "sk-1")
      .then(
        () => told.push("stored"),
        (error: unknown) => told.push(String(error)),
      )
    // The wall clock stands still, so that the lock does not grow old. A step that finds nothing waiting yet is lost.
    while (told.length === 0) {
      await clock.advance(25)
      clock.jump(-25)
    }
    expect(told[0]).toContain(`${join(folder, "config/auth.json")} is locked by another process`)
  })
})
