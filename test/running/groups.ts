/**
 * Decides which test files run together in one process. These files need no isolation: the code that they test is pure,
 * which the import rules guarantee, and they start no process and change no settings.
 */
import { type Costs, costIn } from './costs.ts'

const pure = /^(?:libs\/(?:url|robots|html|sitemap)|services\/[^/]+\/(?:[^/]+\/)*domain)\//
/** Maximum duration of a group. A group is one task, and a long task could be the last one to end. */
const maxSeconds = 12

/** Returns each file once: pure files in groups, in the order of their costs, and each other file alone. */
export function groupsOf(files: readonly string[], costs: Costs): string[][] {
  const secondsOf = (file: string) => costIn(costs, file).seconds
  const groups: string[][] = []
  let seconds = Number.POSITIVE_INFINITY
  for (const file of files.filter(file => pure.test(file)).sort((a, b) => secondsOf(b) - secondsOf(a))) {
    seconds += secondsOf(file)
    if (seconds <= maxSeconds) groups.at(-1)?.push(file)
    else {
      groups.push([file])
      seconds = secondsOf(file)
    }
  }
  return [...groups, ...files.filter(file => !pure.test(file)).map(file => [file])]
}
