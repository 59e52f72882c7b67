/** argv to a mode; the only top-level effect. What a mode needs is loaded when the mode is known. */
import packageJson from "../package.json" with { type: "json" }

const argv = process.argv.slice(2)
const version = packageJson.version

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`cairn ${version}\n`)
} else {
  const { run } = await import("./cli/run.ts")
  await run(argv, version)
}
