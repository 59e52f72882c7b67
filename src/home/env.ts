/**
 * The environment: read once at the start, as a value; after that only what this program means to be read is left in the process.
 *
 * - What a library would read behind our back (keys, addresses, log switches, debug files) is taken out of `process.env`: everything that it
 *   should know is passed to it. The snapshot has it all.
 * - Proxies and certificates are the runtime's to read (HTTP_PROXY, HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS):
 *   those stay.
 * - Commands get the person's environment without the provider's keys.
 */
export type Env = Readonly<Record<string, string>>

/** All variables that begin so are read by the renderer, the runtime or an SDK, and by nothing that we want. */
export const removedPrefixes: readonly string[] = [
  "OTUI_",
  "OPENTUI_",
  "BUN_",
  "OPENAI_",
  "ANTHROPIC_",
  "GOOGLE_",
  "GEMINI_",
  "CLOUDSDK_",
  "GCE_METADATA_",
]

export const removedNames: readonly string[] = [
  "SHOW_CONSOLE",
  "DEBUG",
  "DEBUG_AUTH",
  "GCLOUD_PROJECT",
  "gcloud_project",
  "google_application_credentials",
  "google_cloud_project",
  "METADATA_SERVER_DETECTION",
  "DETECT_GCP_RETRIES",
  "AZURE_OPENAI_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_BEDROCK_BASE_URL",
]

/** True for a variable that no library of ours may see. */
export function isRemoved(name: string): boolean {
  return removedNames.includes(name) || removedPrefixes.some((prefix) => name.startsWith(prefix))
}

/** The environment as it is now; `env`, the process's own, then loses what no library may see. */
export function takeEnvironment(env: Record<string, string | undefined> = process.env): Env {
  const snapshot = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  for (const name of Object.keys(snapshot)) if (isRemoved(name)) delete env[name]
  keepLocal(env)
  return snapshot
}

const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
const localHosts = ["localhost", "127.0.0.1", "::1"]

/** No proxy is asked for what is on this machine: local models answer here, and browsers come back here. */
function keepLocal(env: Record<string, string | undefined>): void {
  if (!proxies.some((name) => (env[name] ?? "") !== "")) return
  const given = [env.NO_PROXY, env.no_proxy].filter((list) => list !== undefined && list !== "")
  const list = [...given, ...localHosts].join(",")
  env.NO_PROXY = list
  env.no_proxy = list
}

/** What commands see: everything but the names in `keys`, of which `pass` are let through. */
export function childEnvironment(env: Env, keys: Iterable<string>, pass: readonly string[]): Env {
  const hidden = new Set([...keys].filter((name) => !pass.includes(name)))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}

/** The variables that `"$NAME"` and `"${NAME}"` values name, for hiding them from commands. */
export function namesIn(values: Iterable<string>): readonly string[] {
  return [...values].flatMap((value) => variableNamed(value) ?? [])
}

/** `NAME` of `$NAME` or `${NAME}`; undefined for any other text. */
export function variableNamed(value: string): string | undefined {
  const [, bare, braced] = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(value) ?? []
  return bare ?? braced
}
