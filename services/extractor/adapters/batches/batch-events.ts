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
