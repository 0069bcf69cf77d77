/**
 * Appends the events of a delivery to the run's facet `webhook` through the outbox. The same transaction changes the
 * row, so that events and rows agree after any crash.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { DeliveryCommit, DeliveryEvent } from '@tidemark/contracts/delivery'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueueAll } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'

export const facetOf = (runId: number): string => subjects.run(runId, 'webhook')

export type Append = { runId: number; trace: string | null; events: DeliveryEvent[]; isFirst?: boolean }

/**
 * Appends commits in the caller's transaction. Returns the ids of the outbox rows in the same order. A first commit
 * expects an empty facet.
 */
export function append(client: PoolClient, appends: readonly Append[]): Promise<number[]> {
  const at = new Date().toISOString()
  const messages = appends.map(({ runId, trace, events, isFirst }) => {
    const commit: DeliveryCommit = { at, ...(trace !== null && { trace }), events }
    return { subject: facetOf(runId), payload: encodeJson(commit), ...(isFirst && { expectLast: 0 }) }
  })
  return enqueueAll(client, 'webhook', messages)
}
