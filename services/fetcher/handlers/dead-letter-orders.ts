/** Fails all orders of a message that is terminated, so that no run waits for them forever. */
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Outbox } from '../adapters/outbox.ts'
import { fetchMessageName } from '../domain/names.ts'
import { givenUpOf } from './failures.ts'

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

function failureOf({ runId }: FetchOrders, { kind, key, attempt, url }: FetchOrder): Outcome {
  const about = { runId, key, attempt }
  if (kind !== 'robots') return givenUpOf({ ...about, ...(kind === 'sitemap' && { kind }) })
  const origin = URL.parse(url)?.origin ?? url
  return { type: 'robots_failed', ...about, origin, reason: 'given_up', transient: false }
}
