/**
 * What an attempt that gave no answer is taken to have cost: vendors bill what was read and written, and most say how much only at the end.
 *
 * - Counts that came before the break hold; what was written by then is estimated where they say less. An attempt that wrote nothing is not guessed at.
 */
import type { AssistantPart } from "../message/message.ts"
import { noUsage, type Usage } from "../message/usage.ts"
import { withCost } from "./cost.ts"
import { estimateContent } from "./decoder.ts"
import type { Price } from "./model.ts"

/** `seen`: the counts that came, if any did. `estimatedInput`: tokens of the request, by our estimate. */
export function attemptUsage(
  seen: Usage | undefined,
  content: readonly AssistantPart[],
  estimatedInput: number,
  price: Price | undefined,
): Usage {
  const output = estimateContent(content)
  if (output === 0 || (seen !== undefined && seen.output >= output)) return seen ?? noUsage
  const { input, cacheRead, cacheWrite, ...rest } = seen ?? { ...noUsage, input: estimatedInput }
  const totalTokens = input + cacheRead + cacheWrite + output
  return withCost({ ...rest, input, cacheRead, cacheWrite, output, totalTokens, estimated: true }, price)
}
