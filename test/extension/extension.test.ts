import { expect, test } from "bun:test"
import { checkExtension } from "../../src/extension/extension.ts"

const tool = {
  name: "greet",
  description: "greets",
  parameters: {},
  version: 1,
  effect: "pure",
  title: () => "greet",
  execute: async () => ({ content: [], isError: false }),
}

test("an extension that keeps the contract is taken as it is", () => {
  const value = { api: 1, name: "mine", tools: [tool] }
  expect(checkExtension(value)).toEqual({ extension: value } as never)
  expect(checkExtension({ api: 1, name: "empty" })).toHaveProperty("extension")
  expect(checkExtension({ api: 1, name: "guard", hooks: { beforeCall: () => {} } })).toHaveProperty("extension")
})

test("what breaks the contract is refused with the reason", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, "does not export an object named `extension`"],
    [{ api: 1 }, "its `name` is missing"],
    [{ api: 1, name: "no spaces" }, "its `name` is missing or not usable"],
    [{ api: 2, name: "mine" }, "written for api 2, and this is api 1"],
    [{ api: 1, name: "mine", tools: {} }, "its `tools` is not a list"],
    [{ api: 1, name: "mine", tools: [null] }, "no usable name"],
    [{ api: 1, name: "mine", tools: [{ ...tool, description: 5 }] }, "has no description"],
    [{ api: 1, name: "mine", tools: [{ ...tool, execute: undefined }] }, "lacks execute or title"],
    [{ api: 1, name: "mine", tools: [{ ...tool, parameters: null }] }, "has no parameters"],
    [{ api: 1, name: "mine", tools: [{ ...tool, effect: "maybe" }] }, "is none of pure, reconcile, keyed, unsafe"],
    [{ api: 1, name: "mine", tools: [{ ...tool, effect: "reconcile" }] }, "has no reconcile"],
    [{ api: 1, name: "mine", hooks: null }, "its `hooks` is not an object"],
    [
      { api: 1, name: "mine", hooks: { beforeAll: () => {} } },
      "there is no seam beforeAll: they are context, nextTurn",
    ],
    [{ api: 1, name: "mine", hooks: { beforeCall: true } }, "its hook beforeCall is not a function"],
  ]
  for (const [value, reason] of cases) {
    const checked = checkExtension(value)
    expect("problem" in checked ? checked.problem : "taken").toContain(reason)
  }
})
