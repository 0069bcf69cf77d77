/** The webhook of a run: what was decided about it and what became of it. Facet `webhook`, written by webhook alone. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, orNull } from './primitives.ts'
import { WebhookEvent } from './run-settings.ts'

/** The ends that the specification names. */
export const DeliveryState = Type.Union([
  Type.Literal('delivered'),
  Type.Literal('dead'),
  Type.Literal('suppressed_no_change'),
  Type.Literal('suppressed_no_baseline'),
])
export type DeliveryState = Static<typeof DeliveryState>

export const DeliveryEvent = Type.Union([
  /** One decision a run: it will be tried. Its id is what the receiver can tell repeats by. */
  fact('DeliveryDecided', { runId: Id, projectId: Id, event: WebhookEvent, webhookId: Type.String() }),
  fact('DeliveryAttempted', {
    attempt: Type.Integer({ minimum: 1, maximum: 5 }),
    /** The receiver's HTTP status; null when there was no answer. */
    status: orNull(Type.Integer()),
    error: orNull(Type.String()),
    elapsedMs: Type.Integer(),
  }),
  /** It is told once more, from a first attempt on and under the same id, because the client asked for it. */
  fact('RedeliveryOrdered', {
    webhookId: Type.String(),
    /** From 2: the first round is that of the decision. */
    round: Type.Integer({ minimum: 2 }),
  }),
  fact('DeliveryEnded', { state: DeliveryState, attempts: Type.Integer(), error: orNull(Type.String()) }),
])
export type DeliveryEvent = Static<typeof DeliveryEvent>

export const DeliveryCommit = commitOf(DeliveryEvent)
export type DeliveryCommit = Static<typeof DeliveryCommit>
