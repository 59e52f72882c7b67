/** What is wrong in a file of the person's: one sentence that names it, the place, and what to do. */

/** `line` and `column` count from 1; both are 0 where the whole file is meant. */
export type Problem = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** `path:12:3: message`, as compilers and editors write it. */
export function printProblem(problem: Problem): string {
  const place = problem.line === 0 ? problem.file : `${problem.file}:${problem.line}:${problem.column}`
  return `${place}: ${problem.message}`
}
