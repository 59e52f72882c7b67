/** A bug in this program: the message names what was believed and what was found. Never used for weather. */
export class Bug extends Error {
  override readonly name = "Bug"
}

/** Throw a {@link Bug} unless `condition` holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message)
}

/** The end of a switch over a union: a new member of the union fails to compile here. */
export function unreachable(value: never): never {
  throw new Bug(`a case was not handled: ${JSON.stringify(value)}`)
}
