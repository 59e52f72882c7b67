import { describe, expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Credentials } from "../../src/home/credentials.ts"
import { oauthSpec, readLogin, type OAuthSpec } from "../../src/home/oauth.ts"
import { codeIn, logIn, type LoginIo } from "../../src/home/oauth-login.ts"
import { systemClock } from "../../src/std/clock.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { startOAuthServer, type OAuthServer } from "../support/oauth-server.ts"
import { tempFolders } from "./folders.ts"

const tempFolder = tempFolders()

const never = new Promise<string>(() => {})

function pkceAt(server: OAuthServer, more: Partial<OAuthSpec> = {}): OAuthSpec {
  const flow = { kind: "pkce", authorizeUrl: `${server.url}/authorize`, port: 0, redirectName: "redirect_uri" } as const
  return {
    flow,
    tokenUrl: `${server.url}/token`,
    clientId: "cairn",
    scope: "models",
    body: "form",
    gives: "tokens",
    ...more,
  }
}

function deviceAt(server: OAuthServer, more: Partial<OAuthSpec> = {}): OAuthSpec {
  const flow = { kind: "device", deviceUrl: `${server.url}/device` } as const
  return { ...pkceAt(server), flow, ...more }
}

/** A person whose browser goes where it is sent; `clock` is moved on for whoever waits. */
function person(more: Partial<LoginIo> = {}): LoginIo & { readonly shown: { url: string; code?: string }[] } {
  const shown: { url: string; code?: string }[] = []
  return {
    fetch: (input, init) => fetch(input, init),
    clock: systemClock,
    signal: new AbortController().signal,
    pasted: never,
    shown,
    show(step) {
      shown.push(step)
      if (step.code === undefined) void fetch(step.url).then((response) => response.text())
    },
    ...more,
  }
}

describe("a login with a browser", () => {
  test("comes back to this machine with a code, which is redeemed with its verifier", async () => {
    const server = startOAuthServer()
    const io = person()
    const got = await logIn(pkceAt(server), io)
    await server.stop()
    expect(got).toMatchObject({ login: { access: "access-1", refresh: "refresh-1" } })
    expect("login" in got && got.login.expires).toBeGreaterThan(Date.now() + 3_500_000)
    expect(new URL(io.shown[0]?.url ?? "").searchParams.get("scope")).toBe("models")
    expect([server.problems, server.grants]).toEqual([[], ["authorization_code"]])
  })

  test("that gives a key, as OpenRouter's does", async () => {
    const server = startOAuthServer()
    const flow = { kind: "pkce", authorizeUrl: `${server.url}/auth`, port: 0, redirectName: "callback_url" } as const
    const got = await logIn(
      pkceAt(server, { flow, tokenUrl: `${server.url}/keys`, body: "json", gives: "key" }),
      person(),
    )
    await server.stop()
    expect(got).toEqual({ key: "sk-or-browser" })
    expect(server.problems).toEqual([])
  })

  test("on another machine is pasted", async () => {
    const server = startOAuthServer()
    const address = Promise.withResolvers<string>()
    const got = await logIn(
      pkceAt(server),
      person({
        pasted: address.promise,
        show: ({ url }) =>
          void fetch(url, { redirect: "manual" }).then((answer) =>
            address.resolve(answer.headers.get("location") ?? ""),
          ),
      }),
    )
    await server.stop()
    expect(got).toMatchObject({ login: { access: "access-1" } })
  })

  test("of somebody else is not taken for ours, and a refusal is told", async () => {
    const server = startOAuthServer()
    const answers: number[] = []
    const refused = logIn(
      pkceAt(server),
      person({
        show({ url }) {
          const asked = new URL(url).searchParams
          const back = asked.get("redirect_uri") ?? ""
          void fetch(`${back}?code=evil&state=wrong`)
            .then(({ status }) => answers.push(status))
            .then(() => fetch(`${back}?error=access_denied&state=${asked.get("state")}`))
        },
      }),
    )
    await expect(refused).rejects.toThrow("The login was refused: access_denied.")
    await server.stop()
    expect([answers, server.grants]).toEqual([[404], []])
  })

  test("ends when the person stops it, and after a quarter of an hour; nobody listens then", async () => {
    const server = startOAuthServer()
    const controller = new AbortController()
    let back = ""
    const show = ({ url }: { url: string }): void => {
      back = new URL(url).searchParams.get("redirect_uri") ?? ""
      controller.abort()
    }
    await expect(logIn(pkceAt(server), person({ show, signal: controller.signal }))).rejects.toThrow("stopped")
    await expect(fetch(back)).rejects.toThrow()
    const clock = new ManualClock()
    const late = logIn(pkceAt(server), person({ clock, show: () => {} })).catch((error: unknown) => error)
    await eventually(
      () => clock.pending.includes(15 * 60_000),
      () => `nothing waits a quarter of an hour: ${clock.pending.join(", ")}`,
    )
    await clock.advance(15 * 60_000)
    expect(String(await late)).toContain("within 15 minutes")
    await server.stop()
  })

  test.each<[string, string, object | undefined]>([
    ["http://127.0.0.1:1/callback?code=a&state=s", "s", { code: "a" }],
    ["http://127.0.0.1:1/callback?code=a&state=x", "s", undefined],
    ["http://127.0.0.1:1/callback?error=no&state=s", "s", { refused: "no" }],
    [" the-code ", "s", { code: "the-code" }],
    ["", "s", undefined],
  ])("what came back as %j with the state %j is %o", (text, state, found) => {
    expect<unknown>(codeIn(text, state)).toEqual(found)
  })
})

describe("a login with a code", () => {
  test("asks at the pace that the server wants, and slower when told so", async () => {
    const server = startOAuthServer({ deviceAnswers: ["authorization_pending", "slow_down"], interval: 5 })
    const clock = new ManualClock()
    const io = person({ clock })
    const got = logIn(deviceAt(server), io)
    /** So many questions were asked, and the next one is `next` milliseconds away: what came back was read. */
    const asked = async (count: number, next: number): Promise<void> => {
      await eventually(
        () => server.polls === count && clock.pending.includes(next),
        () => `${server.polls} questions, timers ${clock.pending.join(", ")}`,
      )
    }
    await eventually(
      () => io.shown.length > 0,
      () => "no code was shown",
    )
    expect(io.shown).toEqual([{ url: `${server.url}/type`, code: "WXYZ-1234" }])
    await asked(0, 5_000)
    await clock.advance(4_999)
    expect(server.polls).toBe(0)
    await clock.advance(1)
    await asked(1, 5_000)
    await clock.advance(5_000)
    await asked(2, 10_000)
    await clock.advance(9_999)
    expect(server.polls).toBe(2)
    await clock.advance(1)
    expect(await got).toMatchObject({ login: { access: "access-1" } })
    await server.stop()
  })

  test.each([
    ["access_denied", "The login was refused."],
    ["expired_token", "The code has expired: begin again."],
  ])("that ends with %s says: %s", async (answer, sentence) => {
    const server = startOAuthServer({ deviceAnswers: [answer], interval: 0 })
    await expect(logIn(deviceAt(server), person())).rejects.toThrow(sentence)
    await server.stop()
  })

  test("as GitHub's: the token is exchanged for one that requests bear, which says where they go", async () => {
    const server = startOAuthServer({ interval: 0 })
    const exchange = { url: `${server.url}/exchange`, headers: { "editor-version": "x" } }
    const got = await logIn(deviceAt(server, { exchange, body: "json" }), person())
    await server.stop()
    expect(got).toMatchObject({ login: { access: "copilot-2", refresh: "access-1", baseUrl: `${server.url}/api` } })
  })
})

test("GitHub Copilot and OpenRouter are known; a provider of the config says how, or what is missing", () => {
  expect(oauthSpec("github-copilot", undefined)).toMatchObject({ flow: { kind: "device" }, gives: "tokens" })
  expect(oauthSpec("openrouter", undefined)).toMatchObject({ flow: { kind: "pkce", port: 3_000 }, gives: "key" })
  expect(oauthSpec("anthropic", undefined)).toBeUndefined()
  expect(oauthSpec("toString", undefined)).toBeUndefined()
  expect(
    oauthSpec("acme", { kind: "device", deviceUrl: "https://a.test/d", tokenUrl: "https://a.test/t" }),
  ).toMatchObject({
    flow: { kind: "device", deviceUrl: "https://a.test/d" },
  })
  expect(oauthSpec("acme", { tokenUrl: "https://a.test/t" })).toEqual({ problem: "needs authorizeUrl and tokenUrl" })
})

test("the client of a known login can be another, and only the borrowed one is told of", () => {
  const known = oauthSpec("github-copilot", undefined)
  expect(known).toMatchObject({ notice: expect.stringContaining("providers.github-copilot.login.clientId") })
  const { notice: _, ...rest } = known as OAuthSpec
  expect<unknown>(oauthSpec("github-copilot", { clientId: "mine" })).toEqual({ ...rest, clientId: "mine" })
  expect(oauthSpec("openrouter", { port: 4_000 })).toMatchObject({ flow: { port: 4_000 }, gives: "key" })
  // Another way of logging in is another login.
  expect(oauthSpec("github-copilot", { kind: "pkce", tokenUrl: "https://a.test/t" })).toEqual({
    problem: "needs authorizeUrl and tokenUrl",
  })
})

const ended = { type: "oauth", access: "access-0", refresh: "refresh-0", expires: 1 }

function credentialsIn(folder: string, server: OAuthServer, more: object = {}): Credentials {
  return new Credentials({
    file: join(folder, "auth.json"),
    env: {},
    clock: systemClock,
    run: async () => ({ problem: "unexpected" }),
    variables: {},
    config: {},
    oauth: () => pkceAt(server),
    ...more,
  })
}

describe("a login whose token ends", () => {
  test("is renewed before it is used, and kept with what it got", async () => {
    const server = startOAuthServer()
    const folder = tempFolder({ "auth.json": JSON.stringify({ acme: ended, other: "key" }) })
    const credentials = credentialsIn(folder, server)
    expect(await Promise.all([1, 2, 3].map(() => credentials.key("acme")))).toEqual([
      { key: "access-1" },
      { key: "access-1" },
      { key: "access-1" },
    ])
    expect(await credentials.key("acme")).toEqual({ key: "access-1" })
    await server.stop()
    expect([server.grants, server.problems]).toEqual([["refresh_token"], []])
    const kept = JSON.parse(readFileSync(join(folder, "auth.json"), "utf8")) as { acme: never; other: string }
    expect(readLogin(kept.acme)).toMatchObject({ access: "access-1", refresh: "refresh-1" })
    expect(kept.other).toBe("key")
    expect(statSync(join(folder, "auth.json")).mode & 0o777).toBe(0o600)
  })

  test("and is refused all the same is renewed once more; one that was renewed meanwhile is taken", async () => {
    const server = startOAuthServer()
    const good = { ...ended, expires: Date.now() + 3_600_000 }
    const folder = tempFolder({ "auth.json": JSON.stringify({ acme: good }) })
    const credentials = credentialsIn(folder, server)
    expect(await credentials.key("acme")).toEqual({ key: "access-0" })
    expect(await credentials.renew("acme", "access-0")).toBe(true)
    expect(await credentials.renew("acme", "access-0")).toBe(true)
    expect(await credentials.key("acme")).toEqual({ key: "access-1" })
    expect(await credentials.renew("nobody", "x")).toBe(false)
    await server.stop()
    expect(server.grants).toEqual(["refresh_token"])
  })

  test("and cannot be renewed says what to do", async () => {
    const server = startOAuthServer()
    const folder = tempFolder({ "auth.json": JSON.stringify({ acme: { ...ended, refresh: "refresh-7" } }) })
    const credentials = credentialsIn(folder, server)
    expect(await credentials.key("acme")).toEqual({
      problem: "The login at acme has ended: log in again with `cairn login acme`.",
    })
    await server.stop()
    const away = await credentials.key("acme")
    expect("problem" in (away ?? {}) && (away as { problem: string }).problem).toMatch(
      /^The login at acme could not be renewed: 127.0.0.1:\d+ could not be reached/,
    )
    expect(JSON.stringify(away)).not.toContain("refresh-7")
  })

  test("is renewed once by eight processes at a time", async () => {
    const server = startOAuthServer()
    const folder = tempFolder({ "auth.json": JSON.stringify({ acme: ended }) })
    const program = fileURLToPath(new URL("./renew.fixture.ts", import.meta.url))
    const children = Array.from({ length: 8 }, () =>
      Bun.spawn([process.execPath, program, join(folder, "auth.json"), server.url], { stdout: "pipe", stderr: "pipe" }),
    )
    const said = await Promise.all(
      children.map(
        async (child) => (await new Response(child.stdout).text()) + (await new Response(child.stderr).text()),
      ),
    )
    await server.stop()
    expect(said).toEqual(Array.from({ length: 8 }, () => "access-1\n"))
    expect([server.grants, server.problems]).toEqual([["refresh_token"], []])
  })
})

test("a long-lived token of the environment is exchanged, once for as long as it is good", async () => {
  const server = startOAuthServer()
  const exchange = { url: `${server.url}/exchange`, headers: { "editor-version": "x" } }
  const credentials = credentialsIn(tempFolder(), server, {
    env: { COPILOT_GITHUB_TOKEN: "gho_abc" },
    variables: { copilot: ["COPILOT_GITHUB_TOKEN"] },
    oauth: () => pkceAt(server, { exchange }),
  })
  expect(await credentials.key("copilot")).toEqual({ key: "copilot-1" })
  expect(await credentials.key("copilot")).toEqual({ key: "copilot-1" })
  expect(await credentials.renew("copilot", "copilot-1")).toBe(true)
  expect(await credentials.key("copilot")).toEqual({ key: "copilot-2" })
  await server.stop()
  expect(server.grants).toEqual(["exchange", "exchange"])
})
