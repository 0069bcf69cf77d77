/**
 * The receipt of a run: where every URL that it discovered stands, by reason. It is counted where the events are
 * folded, so that it cannot know anything else than the run does.
 */
import { type Coverage, limits, trapRules } from '@tidemark/contracts/http/coverage'
import type { StopReason, Totals, TrapRule } from '@tidemark/contracts/run'
import { type Known, type Running, totals } from './run.ts'

type Skipped = keyof Coverage['skipped']['by_reason']
type Counts = { [reason: string]: number }

/** What is counted by reason while a run goes on. */
export type Tally = { failed: Counts; skipped: { [R in Exclude<Skipped, 'trap'>]?: number }; trap: Counts }

/** Pages that their origin did not send again, and the bytes that it did not send. */
export type Unchanged = { pages: number; bytes: number }

/** What of a run's receipt stays when the run has ended and its URLs are let go. */
export type Account = Tally & {
  unchanged: Unchanged
  notReached: Counts
  sitemaps: Coverage['sitemaps']
  isFull: boolean
}

export const emptyTally = (): Tally => ({ failed: {}, skipped: {}, trap: {} })

/** One more of a reason. */
export function tally<Reason extends string>(counts: { [R in Reason]?: number }, reason: Reason): void {
  counts[reason] = (counts[reason] ?? 0) + 1
}

/** Of a run that ends now: what is still pending is not reached, for the reason of its end. */
export function finalAccount(run: Running, stopReason: StopReason): Account {
  const account = accountOf(run)
  const waiting = run.pending.size
  if (waiting === 0) return account
  return { ...account, notReached: { ...account.notReached, [stopReason]: waiting } }
}

/**
 * Where every URL that was discovered stands, for the reader of the API.
 * @param position the last sequence of the run's subject that is counted
 */
export function receiptOf(run: Known, position: number): Coverage {
  const { failed, skipped, trap, unchanged, notReached, sitemaps, isFull } = accountFor(run)
  const { discovered, fetched, duplicate, pending } = totalsOf(run)
  const skippedInAll = sumOf(skipped) + sumOf(trap)
  const ends = [fetched, sumOf(failed), skippedInAll, duplicate, sumOf(notReached), pending]
  return {
    run_id: run.runId,
    status: run.status,
    stop_reason: 'stopReason' in run ? run.stopReason : null,
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
    not_reached: { total: sumOf(notReached), by_limit: { ...noneBehind, ...notReached } },
    pending,
    sitemaps,
    frontier_full: isFull,
    holds: discovered === ends.reduce((a, b) => a + b),
  }
}

const noneSkipped = {
  robots: 0,
  robots_unreachable: 0,
  redirect_out_of_scope: 0,
  excluded: 0,
  not_included: 0,
}
const noneTrapped = Object.fromEntries(trapRules.map(rule => [rule, 0])) as Record<TrapRule, number>
const noneBehind = Object.fromEntries(limits.map(limit => [limit, 0])) as Record<
  (typeof limits)[number],
  number
>

const nothing: Account = {
  ...emptyTally(),
  unchanged: { pages: 0, bytes: 0 },
  notReached: {},
  sitemaps: { read: 0, failed: 0, cut: 0 },
  isFull: false,
}
const none: Totals = {
  discovered: 0,
  fetched: 0,
  failed: 0,
  skipped: 0,
  duplicate: 0,
  notReached: 0,
  pending: 0,
}

function accountFor(run: Known): Account {
  if (run.status === 'queued') return nothing
  return run.status === 'running' ? accountOf(run) : (run.account ?? nothing)
}

function totalsOf(run: Known): Totals {
  if (run.status === 'queued') return none
  return run.status === 'running' ? totals(run) : run.totals
}

function accountOf({ tally, unchanged, deferred, sitemaps, isFull }: Running): Account {
  const depth = deferred.depth.size
  const counts = { read: 0, failed: 0, cut: 0 }
  for (const sitemap of sitemaps.values()) {
    if (sitemap.state === 'read' || sitemap.state === 'failed') counts[sitemap.state]++
    if (sitemap.state === 'read' && sitemap.isCut) counts.cut++
  }
  const notReached = { depth, max_pages: deferred.count - depth }
  return { ...tally, unchanged, notReached, sitemaps: counts, isFull }
}

function sumOf(counts: { [reason: string]: number | undefined }): number {
  let sum = 0
  for (const count of Object.values(counts)) sum += count ?? 0
  return sum
}
