/** The JSON schemas of theme and keymap files, for editors: made from the tables, so that they know every role, context and command. */
import type { Json, JsonObject } from "../std/json.ts"
import { commandInfo, commandList, contextNames } from "./command-names.ts"
import { roleInfo, roleNames } from "./roles.ts"

const draft = "http://json-schema.org/draft-07/schema#"

function named<T extends string>(names: readonly T[], schema: (name: T) => Json): JsonObject {
  return Object.fromEntries(names.map((name): [string, Json] => [name, schema(name)]))
}

const shade: Json = {
  anyOf: [
    { type: "string", description: "#rgb, #rrggbb, none, or the name of a def or a role." },
    { type: "integer", minimum: 0, maximum: 255, description: "One of the terminal's colours." },
  ],
}

const shadeRef: Json = { $ref: "#/definitions/shade" }

const color: Json = {
  anyOf: [shadeRef, { type: "object", properties: { dark: shadeRef, light: shadeRef }, additionalProperties: false }],
}

export function themeSchema(): JsonObject {
  return {
    $schema: draft,
    title: "Cairn theme",
    definitions: { shade, color },
    type: "object",
    properties: {
      $schema: { type: "string" },
      name: { type: "string" },
      version: { const: 1 },
      extends: { type: ["string", "null"], description: "The theme that says what this one leaves out." },
      defs: {
        type: "object",
        additionalProperties: { $ref: "#/definitions/color" },
        description: "Colours by names of your own.",
      },
      theme: {
        type: "object",
        properties: {
          ...named(roleNames, (role) => ({
            allOf: [{ $ref: "#/definitions/color" }],
            description: roleInfo(role).help,
          })),
          thinkingOpacity: { type: "number", minimum: 0, maximum: 1 },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  }
}

export function keymapSchema(): JsonObject {
  // Names of extensions' commands are not in the table, so any text fits; the table is for completion, as editors read it.
  const table: Json = { enum: commandList, enumDescriptions: commandList.map((name) => commandInfo(name).title) }
  const command: Json = { anyOf: [table, { type: "string" }] }
  const run: Json = {
    type: "object",
    properties: { run: { $ref: "#/definitions/command" }, args: {} },
    required: ["run"],
    additionalProperties: false,
  }
  const one: readonly Json[] = [{ $ref: "#/definitions/command" }, { $ref: "#/definitions/run" }]
  const keys: Json = {
    type: "object",
    additionalProperties: { anyOf: [...one, { type: "array", items: { anyOf: one } }, { type: "null" }] },
  }
  const contexts = Object.keys(contextNames) as (keyof typeof contextNames)[]
  return {
    $schema: draft,
    title: "Cairn keymap",
    definitions: { command, run, keys },
    type: "object",
    properties: {
      $schema: { type: "string" },
      name: { type: "string" },
      extends: { type: ["string", "null"], description: "The keymap that says the rest: default, unless null." },
      leader: { type: "string", description: "The key that <leader> stands for." },
      leaderTimeout: { type: "number", minimum: 50, maximum: 60_000, description: "Milliseconds." },
      bindings: {
        type: "object",
        properties: named(contexts, (context) => ({
          allOf: [{ $ref: "#/definitions/keys" }],
          description: `When ${contextNames[context]}.`,
        })),
        additionalProperties: { $ref: "#/definitions/keys" },
      },
    },
    additionalProperties: false,
  }
}
