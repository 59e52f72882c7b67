/**
 * Files that extend each other, by name: the chain from the one that is asked for down to the one that extends nothing.
 *
 * - A person's file may have the name of a built-in one. It then replaces it, and extends the built-in when it extends its own name.
 */
import { parseDocument, problemAt, propertyOf, suggestion, type Document } from "./jsonc.ts"
import type { Problem } from "./problem.ts"

/** A file: where it is, for messages, and what it says. `shadows` is the file of the same name that this one stands before. */
export type Source = { readonly file: string; readonly text: string; readonly shadows?: Source }

export type Sources = Readonly<Record<string, Source>>

/** The person's files laid over the built-in ones. */
export function layerSources(builtIn: Sources, own: Sources): Sources {
  const over = Object.entries(own).map(([name, source]): [string, Source] => {
    const under = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined
    return [name, under === undefined ? source : { ...source, shadows: under }]
  })
  return { ...builtIn, ...Object.fromEntries(over) }
}

/** A problem of a file, thrown inside a resolver and caught at its door. */
export class FileProblem extends Error {
  override readonly name = "FileProblem"
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** `act`'s value, or the problem that it met in a file. */
export function catchProblem<T>(act: () => T): T | { readonly problem: Problem } {
  try {
    return act()
  } catch (error) {
    if (error instanceof FileProblem) return { problem: error.problem }
    throw error
  }
}

function parse(source: Source): Document {
  const parsed = parseDocument(source.file, source.text)
  if ("problem" in parsed) throw new FileProblem(parsed.problem)
  return parsed.document
}

/**
 * The documents of the chain, the asked-for one first. `noun` is what the files are, for messages; `base` is the name that is extended where a
 * file does not say (`"extends": null` says none). Throws {@link FileProblem}.
 */
export function readChain(name: string, sources: Sources, noun: string, base?: string): readonly Document[] {
  const first = Object.hasOwn(sources, name) ? sources[name] : undefined
  if (first === undefined) {
    const message = `there is no ${noun} named \`${name}\`${suggestion(name, Object.keys(sources))}`
    throw new FileProblem({ file: name, line: 0, column: 0, message })
  }
  const chain: Document[] = []
  const names: string[] = []
  const seen = new Set<Source>()
  let source = first
  let own = name
  for (;;) {
    const document = parse(source)
    chain.push(document)
    names.push(own)
    seen.add(source)
    const property = propertyOf(document.root, "extends")
    if (property?.value.type === "null" || (property === undefined && (base === undefined || own === base)))
      return chain
    const place = property?.value ?? document.root
    const parent: unknown = property === undefined ? base : property.value.value
    if (typeof parent !== "string") {
      throw new FileProblem(problemAt(document, place, `\`extends\` has to be the name of a ${noun}, or null`))
    }
    const next: Source | undefined =
      parent === own && source.shadows !== undefined
        ? source.shadows
        : Object.hasOwn(sources, parent)
          ? sources[parent]
          : undefined
    if (next === undefined) {
      const near = suggestion(parent, Object.keys(sources))
      throw new FileProblem(
        problemAt(document, place, `\`extends\` names \`${parent}\`, and there is no such ${noun}${near}`),
      )
    }
    if (seen.has(next)) {
      const circle = [...names, parent].join(" → ")
      throw new FileProblem(problemAt(document, place, `${noun}s extend each other in a circle: ${circle}`))
    }
    source = next
    own = parent
  }
}
