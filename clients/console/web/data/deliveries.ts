/** Decides how long the screen with the webhooks of a crawl keeps reading them. */

type Run = { finished_at: string | null }
type Delivery = { state: string }

/** Time after the end of a crawl in which the webhook about the end may still appear. */
export const lateDeliveryMs = 30_000

/**
 * Returns whether deliveries can still appear or change without a command of the reader. The crawl is null while it is not
 * read, or does not exist.
 * @param seenForMs time since the screen saw the end, because clocks of browsers differ
 */
export function mayChange(run: Run | null, items: readonly Delivery[], seenForMs: number): boolean {
  if (run === null) return false
  if (run.finished_at === null || items.some(({ state }) => state === 'pending')) return true
  return seenForMs < lateDeliveryMs
}
