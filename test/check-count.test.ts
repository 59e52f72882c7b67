import { expect, test } from "bun:test"
import { addCounts, countTests } from "../src/check-count.ts"

const summary = (lines: string, ran: number): string =>
  `bun test v1.4.4\n\na.test.ts:\n(pass) one\n\n${lines} 3 expect() calls\nRan ${ran} tests across 2 files. [6.00ms]\n`

test("a run in which everything passed counts as it says", () => {
  expect(countTests(summary(" 5 pass\n 0 fail\n", 5), 0)).toEqual({ passed: 5, failed: 0 })
})

test("failed, skipped and unfinished tests count as failed", () => {
  expect(countTests(summary(" 5 pass\n 1 skip\n 2 todo\n 3 fail\n 1 error\n", 11), 1)).toEqual({ passed: 5, failed: 6 })
})

test("tests that are in no count are failed", () => {
  expect(countTests(summary(" 5 pass\n 0 fail\n", 7), 0)).toEqual({ passed: 5, failed: 2 })
})

test("a bad status with nothing failed is one failed", () => {
  expect(countTests(summary(" 5 pass\n 0 fail\n", 5), 1)).toEqual({ passed: 5, failed: 1 })
  expect(countTests(summary(" 5 pass\n 0 fail\n", 5), null)).toEqual({ passed: 5, failed: 1 })
})

test("a run that ends before its summary has failed, whatever its status", () => {
  expect(countTests("a.test.ts:\n(pass) one\n(pass) two\n(fail) three\n", 0)).toEqual({ passed: 2, failed: 2 })
  expect(countTests("", 0)).toEqual({ passed: 0, failed: 1 })
})

test("what a test prints is not taken for the summary", () => {
  const printed = ` 99 pass\n 0 fail\nRan 99 tests across 1 file. [1ms]\n${"x".repeat(500)}\n`
  expect(countTests(printed + summary(" 5 pass\n 1 fail\n", 6), 1)).toEqual({ passed: 5, failed: 1 })
})

test("a bun test run is read as it really prints", async () => {
  const child = Bun.spawn([process.execPath, "test", "./test/support/counted.fixture.ts"], {
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, errors, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect(countTests(out + errors, status)).toEqual({ passed: 2, failed: 1 })
})

test("counts add up", () => {
  expect(addCounts({ passed: 1, failed: 2 }, { passed: 10, failed: 20 })).toEqual({ passed: 11, failed: 22 })
})
