import { describe, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { systemClock } from "../../src/std/clock.ts"
import { waitingEditor } from "../../src/tools/bash-editor.ts"
import { bashTool } from "../../src/tools/bash.ts"
import { endCommand, linuxTable } from "../../src/tools/processes.ts"
import type { ToolContext, ToolResult } from "../../src/tools/tool.ts"
import { eventually } from "../support/eventually.ts"
import { detail, textOf, workbench, type Workbench } from "./workbench.ts"

type Args = { command: string; timeout?: number }

/** The two ways a command can run; what follows holds for both. */
const ways = [
  ["in files", (bench: Workbench): Partial<ToolContext> => ({ files: bench.files() })],
  ["in a pipe", (): Partial<ToolContext> => ({ files: null })],
] as const

const run = (bench: Workbench, args: Args, more: Partial<ToolContext>): Promise<ToolResult> =>
  bench.call(bashTool, args, more)

for (const [way, place] of ways) {
  const told = async (command: string, timeout?: number): Promise<string> => {
    using bench = workbench()
    return textOf(await run(bench, timeout === undefined ? { command } : { command, timeout }, place(bench)))
  }

  describe(`a command ${way}`, () => {
    test("gives both outputs in order, and succeeds", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "echo one; echo two >&2; echo three" }, place(bench))
      expect([result.isError, textOf(result), result.cut]).toEqual([false, "one\ntwo\nthree", false])
      expect([detail(result, "exit"), detail(result, "bytes"), detail(result, "ended")]).toEqual([0, 14, "itself"])
    })

    test("may open its outputs anew, and nothing is lost", async () => {
      expect(await told("echo one; echo two >/dev/stderr; echo three | tee /dev/stderr | wc -l | tr -d ' '")).toBe(
        "one\ntwo\nthree\n1",
      )
    })

    test("that says nothing is answered with that", async () => {
      expect(await told("true")).toBe("(no output)")
    })

    test("that fails is an error with its status", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "echo why; exit 3" }, place(bench))
      expect([result.isError, textOf(result), detail(result, "exit")]).toEqual([true, "why\n\n[Exit status 3.]", 3])
    })

    test("that a signal ends says which", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "kill -9 $$" }, place(bench))
      expect(textOf(result)).toBe("(no output)\n\n[Exit status 137 (SIGKILL).]")
      expect(detail(result, "signal")).toBe("SIGKILL")
    })

    test("that ends its own wrapper too is not taken for a success", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "echo bye; kill -9 0" }, place(bench))
      expect([result.isError, textOf(result).includes("Ended by SIGKILL.")]).toEqual([true, true])
    })

    test("has no input, no terminal, and no pipe that breaks others (43, 44)", async () => {
      expect(await told("cat; echo $?")).toBe("0")
      expect(await told("sh -c 'exec </dev/tty; cat'")).toMatch(/cannot open \/dev\/tty.*\n\n\[Exit status \d+\.\]/)
      expect(await told("tty; yes | head -1; ps -o tty= -p $$")).toBe("not a tty\ny\n?")
    })

    test("that asks a person fails at once, and says why (43)", async () => {
      const text = await told("git init -q . && git -c user.name=a -c user.email=b@c commit --allow-empty")
      expect(text).toContain("There is no editor here")
      expect(text).toContain("[Exit status 1.]")
      expect(await told("echo $PAGER $GIT_TERMINAL_PROMPT $TERM")).toBe("cat 0 dumb")
    })

    test("that begins an editor is ended, and says what to do instead (43)", async () => {
      using bench = workbench()
      // It waits as vi does, on a machine that may have none.
      const key = `editor-${way}:1`
      const result = await run(bench, { command: "echo on; exec -a vi sleep 300" }, { ...place(bench), key })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toBe(
        "on\n\n[Ended: vi 300 waited for someone to type, and nobody is there. Change files with the tools for it, or give the editor its commands as arguments.]",
      )
      expect(linuxTable.commandProcesses(key, null)).toEqual([])
    })

    test("sees the environment that it is given, its own marker, and nothing of ours", async () => {
      using bench = workbench()
      const more = { ...place(bench), env: { PATH: process.env["PATH"] ?? "", MINE: "1" }, key: "s:7" }
      expect(textOf(await run(bench, { command: "echo $MINE $CAIRN_CALL; env | grep -c COMMAND; true" }, more))).toBe(
        "1 s:7\n0",
      )
    })

    test("may hold a here-document of any length (47)", async () => {
      for (const length of [600, 4_097, 5_000, 70_000]) {
        expect(await told(`x=$(cat <<'E'\n${"a".repeat(length)}\nE\n); echo \${#x}`)).toBe(`${length}`)
      }
    })

    test("keeps characters whole that come in two writes, and marks broken bytes (51)", async () => {
      expect(
        await told("printf '\\344\\270'; sleep 0.1; printf '\\255\\n'; printf '\\377\\376A'; printf '\\303'"),
      ).toBe("中\n\ufffd\ufffdA\ufffd")
    })

    test("shows what a screen shows, and keeps the colours for it", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "printf '\\033[31mred\\033[0m\\n1%%\\r2%%\\n'" }, place(bench))
      expect(textOf(result)).toBe("red\n2%")
      expect(detail(result, "raw")).toBe("\x1b[31mred\x1b[0m\n1%\r2%\n")
    })

    test("that writes binary data is named, and its bytes are not shown", async () => {
      using bench = workbench()
      const more = place(bench)
      const result = await run(bench, { command: "seq 1 9999 | gzip" }, more)
      const where = more.files == null ? "it was not kept" : `the whole output is in ${more.files.output}`
      expect(textOf(result)).toMatch(/^\[Binary output, [\d.]+ kB \(gzip data\): not shown; /)
      expect(textOf(result)).toContain(where)
      expect([result.cut, detail(result, "raw")]).toEqual([true, undefined])
      const names = await run(bench, { command: "printf '%s\\0' a.txt b.txt" }, place(bench))
      expect(textOf(names)).toBe("a.txt␀b.txt␀")
    })

    test("leaves nothing of its folder and its environment to the next one", async () => {
      using bench = workbench()
      await run(bench, { command: "cd / && export LEFT=1 && umask 077" }, place(bench))
      expect(textOf(await run(bench, { command: 'echo "$PWD $LEFT"' }, place(bench)))).toBe(bench.folder)
    })

    test("that writes much is cut in the middle (48, 52)", async () => {
      using bench = workbench()
      const more = place(bench)
      const result = await run(bench, { command: "seq 1 300000" }, more)
      const text = textOf(result)
      expect(result.cut).toBe(true)
      expect(text.startsWith("1\n2\n3\n")).toBe(true)
      expect(text.endsWith("\n299999\n300000")).toBe(true)
      expect(text).toContain(
        more.files == null ? "left out; it was not kept" : `left out; the whole output is in ${more.files.output}`,
      )
      expect(detail(result, "bytes")).toBe(1_988_895)
      expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024)
      expect(
        textOf(await run(bench, { command: "echo PROBE" }, more.files == null ? more : { files: bench.files() })),
      ).toBe("PROBE")
    })

    test("that writes without end of line does not fill the memory (48)", async () => {
      using bench = workbench()
      Bun.gc(true)
      const before = process.memoryUsage().rss
      const result = await run(bench, { command: "head -c 60000000 /dev/zero | tr '\\0' x" }, place(bench))
      expect(detail(result, "bytes")).toBe(60_000_000)
      expect(textOf(result)).toMatch(/^x{5120}\n\[… 59\.9 MB left out; .*\]\nx+$/)
      Bun.gc(true)
      expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
    })

    test("leaves running what it started, and says so (33)", async () => {
      using bench = workbench()
      const key = `left-${way}:1`
      const result = await run(bench, { command: "sleep 300 & setsid sleep 301 & echo done" }, { ...place(bench), key })
      const left = linuxTable.commandProcesses(key, null)
      await endCommand(key, null, systemClock)
      expect(left.map(({ command }) => command).sort()).toEqual(["sleep 300", "sleep 301"])
      expect(textOf(result)).toMatch(/^done\n\n\[Still running: \d+ sleep 30\d, \d+ sleep 30\d\.\]$/)
      expect(result.isError).toBe(false)
    })

    test("is not held by a child that never stops writing", async () => {
      using bench = workbench()
      const key = `noisy-${way}:1`
      const result = await run(
        bench,
        { command: "(while :; do echo noise; sleep 0.01; done) & echo done" },
        { ...place(bench), key },
      )
      await endCommand(key, null, systemClock)
      expect(textOf(result)).toContain("done\n")
      expect(textOf(result)).toContain("Still running: ")
    })

    test("is ended at its timeout, with all that it started, in its own way (33)", async () => {
      using bench = workbench()
      const key = `late-${way}:1`
      const command = "trap 'echo bye > bye.txt' EXIT; sleep 300 & setsid sleep 301 & echo on; sleep 302"
      const result = await run(bench, { command, timeout: 0.3 }, { ...place(bench), key })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain("on\n")
      expect(textOf(result)).toContain("[Timed out after 0.3 s: the command and all that it started were ended.]")
      expect(bench.get("bye.txt")).toBe("bye\n")
      expect(linuxTable.commandProcesses(key, null)).toEqual([])
    })

    test("that ignores TERM is killed, with its strays (32, 33, 41)", async () => {
      using bench = workbench()
      const key = `deaf-${way}:1`
      const stop = new AbortController()
      const command =
        "trap '' INT TERM; setsid sh -c \"trap '' TERM; while :; do sleep 1; done\" & echo on; while :; do sleep 1; done"
      const progress = (text: string): void => void (text.includes("on") && stop.abort())
      const result = await run(bench, { command }, { ...place(bench), key, signal: stop.signal, progress })
      expect(textOf(result)).toBe("on\n\n[Interrupted: the command and all that it started were ended.]")
      expect([result.isError, detail(result, "ended")]).toEqual([true, "abort"])
      expect(linuxTable.commandProcesses(key, null)).toEqual([])
    })

    test("that was interrupted before it began does not run", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "touch ran" }, { ...place(bench), signal: AbortSignal.abort() })
      expect(textOf(result)).toBe("Interrupted before it began: the command did not run.")
      expect(() => bench.get("ran")).toThrow()
    })

    test("on a FIFO without a writer can be interrupted (45)", async () => {
      using bench = workbench()
      execFileSync("mkfifo", [bench.path("p")])
      const stop = new AbortController()
      const progress = (): void => stop.abort()
      const result = await run(bench, { command: "echo on; cat p" }, { ...place(bench), signal: stop.signal, progress })
      expect(textOf(result)).toContain("Interrupted")
    })

    test("in a shell that is not there is answered", async () => {
      using bench = workbench()
      const result = await run(bench, { command: "echo x" }, { ...place(bench), shell: "/nowhere/sh" })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/Exit status 12[67]\./)
    })

    test("runs in the person's shell", async () => {
      using bench = workbench()
      expect(
        textOf(await run(bench, { command: 'echo "${BASH_VERSION:-none}"' }, { ...place(bench), shell: "/bin/sh" })),
      ).toBe("none")
    })
  })
}

test("an editor waits for a person where nothing on its command line ends it", () => {
  const waits = (command: string): boolean => waitingEditor([{ pid: 1, group: 1, command }]) !== null
  for (const command of ["vi", "/usr/bin/vim.basic +10 a.ts", "vim -R a", "nvim a b"])
    expect([command, waits(command)]).toEqual([command, true])
  for (const command of [
    "vim -es -c wq a",
    "vim +wq a",
    "nvim --headless a",
    "emacs --batch -l x",
    "vi -c x a",
    "view-all a",
  ])
    expect([command, waits(command)]).toEqual([command, false])
})

test("whatever asks for an editor is told that there is none, before its own settings (43)", async () => {
  using bench = workbench()
  const setup =
    "git init -q . && git config user.name a && git config user.email b@c && git commit -q --allow-empty -m one"
  const own = "git config core.editor 'sleep 300' && git config sequence.editor 'sleep 300'"
  const result = await run(bench, { command: `${setup} && ${own} && git rebase -i --root` }, { files: bench.files() })
  expect(textOf(result)).toStartWith("There is no editor here: give the text on the command line.")
})

describe("a command that cannot run is told why", () => {
  test("empty, with a NUL, too long, or in a folder that is gone", async () => {
    using bench = workbench()
    const told = async (command: string, more: Partial<ToolContext> = {}): Promise<string> =>
      textOf(await run(bench, { command }, more))
    expect(await told(" ")).toBe("The command is empty.")
    expect(await told("a\0b")).toBe("The command has a NUL character in it.")
    expect(await told(`: ${"x".repeat(130_000)}`)).toBe(
      "The command has 130002 bytes and may have 120000: write it to a file, and run that.",
    )
    expect(await told("true", { cwd: bench.path("gone") })).toContain("is gone. The person can move it with /cd.")
  })
})

test("with a full disk under the outputs a command still runs, and the result names the disk (12)", async () => {
  using bench = workbench()
  // A file system of the kernel has no room for files.
  const files = { output: "/proc/self/output", status: "/proc/self/status", begun: "/proc/self/begun" }
  const result = await run(bench, { command: "echo here" }, { files })
  expect(textOf(result)).toBe(
    "here\n\n[Only 0 bytes are free on the disk of /proc/self: the output was kept in memory only.]",
  )
  expect(result.isError).toBe(false)
})

test("the title is the first line of the command", () => {
  expect(bashTool.title({ command: "ls -l" })).toBe("ls -l")
  expect(bashTool.title({ command: "\ncat <<E\nx\nE" })).toBe("cat <<E …")
  expect(bashTool.title({})).toBe("")
})

test("where only the end of an output is going to be kept, the result says so", async () => {
  using bench = workbench()
  const files = bench.files()
  const result = await run(bench, { command: "seq 1 300000" }, { files, outputBytesMax: 1_000_000 })
  expect(textOf(result)).toContain(`left out; the last 1.0 MB are in ${files.output} …]`)
})

test("output is reported while the command runs, in order, and skipped where it is too much", async () => {
  using bench = workbench()
  let seen = ""
  const progress = (text: string): void => void (seen += text)
  const command =
    "printf one; while [ ! -e go ]; do sleep 0.02; done; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end"
  const running = run(bench, { command }, { files: bench.files(), progress })
  await eventually(
    () => seen === "one",
    () => `reported: ${seen}`,
  )
  bench.put("go", "")
  await running
  expect(seen.startsWith("one")).toBe(true)
  expect(seen.endsWith("\nend\n")).toBe(true)
  expect(seen.length).toBeLessThan(3_000_000)
})

test("the facts that are remembered name the wrapper, which leads a session of its own", async () => {
  using bench = workbench()
  const facts: unknown[] = []
  const remember = (fact: unknown): Promise<void> => Promise.resolve(void facts.push(fact))
  const result = await run(
    bench,
    { command: "ps -o sid= -p $$ | tr -d ' '", timeout: 60 },
    { files: bench.files(), remember },
  )
  expect(facts).toEqual([
    {
      pid: Number(textOf(result)),
      startTime: expect.stringMatching(/^\d+$/),
      bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      deadline: expect.any(Number),
    },
  ])
})

test("an environment with a secret in it is not ours to add to", async () => {
  using bench = workbench()
  process.env["CAIRN_TEST_SECRET"] = "sk-test"
  try {
    expect(textOf(await run(bench, { command: "env" }, { files: bench.files() }))).not.toContain("sk-test")
  } finally {
    delete process.env["CAIRN_TEST_SECRET"]
  }
})
