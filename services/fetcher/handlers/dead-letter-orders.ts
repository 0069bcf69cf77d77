/** Fails all orders of a message that is terminated, so that no run waits for them forever. */
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Outbox } from '../adapters/outbox.ts'
import { fetchMessageName } from '../domain/names.ts'

/**
 * Returns a function that resolves when each failure is stored. A message that cannot be read has no orders to fail.
 */
export const deadLetterOrders =
  (outbox: Outbox) =>
  async (work: FetchOrders | null, { sequence }: { sequence: number }): Promise<void> => {
    if (work === null) return
    const message = fetchMessageName(sequence, work)
    await Promise.all(
      work.orders.map((order, index) => outbox.outcome(failureOf(work, order), { message, index })),
    )
  }

const reason = 'given_up'

function failureOf({ runId }: FetchOrders, { kind, key, attempt, url }: FetchOrder): Outcome {
  const about = { runId, key, attempt }
  return kind === 'robots'
    ? { type: 'robots_failed', ...about, origin: URL.parse(url)?.origin ?? url, reason, transient: false }
    : {
        type: 'failed',
        ...about,
        ...(kind === 'sitemap' && { kind }),
        reason,
        transient: false,
        retryAfterMs: 0,
      }
}
