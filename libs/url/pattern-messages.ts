/**
 * Defines the messages between the pattern thread and its clients. Verdicts are sent as numbers, because most patterns
 * are long.
 */

import type { Tenant } from './fair-work.ts'
import type { Filtered } from './path-filter.ts'
import type { PatternLists } from './patterns.ts'

/** A request to judge each of `urls`, or without `urls` to check whether a client may use the lists. */
export type PatternRequest = { id: number; tenant: Tenant; lists: PatternLists } & (
  | { urls: readonly string[]; budgetMs: number }
  | object
)

/** A request, or the id of a request to cancel. */
export type Message = PatternRequest | { end: number }

const admitted = -1
const notIncluded = -2

/**
 * Returns a function that encodes a verdict as a number: the position of the exclude pattern, or a negative number if
 * no exclude pattern matched.
 */
export function verdictNumbers({ exclude = [] }: PatternLists): (verdict: Filtered | null) => number {
  const numbers = new Map(exclude.map((pattern, at) => [pattern, at]))
  return verdict => {
    if (verdict === null) return admitted
    return verdict.pattern === null ? notIncluded : (numbers.get(verdict.pattern) ?? notIncluded)
  }
}

/** Decodes a number of `verdictNumbers`. */
export function verdictOf({ exclude = [] }: PatternLists, number: number): Filtered | null {
  if (number === admitted) return null
  const pattern = exclude[number]
  return pattern === undefined ? { by: 'include', pattern: null } : { by: 'exclude', pattern }
}

/**
 * Starts to measure the processor time of this thread. The returned function returns the milliseconds since then.
 * Some machines count processor time in ticks of milliseconds, so the result is at most the elapsed time.
 */
export function stopwatch(): () => number {
  const [began, cpu] = [performance.now(), process.threadCpuUsage()]
  return () => {
    const { user, system } = process.threadCpuUsage(cpu)
    return Math.min(performance.now() - began, (user + system) / 1_000)
  }
}
