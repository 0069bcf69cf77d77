/** The webhook of a run: decision and result. Facet `webhook`, written by the webhook service only. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, orNull } from './primitives.ts'
import { WebhookEvent } from './run-settings.ts'

/** The final states: those of the specification, and one more. */
export const DeliveryState = Type.Union([
  Type.Literal('delivered'),
  Type.Literal('dead'),
  Type.Literal('suppressed_no_change'),
  Type.Literal('suppressed_no_baseline'),
  /** Beyond the specification: the changes do not match the intent of the monitor. */
  Type.Literal('suppressed_no_match'),
])
export type DeliveryState = Static<typeof DeliveryState>

export const DeliveryEvent = Type.Union([
  /** One decision per run: the webhook will be sent. Receivers detect repeats by its id. */
  fact('DeliveryDecided', { runId: Id, projectId: Id, event: WebhookEvent, webhookId: Type.String() }),
  fact('DeliveryAttempted', {
    attempt: Type.Integer({ minimum: 1, maximum: 5 }),
    /** HTTP status of the receiver; null: no response. */
    status: orNull(Type.Integer()),
    error: orNull(Type.String()),
    elapsedMs: Type.Integer(),
  }),
  /** The client requested a redelivery. It has the same id and starts with a first attempt. */
  fact('RedeliveryOrdered', {
    webhookId: Type.String(),
    /** At least 2: the first round belongs to the decision. */
    round: Type.Integer({ minimum: 2 }),
  }),
  fact('DeliveryEnded', { state: DeliveryState, attempts: Type.Integer(), error: orNull(Type.String()) }),
])
export type DeliveryEvent = Static<typeof DeliveryEvent>

export const DeliveryCommit = commitOf(DeliveryEvent)
export type DeliveryCommit = Static<typeof DeliveryCommit>

/** The webhook of a run as its API shows it. */
export type ShownDelivery = { status: string; attempts: number; lastError: string | null }

/** Returns the state of a delivery after an event. Each event has the whole state, so the last one is enough. */
export function deliveryAfter(event: DeliveryEvent): ShownDelivery {
  switch (event.type) {
    case 'DeliveryDecided':
    case 'RedeliveryOrdered':
      return { status: 'pending', attempts: 0, lastError: null }
    case 'DeliveryAttempted':
      return { status: 'pending', attempts: event.data.attempt, lastError: event.data.error }
    case 'DeliveryEnded':
      return { status: event.data.state, attempts: event.data.attempts, lastError: event.data.error }
  }
}

/** `DeliveryDecided` for the webhook of a batch of scans. The other events of its delivery are those of a run. */
export const BatchDeliveryDecided = fact('BatchDeliveryDecided', {
  batchId: Id,
  projectId: Id,
  webhookId: Type.String(),
})
export type BatchDeliveryDecided = Static<typeof BatchDeliveryDecided>
