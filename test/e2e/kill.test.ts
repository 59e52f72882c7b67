import { expect, test } from "bun:test"
import { killMany } from "../support/kill-task.ts"

test("kill -9 at any moment of a task loses no accepted input, doubles no edit, and the history stays valid", async () => {
  // Moments spread evenly and shifted, so that every stage of the task is hit in every run of the tests.
  let n = 0
  const summary = await killMany(12, () => (n++ + 0.5) / 12)
  expect(summary.problems).toEqual([])
  expect(summary.invalidRequests).toEqual([])
  expect(summary.accepted).toBeGreaterThan(3)
}, 120_000)

test("a task that is killed five times in a row, at ever other moments, loses nothing either", async () => {
  // The golden ratio never comes back to a place where it has been.
  let n = 0
  const summary = await killMany(3, () => (n++ * 0.618 + 0.1) % 0.9, 5)
  expect(summary.problems).toEqual([])
  expect(summary.invalidRequests).toEqual([])
}, 120_000)
