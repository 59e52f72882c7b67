/** `cairn login` and `cairn logout`, and requests with what they stored: the executable, a terminal, and a strict OAuth server. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json, JsonObject } from "../../src/std/json.ts"
import { builtBinary, runBinary, tempMachine, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { configFolder, writeConfig } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { startOAuthServer, type OAuthServer } from "../support/oauth-server.ts"
import { Pty } from "../support/pty.ts"
import { openTerminal } from "../support/tmux.ts"

const secret = "sk-test-0123456789abcdef"

function authFile(machine: Machine): string {
  return join(configFolder(machine), "auth.json")
}

function stored(machine: Machine): JsonObject {
  return JSON.parse(readFileSync(authFile(machine), "utf8")) as JsonObject
}

test("a key that is typed is not echoed, and is stored where nobody else reads it", async () => {
  using machine = tempMachine()
  await using terminal = new Pty([await builtBinary(), "login", "anthropic"], {
    env: { ...machine.env },
    cwd: machine.work,
  })
  await terminal.says("Key of anthropic: ")
  terminal.write(`wrong\x15\x1b[200~${secret}x\x1b[201~\x7f`)
  terminal.write("\r")
  await terminal.says("The key of anthropic is stored")
  expect(await terminal.ended()).toBe(0)
  expect(terminal.text).not.toMatch(/sk-test|wrong|\*/)
  expect(stored(machine)).toEqual({ anthropic: { type: "api_key", key: secret } })
  expect(statSync(authFile(machine)).mode & 0o777).toBe(0o600)
  const listed = await runBinary(machine, ["models", "claude-sonnet-5-5"])
  expect(listed.stdout).toMatch(/anthropic\/claude-sonnet-5-5 +ready/)
})

test("Ctrl+C at the prompt stores nothing, and leaves the terminal as it was", async () => {
  using machine = tempMachine()
  await using terminal = new Pty([await builtBinary(), "login", "openai"], {
    env: { ...machine.env },
    cwd: machine.work,
  })
  await terminal.says("Key of openai: ")
  terminal.write("sk-half\x03")
  expect(await terminal.ended()).toBe(130)
  expect(existsSync(authFile(machine))).toBe(false)
})

test("a key may be piped; nothing piped is nothing stored; an unknown provider is named with near ones", async () => {
  using machine = tempMachine()
  expect(await runBinary(machine, ["login", "openai"], { stdin: `${secret}\n` })).toMatchObject({
    status: 0,
    stdout: "",
  })
  expect(stored(machine)).toEqual({ openai: { type: "api_key", key: secret } })
  expect(await runBinary(machine, ["login", "groq"])).toMatchObject({ status: 2 })
  const unknown = await runBinary(machine, ["login", "opnai"], { stdin: secret })
  expect(unknown).toMatchObject({ status: 2, stdout: "" })
  expect(unknown.stderr).toContain('there is no provider "opnai"')
  expect(unknown.stderr).toContain("openai")
  expect(stored(machine)).toEqual({ openai: { type: "api_key", key: secret } })
})

test("logout forgets one provider and nothing else", async () => {
  using machine = tempMachine()
  await runBinary(machine, ["login", "openai"], { stdin: secret })
  await runBinary(machine, ["login", "groq"], { stdin: secret })
  expect(await runBinary(machine, ["logout"])).toMatchObject({ status: 2 })
  expect(await runBinary(machine, ["logout", "openai"])).toMatchObject({ status: 0 })
  expect(Object.keys(stored(machine))).toEqual(["groq"])
  const ambient = await runBinary(machine, ["logout", "openai"], { env: { OPENAI_API_KEY: secret } })
  expect(ambient).toMatchObject({ status: 1 })
  expect(ambient.stderr).toContain("its key comes from the environment")
  expect(await runBinary(machine, ["logout"])).toMatchObject({ status: 0 })
  expect(stored(machine)).toEqual({})
})

function configWith(server: ModelServer, oauth: OAuthServer, kind: "pkce" | "device"): Json {
  const login = {
    kind,
    authorizeUrl: `${oauth.url}/authorize`,
    deviceUrl: `${oauth.url}/device`,
    tokenUrl: `${oauth.url}/token`,
    clientId: "cairn",
  }
  const models = [{ id: "m", contextWindow: 100_000, maxTokens: 4_000 }]
  const acme = { api: "openai-completions", baseUrl: server.completionsUrl, login, models }
  return { model: "acme/m", providers: { acme } }
}

/** Log in without a terminal, the browser being this test. */
async function logInAs(machine: Machine, provider = "acme"): Promise<string> {
  const child = Bun.spawn([await builtBinary(), "login", provider], {
    cwd: machine.work,
    env: { ...machine.env },
    stdin: "ignore",
    stderr: "pipe",
  })
  let said = ""
  for await (const bytes of child.stderr) {
    said += new TextDecoder().decode(bytes)
    const url = /Open (http\S+)\n/.exec(said)?.[1]
    if (url !== undefined && !said.includes("\0")) {
      said += "\0"
      await fetch(url).then((answer) => answer.text())
    }
  }
  expect(await child.exited).toBe(0)
  return said
}

test("a login with a browser serves requests; its token is renewed when it ends, and once more when it is refused", async () => {
  using machine = tempMachine()
  const oauth = startOAuthServer()
  let good = "access-1"
  const server = await startModelServer({ strict: false })
  server.script(({ headers }) =>
    headers.authorization === `Bearer ${good}`
      ? { text: "yes" }
      : { status: 401, body: { error: { message: `${headers.authorization} has ended` } } },
  )
  writeConfig(machine, configWith(server, oauth, "pkce"))
  expect(await logInAs(machine)).toContain("You are logged in at acme")
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n" })
  // The server no longer takes it, though it should still be good.
  good = "access-2"
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(oauth.grants).toEqual(["authorization_code", "refresh_token"])
  // It has ended by the clock.
  const auth = stored(machine)
  writeFileSync(authFile(machine), JSON.stringify({ acme: { ...(auth.acme as JsonObject), expires: 1 } }))
  good = "access-3"
  const asked = server.requests.length
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(server.requests.length).toBe(asked + 1)
  // Neither helps.
  good = "none"
  const refused = await runBinary(machine, ["-p", "hi"])
  expect(refused).toMatchObject({ status: 1 })
  expect(refused.stderr).not.toContain("access-")
  expect(server.requests.length).toBe(asked + 3)
  expect(oauth.problems).toEqual([])
  await Promise.all([server.stop(), oauth.stop()])
})

test("eight at a time renew a token that has ended once, and all are answered", async () => {
  using machine = tempMachine()
  const oauth = startOAuthServer()
  const server = await startModelServer({ strict: false, script: () => ({ text: "yes" }) })
  writeConfig(machine, configWith(server, oauth, "pkce"))
  await logInAs(machine)
  writeFileSync(authFile(machine), JSON.stringify({ acme: { ...(stored(machine).acme as JsonObject), expires: 1 } }))
  const runs = await Promise.all(Array.from({ length: 8 }, () => runBinary(machine, ["-p", "hi", "--no-session"])))
  expect(runs.map(({ status, stdout }) => [status, stdout])).toEqual(runs.map(() => [0, "yes\n"]))
  expect(oauth.grants).toEqual(["authorization_code", "refresh_token"])
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer access-2"]))
  expect(oauth.problems).toEqual([])
  await Promise.all([server.stop(), oauth.stop()])
})

test("a login with a code is made on any machine", async () => {
  using machine = tempMachine()
  const oauth = startOAuthServer({ deviceAnswers: ["authorization_pending"], interval: 0 })
  const server = await startModelServer({ key: "access-1", script: () => ({ text: "yes" }) })
  writeConfig(machine, configWith(server, oauth, "device"))
  expect(await logInAs(machine)).toContain("and type WXYZ-1234 there")
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n" })
  await Promise.all([server.stop(), oauth.stop()])
})

test("GitHub Copilot's login is made with a code, and says whose name it bears; requests bear what its token is exchanged for", async () => {
  using machine = tempMachine()
  const oauth = startOAuthServer({ interval: 0 })
  const server = await startModelServer({ script: () => ({ text: "yes" }) })
  const at = { deviceUrl: `${oauth.url}/device`, tokenUrl: `${oauth.url}/token`, exchangeUrl: `${oauth.url}/exchange` }
  const configured = (login: JsonObject): void =>
    writeConfig(machine, {
      model: "github-copilot/gpt-6.1-terra",
      providers: { "github-copilot": { baseUrl: server.responsesUrl, login } },
    })
  configured(at)
  const said = await logInAs(machine, "github-copilot")
  expect(said).toContain("GitHub will show this login as one of its editor extension")
  expect(said).toContain("and type WXYZ-1234 there")
  expect(stored(machine)["github-copilot"]).toMatchObject({ access: "copilot-2", refresh: "access-1" })
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer copilot-2", "x-initiator": "user" })
  // With a client of the person's own nothing is borrowed.
  configured({ ...at, clientId: "mine" })
  expect(await logInAs(machine, "github-copilot")).not.toContain("GitHub will show")
  expect(oauth.problems).toEqual([])
  await Promise.all([server.stop(), oauth.stop()])
})

test("OpenRouter's login gives a key that stays, got with a browser that comes back", async () => {
  using machine = tempMachine()
  const oauth = startOAuthServer()
  const server = await startModelServer({ key: "sk-or-browser", script: () => ({ text: "yes" }) })
  const login = { authorizeUrl: `${oauth.url}/auth`, tokenUrl: `${oauth.url}/keys`, port: 0 }
  writeConfig(machine, {
    model: "openrouter/deepseek/deepseek-v4.1-flash",
    providers: { openrouter: { baseUrl: server.completionsUrl, login } },
  })
  expect(await logInAs(machine, "openrouter")).toContain("You are logged in at openrouter")
  expect(stored(machine)).toEqual({ openrouter: { type: "api_key", key: "sk-or-browser" } })
  expect(await runBinary(machine, ["-p", "hi"])).toMatchObject({ status: 0, stdout: "yes\n" })
  expect(oauth.problems).toEqual([])
  await Promise.all([server.stop(), oauth.stop()])
})

test("a login is made on the screen, at the very first start and later, and serves requests at once", async () => {
  using machine = tempMachine()
  const oauth = startOAuthServer({ deviceAnswers: ["authorization_pending", "authorization_pending"] })
  const server = await startModelServer({ script: () => ({ text: "yes, of course" }) })
  const { providers } = configWith(server, oauth, "device") as { readonly providers: Json }
  writeConfig(machine, { providers })
  await using terminal = await openTerminal({
    command: [await builtBinary()],
    env: { ...machine.env },
    cwd: machine.work,
    width: 100,
    height: 30,
  })
  await terminal.shows("Which model shall work for you?")
  await terminal.type("acme")
  await terminal.shows("Use acme  with a code")
  await terminal.keys("Enter")
  await terminal.shows("and type WXYZ-1234 there.")
  await terminal.shows("You are logged in at acme.")
  await terminal.type("is it there")
  await terminal.shows("is it there")
  await terminal.keys("Enter")
  await terminal.shows("yes, of course")
  expect(server.requests[0]?.headers.authorization).toBe("Bearer access-1")
  await terminal.type("/login acme")
  await terminal.shows("/login acme")
  await terminal.keys("Enter")
  await terminal.shows("and type WXYZ-1234 there.")
  await eventually(
    () => JSON.stringify(stored(machine)).includes("access-2"),
    () => JSON.stringify(stored(machine)),
  )
  expect(oauth.problems).toEqual([])
  await Promise.all([server.stop(), oauth.stop()])
})
