/** Trust in the folder that this program was started in: what is asked of a person, and what becomes of their answer. */
import { trustPlan } from "../home/trust-plan.ts"
import { digestsOf, type Trust } from "../home/trust.ts"
import { knownProviders } from "../providers/catalog.ts"
import type { Outcome, TrustAnswer, TrustQuestion } from "../tui/options.ts"
import { trustStore, type Person } from "./person.ts"

function standingOf(trust: Trust): Pick<TrustQuestion, "standing" | "news"> {
  if (trust.status === "changed") return { standing: "changed", news: [...trust.added, ...trust.changed] }
  return { standing: trust.status, news: [] }
}

/** How things stand with the folder, and what it would do. */
export async function trustQuestion(person: Person): Promise<TrustQuestion> {
  const { dirs, project, credentials, settings } = person
  const trust = await trustStore(dirs).check(project)
  const ready = knownProviders().flatMap(({ id }) => (credentials.source(id) === undefined ? [] : [id]))
  const own = Object.keys(settings.merged.config.providers)
  const files = Object.keys(digestsOf(project) ?? {}).toSorted()
  return { folder: project, effects: trustPlan(project, files, new Set([...ready, ...own])), ...standingOf(trust) }
}

/** The question for a start; null where it is decided, where nothing would be done, or where the person wants no question. */
export async function openQuestion(person: Person): Promise<TrustQuestion | null> {
  if (person.trusted || person.settings.merged.config.defaultProjectTrust !== "ask") return null
  const question = await trustQuestion(person)
  const open = question.standing === "unknown" || question.standing === "changed"
  return open && question.effects.length > 0 ? question : null
}

/** Puts an answer into effect, as far as it is to be remembered. */
export async function decideTrust({ dirs, project }: Person, answer: TrustAnswer): Promise<Outcome> {
  const store = trustStore(dirs)
  switch (answer) {
    case "always":
      await store.decide(project, "always")
      return { ok: true, text: "This folder is trusted, until something of it changes." }
    case "never":
      await store.decide(project, "never")
      return { ok: true, text: "This folder is not trusted; /trust changes that." }
    case "once":
      return { ok: true, text: "This folder is trusted this time." }
    case "later":
      return { ok: true, text: "This folder is left alone; /trust decides." }
  }
}
