/**
 * Prompt templates: `prompts/*.md`, each a command of its name, whose text is sent with what was typed behind it put in.
 *
 * - `$1` … are the words that were typed, `$@` and `$ARGUMENTS` all of them, `${@:2}` and `${@:2:3}` a part; `${1:-default}` and `${@:-default}` what
 *   stands where there is none. A template that names none of these gets what was typed behind it.
 * - Words are those of a shell: quotes at the start of one keep it together. What is put in is never looked at again.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { errorCode } from "../std/files.ts"
import { headChars } from "../std/lines.ts"
import { headText, splitFrontMatter } from "./front-matter.ts"

export type Template = {
  readonly name: string
  readonly description: string
  /** What it takes, for completion; empty where it does not say. */
  readonly hint: string
  readonly body: string
  readonly path: string
}

export type Templates = { readonly templates: readonly Template[]; readonly notices: readonly string[] }

/** A longer file is no prompt. */
const fileBytesMax = 256 * 1024
const descriptionMax = 120

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.\s/][^\s/]*\.md$/.test(name))
      .toSorted()
      .map((name) => join(folder, name))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

function readTemplate(path: string): { readonly template: Template } | { readonly notice: string } {
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size > fileBytesMax) return { notice: `${path} is no prompt and was left out.` }
    const { head, body, problem } = splitFrontMatter(readFileSync(path, "utf8"))
    if (problem !== null) return { notice: `${path} was left out: ${problem}.` }
    const text = body.trim()
    const first = text.split("\n").find((line) => line.trim() !== "") ?? ""
    const description = headChars(headText(head, "description") ?? first.trim(), descriptionMax)
    const hint = headText(head, "argument-hint") ?? ""
    return { template: { name: basename(path, ".md"), description, hint, body: text, path } }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return { notice: `${path} cannot be read (${code}) and was left out.` }
  }
}

/** All templates of these folders, read now; of a name the one of the first folder counts. */
export function readTemplates(folders: readonly string[]): Templates {
  const templates = new Map<string, Template>()
  const notices: string[] = []
  for (const path of folders.flatMap(filesIn)) {
    const read = readTemplate(path)
    if ("notice" in read) notices.push(read.notice)
    else if (!templates.has(read.template.name)) templates.set(read.template.name, read.template)
  }
  return { templates: [...templates.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), notices }
}

/** The words of what was typed. A quote that is not closed goes to the end. */
export function wordsOf(typed: string): readonly string[] {
  const words: string[] = []
  const word = /\s*(?:"((?:[^"\\]|\\.)*)(?:"|$)|'([^']*)(?:'|$)|(\S+))/gy
  for (let found = word.exec(typed); found !== null && found[0] !== ""; found = word.exec(typed)) {
    const [, double, single, plain] = found
    words.push(double?.replace(/\\(["\\])/g, "$1") ?? single ?? plain ?? "")
  }
  return words
}

const place = /\$(?:(\d+)|(@|ARGUMENTS\b)|\{(\d+)(?::-([^}]*))?\}|\{@(?::-([^}]*)|:(\d+)(?::(\d+))?)?\})/g

/** The template's text with what was typed put in. */
export function expandTemplate({ body }: Pick<Template, "body">, typed: string): string {
  const words = wordsOf(typed)
  const all = words.join(" ")
  const word = (number: string): string => words[Number(number) - 1] ?? ""
  let placed = false
  const text = body.replace(place, (whole: string, ...groups: (string | undefined)[]) => {
    const [plain, every, braced, fallback, allFallback, from, length] = groups
    if (plain === "0" || braced === "0") return whole
    placed = true
    if (plain !== undefined) return word(plain)
    if (every !== undefined) return all
    if (braced !== undefined) return word(braced) || (fallback ?? "")
    if (from === undefined) return all || (allFallback ?? "")
    const start = Math.max(0, Number(from) - 1)
    return words.slice(start, length === undefined ? undefined : start + Number(length)).join(" ")
  })
  return placed || typed.trim() === "" ? text : `${text}\n\n${typed.trim()}`
}
