/**
 * The grammars that are embedded in the executable, beside those that the screen's library brings (TypeScript, JavaScript, Markdown, Zig).
 *
 * - Each is a WebAssembly module and the queries that its own package ships; one that builds on another language names both queries.
 */
import type { FiletypeParserOptions } from "@opentui/core"
import tomlQuery from "@tree-sitter-grammars/tree-sitter-toml/queries/highlights.scm" with { type: "file" }
import toml from "@tree-sitter-grammars/tree-sitter-toml/tree-sitter-toml.wasm" with { type: "file" }
import yamlQuery from "@tree-sitter-grammars/tree-sitter-yaml/queries/highlights.scm" with { type: "file" }
import yaml from "@tree-sitter-grammars/tree-sitter-yaml/tree-sitter-yaml.wasm" with { type: "file" }
import bashQuery from "tree-sitter-bash/queries/highlights.scm" with { type: "file" }
import bash from "tree-sitter-bash/tree-sitter-bash.wasm" with { type: "file" }
import cQuery from "tree-sitter-c/queries/highlights.scm" with { type: "file" }
import c from "tree-sitter-c/tree-sitter-c.wasm" with { type: "file" }
import cppQuery from "tree-sitter-cpp/queries/highlights.scm" with { type: "file" }
import cpp from "tree-sitter-cpp/tree-sitter-cpp.wasm" with { type: "file" }
import cssQuery from "tree-sitter-css/queries/highlights.scm" with { type: "file" }
import css from "tree-sitter-css/tree-sitter-css.wasm" with { type: "file" }
import goQuery from "tree-sitter-go/queries/highlights.scm" with { type: "file" }
import go from "tree-sitter-go/tree-sitter-go.wasm" with { type: "file" }
import htmlQuery from "tree-sitter-html/queries/highlights.scm" with { type: "file" }
import html from "tree-sitter-html/tree-sitter-html.wasm" with { type: "file" }
import javaQuery from "tree-sitter-java/queries/highlights.scm" with { type: "file" }
import java from "tree-sitter-java/tree-sitter-java.wasm" with { type: "file" }
import jsonQuery from "tree-sitter-json/queries/highlights.scm" with { type: "file" }
import json from "tree-sitter-json/tree-sitter-json.wasm" with { type: "file" }
import pythonQuery from "tree-sitter-python/queries/highlights.scm" with { type: "file" }
import python from "tree-sitter-python/tree-sitter-python.wasm" with { type: "file" }
import rustQuery from "tree-sitter-rust/queries/highlights.scm" with { type: "file" }
import rust from "tree-sitter-rust/tree-sitter-rust.wasm" with { type: "file" }

const grammar = (filetype: string, wasm: string, ...highlights: readonly string[]): FiletypeParserOptions => ({
  filetype,
  wasm,
  queries: { highlights: [...highlights] },
})

export const grammars: readonly FiletypeParserOptions[] = [
  grammar("bash", bash, bashQuery),
  grammar("c", c, cQuery),
  grammar("cpp", cpp, cQuery, cppQuery),
  grammar("css", css, cssQuery),
  grammar("go", go, goQuery),
  grammar("html", html, htmlQuery),
  grammar("java", java, javaQuery),
  grammar("json", json, jsonQuery),
  grammar("python", python, pythonQuery),
  grammar("rust", rust, rustQuery),
  grammar("toml", toml, tomlQuery),
  grammar("yaml", yaml, yamlQuery),
]

/** Languages that the screen's library brings. */
export const builtIn: readonly string[] = ["typescript", "typescriptreact", "javascript", "markdown", "zig"]
