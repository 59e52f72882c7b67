import { expect, test } from "bun:test"
import { modeOf, type Mode } from "../../src/cli/args.ts"
import { helpText } from "../../src/cli/help.ts"

function problemOf(mode: Mode): string {
  return mode.kind === "usage" ? mode.problem : `no problem: ${mode.kind}`
}

test("words without a flag open the screen on a terminal, and print elsewhere", () => {
  expect(modeOf(["fix", "it"], true)).toMatchObject({ kind: "screen", words: ["fix", "it"] })
  expect(modeOf(["fix", "it"], false)).toMatchObject({ kind: "print", output: "text", words: ["fix", "it"] })
})

test("flags keep their short names, together too", () => {
  expect(modeOf(["-cp"], true)).toMatchObject({ kind: "print", run: { session: { kind: "continue" } } })
  expect(modeOf(["-p", "-t", "read, grep", "x"], true)).toMatchObject({ run: { tools: ["read", "grep"] } })
  expect(modeOf(["-v"], true)).toEqual({ kind: "version" })
})

test("--mode json is print mode that writes events", () => {
  expect(modeOf(["--mode", "json", "hi"], true)).toMatchObject({ kind: "print", output: "json", words: ["hi"] })
  expect(problemOf(modeOf(["--mode", "xml"], true))).toBe("--mode xml is unknown: give text or json")
})

test("a session is chosen in one way only", () => {
  expect(modeOf(["-p", "--session", "abc"], true)).toMatchObject({ run: { session: { kind: "named", id: "abc" } } })
  expect(modeOf(["--fork", "abc", "x"], true)).toMatchObject({ run: { session: { kind: "fork", id: "abc" } } })
  expect(problemOf(modeOf(["--fork", "a", "--session", "b"], true))).toContain("exclude each other")
  expect(problemOf(modeOf(["-c", "--no-session"], true))).toBe(
    "--continue and --no-session exclude each other: give one of them",
  )
})

test("-r chooses a session on a screen, and consents in print mode", () => {
  expect(modeOf(["-r"], true)).toMatchObject({ kind: "screen", run: { session: { kind: "choose" } } })
  expect(modeOf(["-p", "-c", "-r"], true)).toMatchObject({ run: { resume: true, session: { kind: "continue" } } })
})

test("a flag that does not exist is named, and so is a value that is missing or wrong", () => {
  expect(problemOf(modeOf(["--modle", "x"], true))).toContain("--modle")
  expect(problemOf(modeOf(["--model"], true))).toContain("--model")
  expect(problemOf(modeOf(["--thinking", "hard"], true))).toContain("give one of off, minimal, low")
})

test("-- ends the flags", () => {
  expect(modeOf(["-p", "--", "--model"], true)).toMatchObject({ words: ["--model"] })
})

test("a subcommand is the first word, unless a prompt was asked for", () => {
  expect(modeOf(["sessions", "list", "--json"], true)).toMatchObject({
    kind: "command",
    command: "sessions",
    words: ["list"],
  })
  expect(modeOf(["-p", "stop", "it"], true)).toMatchObject({ kind: "print", words: ["stop", "it"] })
  expect(problemOf(modeOf(["fix", "--json"], true))).toContain("--json belongs to a command")
})

test("every flag and command stands in the help", () => {
  const help = helpText("1.2.3")
  expect(help).toStartWith("cairn 1.2.3:")
  for (const word of ["--print", "-c, --continue", "--no-session", "attach", "reset-terminal"])
    expect(help).toContain(word)
})
