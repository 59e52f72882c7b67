/**
 * Moments that have names: just before and just after each commit and each effect.
 *
 * - Whoever must prove that nothing is lost at a moment is handed a function that is called there, and ends the process in it. Everybody
 *   else is handed {@link unwatched}, which does nothing and costs nothing.
 */
export type At<P extends string = string> = (point: P) => void

export const unwatched: At = () => {}
