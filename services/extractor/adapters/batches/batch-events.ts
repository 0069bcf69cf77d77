/** The events of batches, written to the outbox in the transaction that changes the batch. */
import { encodeJson } from '@tidemark/bus/codec'
import type { BatchCommit, BatchEvent } from '@tidemark/contracts/batches/events'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueueAll } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'

const schema = 'content'

export type OfBatch = { batchId: number; event: BatchEvent; trace?: string | null }

export async function enqueueBatchEvents(client: PoolClient, events: readonly OfBatch[]): Promise<void> {
  const at = new Date().toISOString()
  await enqueueAll(
    client,
    schema,
    events.map(({ batchId, event, trace }) => {
      const commit: BatchCommit = { at, ...(trace != null && { trace }), events: [event] }
      return { subject: subjects.batch(batchId), payload: encodeJson(commit) }
    }),
  )
}

/**
 * Bills a page. The gateway writes bills too, so a row that was published before a crash may be published again. The
 * ledger counts the page once, by its name and number.
 */
export async function enqueueBill(client: PoolClient, projectId: number, bill: object): Promise<void> {
  await enqueueAll(client, schema, [{ subject: subjects.served(projectId), payload: encodeJson(bill) }])
}
