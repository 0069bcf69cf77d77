/**
 * Decides which failed URLs of an ended run are retried. A retried page needs a slot of `max_pages`, because its
 * failure has released its slot and another page may have taken it. It also needs its price within `max_cost_usd`.
 */
import { areBytesSpent } from './limits/byte-budget.ts'
import { affordablePages } from './limits/cost-budget.ts'
import type { Run, Running } from './run.ts'

export type Refused =
  | 'run_active'
  | 'run_cancelled'
  | 'no_failures'
  | 'max_pages_reached'
  | 'max_cost_reached'
  | 'max_bytes_reached'

/** Returns whether any URL or sitemap of the run has failed. */
export const hasFailures = ({ failed, sitemaps }: Running): boolean =>
  failed.size > 0 || [...sitemaps.values()].some(({ state }) => state === 'failed')

/** Returns whether a sitemap counts among the failures of the run. A reopening removes those that it retries. */
export const staysFailed = ({ failed }: Running, key: string): boolean => failed.get(key)?.found === null

/**
 * Returns the number of failed URLs that are retried, from the first failure on, or the reason why none is retried.
 * Sitemaps need no slot. Sitemaps that a server answered with an error are not counted.
 */
export function retriableOf(run: Run): { nth: number; retried: number } | { refused: Refused } {
  if (run.status === 'queued' || run.status === 'running') return { refused: 'run_active' }
  if (run.status === 'cancelled') return { refused: 'run_cancelled' }
  const before = 'before' in run ? run.before : null
  if (before === null) return { refused: 'no_failures' }
  let free = before.settings.maxPages - before.counts.fetched
  let payable = affordablePages(before)
  const isSpent = areBytesSpent(before)
  let retried = 0
  for (const { found } of before.failed.values()) {
    if (found !== null && (free-- <= 0 || payable-- <= 0 || isSpent)) break
    retried++
  }
  const hasSitemap = [...before.sitemaps].some(
    ([key, { state }]) => state === 'failed' && !staysFailed(before, key),
  )
  if (retried > 0 || hasSitemap) return { nth: before.reopenings + 1, retried }
  return { refused: free < 0 ? 'max_pages_reached' : payable < 0 ? 'max_cost_reached' : 'max_bytes_reached' }
}
