/**
 * Which test files run together in one process. They need no isolation: by the import law what they test is pure, and they
 * start nothing and set nothing.
 */
import { type Costs, costIn } from './costs.ts'

const pure = /^(?:libs\/(?:url|robots|html|sitemap)|services\/[^/]+\/(?:[^/]+\/)*domain)\//
/** A group is a task like others: it must not be the last to end. */
const maxSeconds = 12

/** Each file once: pure ones in groups, in order of their costs, and each other file by itself. */
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
