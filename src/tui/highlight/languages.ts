/** Names of languages: what people write after a fence and behind the last dot of a file, to one name each. */

const names: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescriptreact",
  typescriptreact: "typescriptreact",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  node: "javascript",
  py: "python",
  python3: "python",
  pyi: "python",
  rs: "rust",
  golang: "go",
  h: "c",
  "c++": "cpp",
  cc: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  hh: "cpp",
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  bashrc: "bash",
  jsonc: "json",
  json5: "json",
  jsonl: "json",
  yml: "yaml",
  htm: "html",
  xml: "html",
  svg: "html",
  vue: "html",
  scss: "css",
  less: "css",
  patch: "diff",
  md: "markdown",
  mdx: "markdown",
  postgresql: "sql",
  mysql: "sql",
  sqlite: "sql",
  psql: "sql",
}

/** The name of a language by its fence. */
export function languageName(fence: string): string {
  const name = fence.toLowerCase()
  return names[name] ?? name
}

const files: Readonly<Record<string, string>> = {
  ".bashrc": "bash",
  ".zshrc": "bash",
  ".profile": "bash",
  "cargo.lock": "toml",
  "bun.lock": "json",
}

/** The language of a file by its name, or nothing where it has none that says. */
export function languageOf(path: string): string {
  const file = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const known = files[file]
  if (known !== undefined) return known
  const dot = file.lastIndexOf(".")
  return dot <= 0 ? "" : languageName(file.slice(dot + 1))
}
