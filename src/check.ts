/**
 * All that must hold before a change is done: format, types, house rules, the build, the tests; in this order, each with its time.
 *
 * - The last line is `N passed, N failed`, with the tests counted as they ran. A step that fails and is no test counts as one failed.
 * - Nothing is passed over: a skipped test, a run that ends before its summary, and a status that contradicts it count as failed.
 */
import { dirname, join } from "node:path"
import { addCounts, countTests, type Counts } from "./check-count.ts"

const root = dirname(import.meta.dir)
const packages = join(root, "node_modules")

/** A step that has not ended by then hangs. All of them take minutes on a quiet machine; a busy one is given the time that it needs. */
const stepMsMax = 40 * 60_000

/** What one test may take; the ceilings within tests are lower. The runtime reads no such limit from `bunfig.toml`. */
const testMsMax = 120_000

type Step = { readonly name: string; readonly args: readonly string[]; readonly tests?: true }

const tidy = "test/tidy.test.ts"
const tests = ["test", `--timeout=${testMsMax}`]

const steps: readonly Step[] = [
  { name: "format", args: [join(packages, "prettier/bin/prettier.cjs"), "--check", "--log-level", "warn", "."] },
  { name: "types", args: [join(packages, "typescript/bin/tsc"), "--noEmit"] },
  { name: "tidy", args: [...tests, `./${tidy}`], tests: true },
  { name: "build", args: [join(root, "src/build.ts")] },
  { name: "tests", args: [...tests, `--path-ignore-patterns=${tidy}`], tests: true },
]

/** Runs `step`, its output passed on as it comes. */
async function run(step: Step): Promise<Counts> {
  const child = Bun.spawn([process.execPath, ...step.args], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: stepMsMax,
    killSignal: "SIGKILL",
  })
  const [out, errors, status] = await Promise.all([
    passOn(child.stdout, process.stdout),
    passOn(child.stderr, process.stderr),
    child.exited,
  ])
  if (step.tests === true) return countTests(out + errors, status)
  return status === 0 ? { passed: 0, failed: 0 } : { passed: 0, failed: 1 }
}

async function passOn(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const part of from) {
    to.write(part)
    text += decoder.decode(part, { stream: true })
  }
  return text
}

let total: Counts = { passed: 0, failed: 0 }
for (const step of steps) {
  const started = performance.now()
  const counts = await run(step)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${step.name}: ${counts.failed === 0 ? "ok" : "FAILED"} in ${seconds} s\n`)
  total = addCounts(total, counts)
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
