/** Every backend, held to everything that a ledger promises whatever it is kept in. */
import { describe, test } from "bun:test"
import { backends } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { conformance } from "./conformance.ts"

for (const backend of backends) {
  describe(backend.name, () => {
    for (const [sentence, run] of Object.entries(conformance)) {
      test(sentence, async () => {
        const world = await backend.open(new ManualClock())
        try {
          await run(world)
        } finally {
          await world.end()
        }
      })
    }
  })
}
