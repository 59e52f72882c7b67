/** Two tests that pass and one that fails, to see how a run is counted. Its name keeps it out of every other run. */
import { expect, test } from "bun:test"

test("one", () => expect(1).toBe(1))
test("two", () => expect(2).toBe(2))
test("three", () => expect(3).toBe(4))
