import { describe, expect, test } from "bun:test"
import {
  childEnvironment,
  isRemoved,
  namesIn,
  removedNames,
  removedPrefixes,
  takeEnvironment,
  variableNamed,
} from "../../src/home/env.ts"

/** Something hostile for every name, and for some name of every prefix. */
const hostile = Object.fromEntries(
  [...removedNames, ...removedPrefixes.map((prefix) => `${prefix}ANYTHING`)].map((name) => [name, "hostile"]),
)

describe("at the start", () => {
  test("the snapshot has everything and the process loses what no library may see", () => {
    const env: Record<string, string | undefined> = {
      ...hostile,
      PATH: "/bin",
      HOME: "/home/a",
      HTTPS_PROXY: "p",
      unset: undefined,
    }
    const snapshot = takeEnvironment(env)
    expect(
      Object.keys(env)
        .filter((name) => env[name] !== undefined)
        .toSorted(),
    ).toEqual(["HOME", "HTTPS_PROXY", "NO_PROXY", "PATH", "no_proxy"])
    expect(snapshot).toEqual({ ...hostile, PATH: "/bin", HOME: "/home/a", HTTPS_PROXY: "p" })
  })

  test("no proxy is asked for this machine, whatever else it is not asked for; without a proxy nothing is said", () => {
    const env: Record<string, string | undefined> = { http_proxy: "p", NO_PROXY: "corp.test" }
    takeEnvironment(env)
    expect(env).toMatchObject({ NO_PROXY: "corp.test,localhost,127.0.0.1,::1", no_proxy: env.NO_PROXY })
    const none: Record<string, string | undefined> = { PATH: "/bin" }
    takeEnvironment(none)
    expect(none).toEqual({ PATH: "/bin" })
  })

  test.each([
    "OTUI_DEBUG_FFI",
    "OPENTUI_LIBC",
    "OPENAI_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_OPEN_TELEMETRY",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GEMINI_API_KEY",
    "BUN_CONFIG_VERBOSE_FETCH",
    "SHOW_CONSOLE",
  ])("%s is one of them", (name) => expect(isRemoved(name)).toBe(true))

  test.each(["PATH", "TERM", "NO_COLOR", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "CAIRN_MODEL"])("%s is not", (name) =>
    expect(isRemoved(name)).toBe(false),
  )
})

test("commands see everything but keys, and those keys that the person lets through", () => {
  const env = { PATH: "/bin", ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", LOCAL_KEY: "l", OTHER: "x" }
  const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", ...namesIn(["$LOCAL_KEY", "sk-literal", "!pass show key"])]
  expect(childEnvironment(env, keys, ["OPENAI_API_KEY"])).toEqual({ PATH: "/bin", OPENAI_API_KEY: "o", OTHER: "x" })
})

test("a variable is named by a dollar and nothing else", () => {
  expect(["$A", "${A_1}", "$$A", "$", "a$B", "$A B", "$1", "${A", "!A"].map(variableNamed)).toEqual([
    "A",
    "A_1",
    ...Array(7).fill(undefined),
  ])
})
