/**
 * What is decided about a delivery and what becomes of it, appended to the run's facet `webhook` by way of the
 * outbox: in the transaction that changes the row, so that events and rows say the same after any crash.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { DeliveryCommit, DeliveryEvent } from '@tidemark/contracts/delivery'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'

export const facetOf = (runId: number): string => subjects.run(runId, 'webhook')

type Append = { runId: number; trace: string | null; events: DeliveryEvent[]; isFirst?: boolean }

/** Within the caller's transaction; the outbox row's id. The first commit of a facet expects that there is none. */
export function append(client: PoolClient, { runId, trace, events, isFirst }: Append): Promise<number> {
  const at = new Date().toISOString()
  const commit: DeliveryCommit = { at, ...(trace !== null && { trace }), events }
  const payload = encodeJson(commit)
  return enqueue(client, 'webhook', { subject: facetOf(runId), payload, ...(isFirst && { expectLast: 0 }) })
}
