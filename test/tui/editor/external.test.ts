import { expect, test } from "bun:test"
import { fileArguments } from "../../../src/tui/editor/external.ts"

test.each<[command: string, said: string[]]>([
  ["vim", ["+12", "/a b"]],
  ["emacsclient -t", ["+12", "/a b"]],
  ["/usr/bin/hx", ["/a b:12"]],
  ["code --wait", ["--goto", "/a b:12"]],
])("%s is told a line in its own way", (command, said) => {
  expect(fileArguments(command, "/a b", 12)).toEqual(said)
  expect(fileArguments(command, "/a b", undefined)).toEqual(["/a b"])
})
