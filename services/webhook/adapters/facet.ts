/**
 * Appends the events of a delivery to the facet `webhook` of its run or batch through the outbox. The same transaction changes the
 * row, so that events and rows agree after any crash.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { Commit } from '@tidemark/contracts/commit'
import type { BatchDeliveryDecided, DeliveryEvent } from '@tidemark/contracts/delivery'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueueAll } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import { isNotice } from '../domain/notice.ts'

/** Returns the subject of the events. A batch has its negative id in place of a run. */
export const facetOf = (runId: number): string =>
  runId < 0 ? subjects.batchWebhook(-runId) : subjects.run(runId, 'webhook')

/** An event of a delivery, of a run or of a batch. */
export type StoredEvent = DeliveryEvent | BatchDeliveryDecided

export type Append = { runId: number; trace: string | null; events: StoredEvent[]; isFirst?: boolean }

/**
 * Appends commits in the caller's transaction. Returns the ids of the outbox rows in the same order; null: a notice, which
 * has rows but no events, because the events of a run's webhook are those of its end. A first commit expects an empty
 * facet.
 */
export async function append(client: PoolClient, appends: readonly Append[]): Promise<(number | null)[]> {
  const ids = await appendAll(
    client,
    appends.filter(({ runId }) => !isNotice(runId)),
  )
  let next = 0
  return appends.map(({ runId }) => (isNotice(runId) ? null : (ids[next++] ?? null)))
}

function appendAll(client: PoolClient, appends: readonly Append[]): Promise<number[]> {
  const at = new Date().toISOString()
  const messages = appends.map(({ runId, trace, events, isFirst }) => {
    const commit: Commit<StoredEvent> = { at, ...(trace !== null && { trace }), events }
    return { subject: facetOf(runId), payload: encodeJson(commit), ...(isFirst && { expectLast: 0 }) }
  })
  return enqueueAll(client, 'webhook', messages)
}
