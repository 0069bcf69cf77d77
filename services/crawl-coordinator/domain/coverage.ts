/**
 * Creates the coverage of a run: the number of discovered URLs by state and reason. They are counted where the events
 * are applied, so the coverage cannot disagree with the run.
 */
import { type Coverage, limits, trapRules } from '@tidemark/contracts/http/coverage'
import { costOf, dollarsOf, unitPrices, unitsOfCrawl } from '@tidemark/contracts/prices'
import type { Totals, TrapRule } from '@tidemark/contracts/run'
import { type Account, type Counts, emptyTally, noTotals, tally } from './account.ts'
import { type Known, type Running, totals } from './run.ts'
import { stateFieldsOf } from './view.ts'

/**
 * Returns the coverage in the form of the API.
 * @param position the last sequence of the run's subject that is counted
 */
export function coverageOf(run: Known, position: number): Coverage {
  const { failed, skipped, trap, unchanged, bytes, notReached, sitemaps, isFull } = accountOfKnown(run)
  const { discovered, fetched, duplicate, pending } = totalsOf(run)
  const skippedInAll = sumOf(skipped) + sumOf(trap)
  const ends = [fetched, sumOf(failed), skippedInAll, duplicate, sumOf(notReached), pending]
  return {
    run_id: run.runId,
    ...stateFieldsOf(run),
    position,
    discovered,
    fetched,
    not_modified: { pages: unchanged.pages, bytes_saved: unchanged.bytes },
    failed: { total: sumOf(failed), by_reason: { ...failed } },
    skipped: {
      total: skippedInAll,
      by_reason: { ...noneSkipped, ...skipped, trap: { ...noneTrapped, ...trap } },
    },
    duplicate,
    not_reached: { total: sumOf(notReached), by_limit: { ...noneNotReached, ...notReached } },
    pending,
    budget: budgetOf(run, fetched, bytes),
    sitemaps,
    frontier_full: isFull,
    holds: discovered === ends.reduce((a, b) => a + b),
  }
}

/** Returns the budget of a run with its use; null: it has none. */
function budgetOf(run: Known, fetched: number, bytes: number | null): NonNullable<Coverage['budget']> | null {
  const { maxCost, maxBytes } = run.settings
  if (maxCost === undefined && maxBytes === undefined) return null
  const { blocked, rendered, carried } = run.status === 'queued' ? noPages : run
  const spent = costOf(unitsOfCrawl({ fetched, blocked, rendered, carried }), run.unitPrices ?? unitPrices)
  return {
    max_cost_usd: maxCost === undefined ? null : dollarsOf(maxCost),
    cost_usd: maxCost === undefined ? null : dollarsOf(spent),
    max_bytes: maxBytes ?? null,
    bytes: maxBytes === undefined ? null : (bytes ?? 0),
  }
}

const noPages = { blocked: 0, rendered: 0, carried: 0 }
const noneSkipped = {
  robots: 0,
  robots_unreachable: 0,
  redirect_out_of_scope: 0,
  excluded: 0,
  not_included: 0,
}
const noneTrapped = Object.fromEntries(trapRules.map(rule => [rule, 0])) as Record<TrapRule, number>
const noneNotReached = Object.fromEntries(limits.map(limit => [limit, 0])) as Record<
  (typeof limits)[number],
  number
>

const nothing: Account = {
  ...emptyTally(),
  unchanged: { pages: 0, bytes: 0 },
  bytes: null,
  notReached: {},
  sitemaps: { read: 0, failed: 0, cut: 0 },
  isFull: false,
}

function accountOfKnown(run: Known): Account {
  if (run.status === 'queued') return nothing
  return run.status === 'running' ? accountOf(run) : (run.account ?? nothing)
}

function totalsOf(run: Known): Totals {
  if (run.status === 'queued') return noTotals
  return run.status === 'running' ? totals(run) : run.totals
}

/** Returns copies of the counts, because a run that is reopened changes them. */
export function accountOf(run: Running): Account {
  const { deferred, left, sitemaps } = run
  const depth = deferred.depth.size
  const counts = { read: 0, failed: 0, cut: 0 }
  for (const sitemap of sitemaps.values()) {
    if (sitemap.state === 'read' || sitemap.state === 'failed') counts[sitemap.state]++
    if (sitemap.state === 'read' && sitemap.isCut) counts.cut++
  }
  const notReached: Counts = { depth, max_pages: deferred.count - depth - left.size }
  for (const reason of left.values()) tally(notReached, reason)
  const { failed, skipped, trap } = run.tally
  const tallies = { failed: { ...failed }, skipped: { ...skipped }, trap: { ...trap } }
  const bytes = run.bytes?.spent ?? null
  return {
    ...tallies,
    unchanged: { ...run.unchanged },
    bytes,
    notReached,
    sitemaps: counts,
    isFull: run.isFull,
  }
}

function sumOf(counts: { [reason: string]: number | undefined }): number {
  let sum = 0
  for (const count of Object.values(counts)) sum += count ?? 0
  return sum
}
