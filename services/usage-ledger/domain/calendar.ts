/** Months of the ledger: those of UTC, as its days are. */

/** Never 0, so that whoever waits so long is in the next month. */
export function secondsToMonthEnd(at: number): number {
  const now = new Date(at)
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  return Math.ceil((next - at) / 1000)
}
