/** Whether a folder may do what it wants to: the question, with all that it would do, and what is answered. */
import type { Dialog } from "./dialogs/dialog.ts"
import type { Store } from "./dispatch.ts"
import type { Outcome, TrustAnswer, TrustQuestion } from "./options.ts"
import { homely } from "./status/footer.ts"
import type { Level } from "./state.ts"

type TrustStage = {
  readonly store: Store
  readonly home: string
  /** Nothing works in the folder yet, so that it can be trusted for this time only. */
  readonly atStart: boolean
  say(level: Level, text: string): void
}

/** Effects that stand in the question itself; all of them are a key away. */
const effectsMax = 8

const standings: Readonly<Record<TrustQuestion["standing"], string>> = {
  unknown: "You have not decided about this folder.",
  changed: "You trusted this folder; since then it has changed.",
  trusted: "You trust this folder.",
  denied: "You do not trust this folder.",
  nothing: "There is nothing in this folder that would need trust.",
}

function effectLine({ what, files }: TrustQuestion["effects"][number], news: ReadonlySet<string>): string {
  const fresh = files.some((file) => news.has(file)) ? " (new or changed)" : ""
  return `· ${what}${fresh}`
}

function questionText(question: TrustQuestion, home: string): string {
  const news = new Set(question.news)
  const lines = question.effects.map((effect) => effectLine(effect, news))
  const more = lines.length > effectsMax ? [`… and ${lines.length - effectsMax} more`] : []
  const would = lines.length === 0 ? [] : ["It would:", ...lines.slice(0, effectsMax), ...more]
  return [homely(question.folder, home), standings[question.standing], ...would].join("\n")
}

function allDialog(question: TrustQuestion, back: () => void): Dialog {
  const news = new Set(question.news)
  return {
    kind: "text",
    id: "trust.all",
    title: "What this folder would do",
    rows: question.effects.flatMap((effect) => [
      { left: effectLine(effect, news), heading: true },
      ...effect.files.map((file) => ({ left: `  ${file}` })),
    ]),
    cancelled: back,
  }
}

/** Asks. Put away without an answer, it is `later`. */
export function askTrust(
  stage: TrustStage,
  question: TrustQuestion,
  answer: (answer: TrustAnswer) => Promise<Outcome>,
): void {
  const { store, home, atStart, say } = stage
  const take = (chosen: TrustAnswer): void => {
    answer(chosen).then(
      (outcome) => say(outcome.ok ? "info" : "error", outcome.ok ? outcome.text : outcome.reason),
      (error: unknown) => say("error", error instanceof Error ? error.message : String(error)),
    )
  }
  const ask = (): void => {
    const choices = [
      { letter: "n", label: "Not now: go on without it, and ask the next time", run: () => take("later") },
      { letter: "t", label: "Trust it, until something of it changes", run: () => take("always") },
      ...(atStart ? [{ letter: "o", label: "Trust it this time only", run: () => take("once") }] : []),
      { letter: "v", label: "Never trust it, and do not ask again", run: () => take("never") },
    ]
    const all = {
      letter: "s",
      label: "Show all of it",
      run: () => store.dispatch({ type: "dialog.open", dialog: allDialog(question, ask) }),
    }
    store.dispatch({
      type: "dialog.open",
      dialog: {
        kind: "confirm",
        id: "trust",
        title: "Trust this folder?",
        text: questionText(question, home),
        choices: question.effects.length === 0 ? choices : [...choices, all],
        cancelled: () => take("later"),
      },
    })
  }
  ask()
}
