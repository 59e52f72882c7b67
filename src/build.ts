/**
 * Makes the executable: one file that needs nothing beside it.
 *
 * - It reads no `.env`, `bunfig.toml`, `tsconfig.json` or `package.json` of the folder that it is started in: those belong to a stranger's project.
 * - Nor does it obey the variables that make any Bun executable run or print something else before its own code is asked.
 * - Code that a start does not need stays in chunks of its own (`splitting`), and all of it is compiled ahead of time (`bytecode`).
 * - The file appears whole or not at all, also where one of that name is running.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dir)

export type BuildPlan = { readonly entry: string; readonly outfile: string }

/** Where `bun run build` puts the executable. */
export const cairnPlan: BuildPlan = { entry: join(root, "src/main.ts"), outfile: join(root, "dist/cairn") }

/** Builds `plan`; throws with the bundler's messages where it cannot. */
export async function build(plan: BuildPlan): Promise<void> {
  mkdirSync(dirname(plan.outfile), { recursive: true })
  const fresh = `${plan.outfile}.${process.pid}`
  try {
    const result = await Bun.build({
      entrypoints: [plan.entry],
      target: "bun",
      format: "esm",
      splitting: true,
      minify: true,
      bytecode: true,
      sourcemap: "none",
      plugins: [withoutLayouts],
      // The renderer carries a library for each C library; the other one is not installed and must not be looked for.
      define: { "process.env.OPENTUI_LIBC": '"glibc"' },
      compile: {
        outfile: fresh,
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    })
    for (const message of result.logs) process.stderr.write(`${message.level}: ${message.message}\n`)
    // A changed Mach-O file would need a new signature, so there the variables keep their names.
    if (process.platform === "linux") deafen(fresh)
    chmodSync(fresh, 0o755)
    renameSync(fresh, plan.outfile)
  } finally {
    rmSync(fresh, { force: true })
  }
}

/** Drawings in text place their boxes by themselves: the engine that places those of pictures is ten times as large as all of the rest. */
const withoutLayouts: Bun.BunPlugin = {
  name: "without layouts",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]elkjs[\\/]lib[\\/]elk[.-][\w.-]*\.js$/ }, () => ({
      contents: "export default class {}",
      loader: "js",
    }))
  },
}

/**
 * Gives the variables of {@link takeovers} names in the executable that no shell can set. Somebody who works with Bun may well have them set, and
 * the runtime obeys them before the first line of ours. Throws where a name is not found: the runtime has changed, and this with it.
 */
function deafen(path: string): void {
  const bytes = readFileSync(path)
  // The executable begins as a copy of the runtime. Where our own code says these names, they stay.
  const runtime = readFileSync(process.execPath)
  for (const name of takeovers) {
    const places = placesOf(runtime, name).filter(
      (place) => bytes.toString("latin1", place, place + name.length) === name,
    )
    if (places.length === 0) throw new Error(`the runtime does not know ${name}: see how it is told to run other code`)
    for (const place of places) bytes.write("#", place)
  }
  writeFileSync(path, bytes)
}

/** Variables that the runtime obeys at its start, and what it then does. */
const takeovers = [
  // It is the `bun` command.
  "BUN_BE_BUN",
  // It has further options, such as a file to run first.
  "BUN_OPTIONS",
  // It lets whoever connects debug it.
  "BUN_INSPECT",
  // It writes a file with what it ran.
  "BUN_BYTECODE_",
  // It writes every request over the screen.
  "BUN_CONFIG_VERBOSE_FETCH",
  // It complains about the value over the screen.
  "BUN_CONFIG_MAX_HTTP_REQUESTS",
]

function placesOf(bytes: Buffer, name: string): readonly number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) places.push(at)
  return places
}

if (import.meta.main) {
  const started = performance.now()
  // The bundler keeps unfinished files in the folder that it is started in.
  mkdirSync(dirname(cairnPlan.outfile), { recursive: true })
  process.chdir(dirname(cairnPlan.outfile))
  await build(cairnPlan)
  const bytes = Bun.file(cairnPlan.outfile).size
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`dist/cairn  ${(bytes / 1e6).toFixed(1)} MB  in ${seconds} s\n`)
}
