/**
 * What is decided about a delivery and what becomes of it, appended to the run's facet `webhook` by way of the
 * outbox: in the transaction that changes the row, so that events and rows say the same after any crash.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { DeliveryCommit, DeliveryEvent } from '@tidemark/contracts/delivery'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueueAll } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'

export const facetOf = (runId: number): string => subjects.run(runId, 'webhook')

export type Append = { runId: number; trace: string | null; events: DeliveryEvent[]; isFirst?: boolean }

/**
 * Within the caller's transaction; the ids of the outbox's rows, in this order. The first commit of a facet expects
 * that there is none.
 */
export function append(client: PoolClient, appends: readonly Append[]): Promise<number[]> {
  const at = new Date().toISOString()
  const messages = appends.map(({ runId, trace, events, isFirst }) => {
    const commit: DeliveryCommit = { at, ...(trace !== null && { trace }), events }
    return { subject: facetOf(runId), payload: encodeJson(commit), ...(isFirst && { expectLast: 0 }) }
  })
  return enqueueAll(client, 'webhook', messages)
}
