/** Counts the URLs of a run by reason, for its coverage. */
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { Totals } from '@tidemark/contracts/run'

type Skipped = keyof Coverage['skipped']['by_reason']
export type Counts = { [reason: string]: number }

/** Counts by reason while a run is in progress. */
export type Tally = { failed: Counts; skipped: { [R in Exclude<Skipped, 'trap'>]?: number }; trap: Counts }

/** Pages that their origin did not send again, and the bytes saved. */
export type Unchanged = { pages: number; bytes: number }

/** The part of a run's coverage that stays when the run has ended and its URLs are dropped. */
export type Account = Tally & {
  unchanged: Unchanged
  /** Bytes of the pages; null if the run has no maximum of bytes. */
  bytes: number | null
  notReached: Counts
  sitemaps: Coverage['sitemaps']
  isFull: boolean
}

export const emptyTally = (): Tally => ({ failed: {}, skipped: {}, trap: {} })

/** The totals of a run without URLs. */
export const noTotals: Totals = {
  discovered: 0,
  fetched: 0,
  failed: 0,
  skipped: 0,
  duplicate: 0,
  notReached: 0,
  pending: 0,
}

/** Decrements the count of a reason, which was counted before. */
export function untally(counts: Counts, reason: string): void {
  const { [reason]: count = 1 } = counts
  if (count > 1) counts[reason] = count - 1
  else delete counts[reason]
}

/** Increments the count of a reason. */
export function tally<Reason extends string>(counts: { [R in Reason]?: number }, reason: Reason): void {
  counts[reason] = (counts[reason] ?? 0) + 1
}
