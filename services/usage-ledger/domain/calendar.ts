/** Days and months of the ledger: those of UTC, whatever the clock of a machine shows. */

const dayMs = 86_400_000

/** `YYYY-MM-DD`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Never 0, so that whoever waits so long is in the next day. */
export const secondsToMidnight = (at: number): number => Math.ceil((dayMs - (at % dayMs)) / 1000)

/** Never 0, so that whoever waits so long is in the next month. */
export function secondsToMonthEnd(at: number): number {
  const now = new Date(at)
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  return Math.ceil((next - at) / 1000)
}
