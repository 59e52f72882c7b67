/** Files that the bundler embeds: as text where a program reads them, as a path where a library opens them. */
declare module "*.sql" {
  const text: string
  export default text
}
declare module "*.jsonc" {
  const text: string
  export default text
}
declare module "*.scm" {
  const path: string
  export default path
}
declare module "*.wasm" {
  const path: string
  export default path
}
