/**
 * Waiting for what a real process does.
 *
 * - A ceiling is ten times what a busy machine needs. It ends a wait for what never comes; no test passes or fails by how long something takes.
 */

/** How often something is looked at that cannot tell when it changes. */
const lookMs = 15

/** Looks until `condition` holds, and throws with `told` once `ceilingMs` have passed without it. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  told: () => string | Promise<string>,
  ceilingMs = 30_000,
): Promise<void> {
  const end = performance.now() + ceilingMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(await told())
    await Bun.sleep(lookMs)
  }
}
