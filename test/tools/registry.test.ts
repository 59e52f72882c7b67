import { expect, test } from "bun:test"
import { decoder } from "../../src/std/schema.ts"
import { builtinTools, defaultToolNames, offeredNames, specOf } from "../../src/tools/registry.ts"

const wire = (names: readonly string[]): string =>
  JSON.stringify(
    builtinTools()
      .filter(({ name }) => names.includes(name))
      .map((tool) => ({ type: "function", function: specOf(tool) })),
  )

test("the default tools are four, and what is sent of them is small", () => {
  expect(
    builtinTools()
      .slice(0, 4)
      .map(({ name }) => name),
  ).toEqual([...defaultToolNames])
  expect(wire(defaultToolNames).length).toBeLessThan(1_500)
})

test("names are unique, and every tool that must be asked after a restart can be", () => {
  const names = builtinTools().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const tool of builtinTools()) {
    if (tool.effect === "reconcile") expect(tool.reconcile).toBeFunction()
    if (tool.effect === "unsafe") expect(tool.recover).toBeFunction()
  }
})

test("a title is given of arguments that are still being written", () => {
  for (const tool of builtinTools()) expect(typeof tool.title({})).toBe("string")
})

test("a spec is plain JSON schema, which checks arguments as they are repaired", () => {
  const rows = [
    ["read", { file_path: "a", offset: "5" }, { path: "a", offset: 5 }],
    ["bash", { command: "ls", timeout: "2.5" }, { command: "ls", timeout: 2.5 }],
    ["edit", { path: "a", oldText: "x", newText: "y" }, { path: "a", edits: [{ oldText: "x", newText: "y" }] }],
    ["write", { path: "a" }, null],
    ["read", { path: "a", offset: 0 }, null],
  ] as const
  for (const [name, args, wanted] of rows) {
    const tool = builtinTools().find((one) => one.name === name)
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    const decoded = decoder(specOf(tool).parameters, { coerce: true })(tool.coerce?.(args) ?? args)
    expect(decoded.ok ? decoded.value : null).toEqual(wanted)
  }
})

test("a model of whole files is offered no edit, and a write that says how to change a file", () => {
  expect(offeredNames(defaultToolNames, "replace")).toEqual(defaultToolNames)
  expect(offeredNames(defaultToolNames, "whole")).toEqual(["read", "bash", "write"])
  // Who may edit may write; who may neither gets nothing.
  expect(offeredNames(["read", "edit"], "whole")).toEqual(["read", "write"])
  expect(offeredNames(["read", "grep"], "whole")).toEqual(["read", "grep"])
  const write = builtinTools().find(({ name }) => name === "write")
  if (write === undefined) throw new Error("there is no write")
  expect(specOf(write).description).toBe("Write a whole file, making folders as needed.")
  expect(specOf(write, "whole").description).toContain("To change a file, read it, then write all of it")
})
