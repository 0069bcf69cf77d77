/**
 * Tracks how long a run has sent no order and received no outcome, and how often its orders were sent again in vain.
 */
import type { Running } from './run.ts'

/** Ends the silence. A failed outcome counts too, because it shows that fetchers and extractors work. */
export function outcomeReceived(run: Running, at: string): void {
  run.quietSince = Date.parse(at)
  run.silences = 0
}

/**
 * Records that orders were sent.
 * @param again How often orders were sent again since the last outcome, including now; undefined for a new order.
 */
export function ordersSent(run: Running, at: string, again: number | undefined): void {
  run.quietSince = Date.parse(at)
  if (again !== undefined) run.silences = again
}
