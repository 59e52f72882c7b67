/**
 * What a TypeScript file says, as far as the house rules ask: read from its syntax tree, so that a word in a text or a comment is not taken for code.
 *
 * - The grammar is the one that the screen colours TypeScript with; it goes on after what it does not understand.
 */
import { dirname, join } from "node:path"
import { Language, Parser, Query, type Node } from "web-tree-sitter"

export type Import = { readonly specifier: string; readonly line: number }
export type Span = { readonly name: string; readonly line: number; readonly lines: number }
export type Name = { readonly name: string; readonly line: number }

export type Facts = {
  /** What is imported, in whatever form: statements, types, `import()`, `export … from`. */
  readonly imports: readonly Import[]
  /** `export … from`. */
  readonly reexports: readonly Import[]
  readonly functions: readonly Span[]
  /** Functions, constants and classes that are exported by their own declaration. */
  readonly exportedValues: readonly Name[]
  readonly defaultExports: readonly number[]
  readonly anyTypes: readonly number[]
  /** Member accesses such as `process.env`, as they are written. */
  readonly members: readonly Name[]
  /** Calls of a name or a member, such as `test.skip`. */
  readonly calls: readonly Name[]
  readonly comments: readonly { readonly text: string; readonly line: number }[]
}

const patterns = `
  (import_statement source: (string (string_fragment) @import))
  (import_require_clause source: (string (string_fragment) @import))
  (export_statement source: (string (string_fragment) @reexport))
  (call_expression function: (import) arguments: (arguments . (string (string_fragment) @import)))
  [(function_declaration) (generator_function_declaration) (function_expression) (arrow_function) (method_definition)] @function
  (export_statement declaration: (function_declaration name: (identifier) @exported))
  (export_statement declaration: (class_declaration name: (type_identifier) @exported))
  (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @exported)))
  (export_statement "default" @default)
  ((predefined_type) @any (#eq? @any "any"))
  (member_expression) @member
  (call_expression function: [(identifier) (member_expression)] @call)
  (comment) @comment
`

const assets = join(dirname(Bun.resolveSync("@opentui/core/package.json", import.meta.dir)), "assets")
await Parser.init()
const language = await Language.load(join(assets, "typescript/tree-sitter-typescript.wasm"))
const parser = new Parser().setLanguage(language)
const query = new Query(language, patterns)

const lineOf = (node: Node): number => node.startPosition.row + 1
const nameOf = (node: Node): Name => ({ name: node.text, line: lineOf(node) })
const importOf = (node: Node): Import => ({ specifier: node.text, line: lineOf(node) })

function spanOf(node: Node): Span {
  const name = (node.childForFieldName("name") ?? node.parent?.childForFieldName("name"))?.text ?? "a function"
  return { name, line: lineOf(node), lines: node.endPosition.row - node.startPosition.row + 1 }
}

/** The facts of `text`. */
export function factsOf(text: string): Facts {
  const tree = parser.parse(text)
  if (tree === null) throw new Error("the grammar was not loaded")
  try {
    const captures = query.captures(tree.rootNode)
    const of = (name: string): Node[] => captures.filter((capture) => capture.name === name).map(({ node }) => node)
    return {
      imports: [...of("import"), ...of("reexport")].map(importOf),
      reexports: of("reexport").map(importOf),
      functions: of("function").map(spanOf),
      exportedValues: of("exported").map(nameOf),
      defaultExports: of("default").map(lineOf),
      anyTypes: of("any").map(lineOf),
      members: of("member").map(nameOf),
      calls: of("call").map(nameOf),
      comments: of("comment").map((node) => ({ text: node.text, line: lineOf(node) })),
    }
  } finally {
    tree.delete()
  }
}
