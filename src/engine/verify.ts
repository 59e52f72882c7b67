/**
 * After an owner that died: all that it stored is verified, behind everybody's back, before any work goes on.
 *
 * - Where it does not agree with itself the session is only looked at from then on, and its health says why and what to do.
 */
import { shortId } from "../std/id.ts"
import type { Ledger } from "../ledger/ledger.ts"

/** Tells whether work may go on; `done` is called once it may, or may not at all. */
export function verifyFirst(ledger: Ledger, done: () => void): () => boolean {
  let verified = !ledger.unclean || ledger.health().state === "read-only"
  if (verified) return () => true
  void ledger.verify().then((problems) => {
    verified = true
    if (problems.length > 0) ledger.refuse(damageText(ledger.session, problems))
    done()
  })
  return () => verified
}

function damageText(session: string, problems: readonly string[]): string {
  const [first = "", ...others] = problems
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  const check = `"cairn sessions check ${shortId(session)}"`
  return `the machine or this program died in it, and what it had stored is damaged: ${first}${more}; ${check} says what is whole`
}
