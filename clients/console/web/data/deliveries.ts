/** Decides how long the screen of the webhooks of a crawl is read again. */

type Run = { finished_at: string | null }
type Delivery = { state: string }

/** The webhook of an end appears shortly after the end. */
const settleMs = 30_000

/** Returns whether deliveries can still appear or change without a command of the reader. */
export function mayChange(run: Run | null, items: readonly Delivery[], nowMs: number): boolean {
  if (run === null || run.finished_at === null) return true
  if (items.some(({ state }) => state === 'pending')) return true
  return Math.abs(nowMs - Date.parse(run.finished_at)) < settleMs
}
