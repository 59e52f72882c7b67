/**
 * Headers of the config as they are sent: `"$NAME"` stands for a value of the environment, `$$` at the start for a dollar.
 *
 * - A header whose variable is not set is left out, and a sentence names it. What came from the environment is as secret as a key.
 */
import { variableNamed, type Env } from "./env.ts"

type Headers = Readonly<Record<string, string>>
type Headed = {
  readonly headers?: Headers
  readonly models?: readonly { readonly id: string; readonly headers?: Headers }[]
}

export type ReadHeaders<P> = {
  readonly providers: Readonly<Record<string, P>>
  readonly problems: readonly string[]
  readonly secrets: readonly string[]
}

/** Every header value as it is written. */
export function headerTexts(providers: Readonly<Record<string, Headed>>): readonly string[] {
  return Object.values(providers).flatMap(({ headers = {}, models = [] }) => [
    ...Object.values(headers),
    ...models.flatMap((model) => Object.values(model.headers ?? {})),
  ])
}

export function readProviderHeaders<P extends Headed>(
  providers: Readonly<Record<string, P>>,
  env: Env,
): ReadHeaders<P> {
  const problems: string[] = []
  const secrets: string[] = []
  const read = (at: string, headers: Headers): Headers =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, text]) => {
        const variable = variableNamed(text)
        if (variable === undefined) return [[name, text.startsWith("$$") ? text.slice(1) : text]]
        const value = env[variable]
        if (value === undefined || value === "") {
          problems.push(`"${at}.headers": ${name} is not sent, since $${variable} is not set.`)
          return []
        }
        secrets.push(value)
        return [[name, value]]
      }),
    )
  const headed = <T extends { readonly headers?: Headers }>(at: string, one: T): T =>
    one.headers === undefined ? one : { ...one, headers: read(at, one.headers) }
  const entries = Object.entries(providers).map(([name, provider]): [string, P] => {
    const at = `providers.${name}`
    const own = headed(at, provider)
    const models = provider.models?.map((model) => headed(`${at}.models.${model.id}`, model))
    return [name, models === undefined ? own : { ...own, models }]
  })
  return { providers: Object.fromEntries(entries), problems, secrets }
}
