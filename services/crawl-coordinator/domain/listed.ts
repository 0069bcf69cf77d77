/**
 * Judges the URLs that the client lists besides the seed (`urls`). They wait until the seed is settled, because its
 * redirect may move the site. Each counts as discovered and pending from the start of the run, and holds a slot of
 * `max_pages` before URLs that pages link to.
 */
import { type Decision, maxUrls } from './circumstances.ts'
import { discover } from './discover.ts'
import { patternsOf } from './filter.ts'
import type { Run, Running } from './run.ts'

/** Judges the listed URLs once the seed is settled, as many as one decision can hold. */
export function judgeListed(decision: Decision): void {
  const { run, mayEmit, verdicts } = decision
  if (!areDue(run)) return
  const isMatchedAhead = verdicts !== undefined && patternsOf(run.settings) !== null
  for (const [key, url] of run.listed.waiting) {
    if (!mayEmit()) return
    if (isMatchedAhead && !verdicts.has(url)) {
      run.isUnfinished = true
      return
    }
    discover(decision, { key, url, depth: 1, from: null, hops: 0 })
  }
}

/** Returns the listed URLs that the next decision may judge: as many as a decision emits. */
export function nextListed(run: Run): string[] {
  return run.status === 'running' && areDue(run) ? Array.from(run.listed.waiting.values().take(maxUrls)) : []
}

/** Returns whether listed URLs wait, and the seed is settled. */
export const areDue = (run: Running): boolean => run.listed.waiting.size > 0 && !awaitsSeed(run)

/** Returns whether the seed, or the target of its redirect, has no response yet. */
function awaitsSeed({ pending }: Running): boolean {
  for (const { found, answer } of pending.values()) {
    if (found.depth === 0 && answer === undefined) return true
  }
  return false
}
