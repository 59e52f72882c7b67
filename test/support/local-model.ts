/** A machine whose config names a model server on 127.0.0.1 as its only provider. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../../src/std/json.ts"
import { tempMachine, type Machine } from "./binary.ts"
import type { ModelServer } from "./model-server.ts"

export const localModel = "local/test-model"

/** The folder of this machine's config, made if need be. */
export function configFolder(machine: Machine): string {
  const folder = join(machine.env.XDG_CONFIG_HOME ?? "", "cairn")
  mkdirSync(folder, { recursive: true })
  return folder
}

export function writeConfig(machine: Machine, config: Json | string): void {
  writeFileSync(
    join(configFolder(machine), "config.json"),
    typeof config === "string" ? config : JSON.stringify(config),
  )
}

/** A config whose model is the server's, with further settings beside it, and of its model. */
export function configFor(
  baseUrl: string,
  more: { readonly [key: string]: Json } = {},
  model: { readonly [key: string]: Json } = {},
): Json {
  const provider = {
    api: "openai-completions",
    baseUrl,
    apiKey: "k",
    models: [{ id: "test-model", contextWindow: 100_000, maxTokens: 4_000, ...model }],
  }
  return { model: localModel, providers: { local: provider }, ...more }
}

export function localMachine(server: ModelServer, more: { readonly [key: string]: Json } = {}): Machine {
  const machine = tempMachine()
  writeConfig(machine, configFor(server.completionsUrl, more))
  return machine
}
