/**
 * RUNS, facet `webhook` → the webhook columns of `read.run`. These events come after the start of the run in the
 * stream, so a run without a row was deleted, and its events change nothing.
 */
import type { StreamMessage } from '@tidemark/bus/read'
import { DeliveryEvent, deliveryAfter, type ShownDelivery } from '@tidemark/contracts/delivery'
import { textOf } from '@tidemark/contracts/plain-text'
import { runOfSubject } from '@tidemark/contracts/subjects'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type WebhookChange = ShownDelivery & { runId: number }

const needs = {
  DeliveryDecided: [],
  DeliveryAttempted: ['attempt', 'error'],
  RedeliveryOrdered: [],
  DeliveryEnded: ['state', 'attempts', 'error'],
} as const

/** Applies the webhook events of a batch in one statement. */
export function deliveriesProjection(report: Report) {
  const read = commitReader<DeliveryEvent>(DeliveryEvent, needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const changes = new Map<number, WebhookChange>()
    for (const { subject, event } of read(messages)) {
      const { runId } = runOfSubject(subject)
      changes.set(runId, { runId, ...deliveryAfter(event) })
    }
    if (changes.size > 0) await client.query(update, columns(table, [...changes.values()]))
  }
}

const table: Table<WebhookChange> = [
  ['id', 'bigint', change => change.runId],
  ['status', 'text', change => change.status],
  ['attempts', 'integer', change => change.attempts],
  ['last_error', 'text', change => textOf(change.lastError)],
]

const update = `
  update read.run set
    webhook_status = change.status,
    webhook_attempts = change.attempts,
    webhook_last_error = change.last_error
  from ${unnest(table, 'change')}
  where run.id = change.id`
