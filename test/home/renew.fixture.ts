/** A program that prints the token of a login: `renew.fixture.ts <auth.json> <OAuth server>`. */
import { Credentials } from "../../src/home/credentials.ts"
import { systemClock } from "../../src/std/clock.ts"

const [, , file = "", url = ""] = process.argv
const flow = { kind: "pkce", authorizeUrl: `${url}/authorize`, port: 0, redirectName: "redirect_uri" } as const
const credentials = new Credentials({
  file,
  env: {},
  clock: systemClock,
  run: async () => ({ problem: "unexpected" }),
  variables: {},
  config: {},
  oauth: () => ({ flow, tokenUrl: `${url}/token`, clientId: "cairn", scope: "", body: "form", gives: "tokens" }),
})
const key = await credentials.key("acme")
console.log(key !== undefined && "key" in key ? key.key : JSON.stringify(key))
