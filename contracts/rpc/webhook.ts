/** Questions and commands to webhook. */
import { type Static, Type } from 'typebox'
import { WebhookDelivery, WebhookTestResult } from '../http/webhook.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** The project's signing secret; made when it is first asked for. */
const WebhookSecret = Type.Object({ projectId: Id })

const WebhookSecretAnswer = Type.Object({ secretHex: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

/**
 * Makes a new secret; those before it sign beside it for so long, 0 ends them at once. Refused with `conflict`
 * (`too_many_secrets`) when too many would sign. Answered as `WebhookSecret` is.
 */
const RotateWebhookSecret = Type.Object({ projectId: Id, graceSeconds: Type.Integer({ minimum: 0 }) })

/** What was to be told of a run, and what became of it. */
const ListDeliveries = Type.Object({ projectId: Id, runId: Id })

const ListDeliveriesAnswer = Type.Object({ deliveries: Type.Array(WebhookDelivery) })

/** Tells it once more. Refused with `conflict` while it is told, and where it was held back. */
export const Redeliver = Type.Object({ projectId: Id, runId: Id, deliveryId: Type.String() })
export type Redeliver = Static<typeof Redeliver>

/** Null when there is no such delivery. */
export const RedeliverAnswer = Type.Object({ delivery: orNull(WebhookDelivery) })
export type RedeliverAnswer = Static<typeof RedeliverAnswer>

/** Tells all of the project once more that are dead since then, the earliest first, as many as are taken at once. */
export const RedeliverDead = Type.Object({ projectId: Id, since: Timestamp })
export type RedeliverDead = Static<typeof RedeliverDead>

export const RedeliverDeadAnswer = Type.Object({
  redelivered: Type.Integer(),
  /** That are still dead, and would be told if it were asked again. */
  left: Type.Integer(),
})
export type RedeliverDeadAnswer = Static<typeof RedeliverDeadAnswer>

/**
 * Sends a sample to a receiver and waits for what it says. Refused with `invalid_input` for an address that may not
 * be asked, and with `too_many_requests` while too many of the project are under way.
 */
export const TestWebhook = Type.Object({ projectId: Id, url: Type.String() })
export type TestWebhook = Static<typeof TestWebhook>

export const TestWebhookAnswer = WebhookTestResult
export type TestWebhookAnswer = WebhookTestResult

export const webhookSecret = rpc({
  subject: 'ask.webhook.secret',
  request: WebhookSecret,
  response: WebhookSecretAnswer,
  callers: ['gateway'],
  server: 'webhook',
})

export const rotateWebhookSecret = rpc({
  subject: 'ask.webhook.rotate-secret',
  request: RotateWebhookSecret,
  response: WebhookSecretAnswer,
  callers: ['gateway'],
  server: 'webhook',
})

export const listDeliveries = rpc({
  subject: 'ask.webhook.deliveries',
  request: ListDeliveries,
  response: ListDeliveriesAnswer,
  callers: ['gateway'],
  server: 'webhook',
})

export const redeliver = rpc({
  subject: 'ask.webhook.redeliver',
  request: Redeliver,
  response: RedeliverAnswer,
  callers: ['gateway'],
  server: 'webhook',
})

export const redeliverDead = rpc({
  subject: 'ask.webhook.redeliver-dead',
  request: RedeliverDead,
  response: RedeliverDeadAnswer,
  callers: ['gateway'],
  server: 'webhook',
})

export const testWebhook = rpc({
  subject: 'ask.webhook.test',
  request: TestWebhook,
  response: TestWebhookAnswer,
  callers: ['gateway'],
  server: 'webhook',
})
