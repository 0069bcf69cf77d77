/** Requests and commands to webhook. */
import { type Static, Type } from 'typebox'
import { WebhookDelivery, WebhookTestResult } from '../http/webhook.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** Reads the signing secret of the project. The first request creates it. */
const WebhookSecret = Type.Object({ projectId: Id })

const WebhookSecretAnswer = Type.Object({ secretHex: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

/**
 * Creates a new secret. Earlier secrets sign beside it for `graceSeconds`; 0 ends them at once. Rejected with
 * `conflict` (`too_many_secrets`) if too many would sign. The response is that of `WebhookSecret`.
 */
const RotateWebhookSecret = Type.Object({ projectId: Id, graceSeconds: Type.Integer({ minimum: 0 }) })

/** A part of the deliveries of a run with their attempts. Default: the first 100. */
export const ListDeliveries = Type.Object({
  projectId: Id,
  runId: Id,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type ListDeliveries = Static<typeof ListDeliveries>

export const ListDeliveriesResponse = Type.Object({
  deliveries: Type.Array(WebhookDelivery),
  /** Whether further deliveries follow. */
  hasMore: Type.Optional(Type.Literal(true)),
})
export type ListDeliveriesResponse = Static<typeof ListDeliveriesResponse>

/** Redelivers a webhook. Rejected with `conflict` while it is being delivered, and if it was suppressed. */
export const Redeliver = Type.Object({ projectId: Id, runId: Id, deliveryId: Type.String() })
export type Redeliver = Static<typeof Redeliver>

/**
 * The position in RUNS of the order, or of the last one, so that the caller can wait for its own read model. Absent: not
 * known yet, or no event is stored.
 */
const sequence = Type.Optional(Type.Integer())

/** Null: there is no such delivery. */
export const RedeliverResponse = Type.Object({ delivery: orNull(WebhookDelivery), sequence })
export type RedeliverResponse = Static<typeof RedeliverResponse>

/** Redelivers all dead webhooks of the project since a time, oldest first, up to the maximum of one request. */
export const RedeliverDead = Type.Object({ projectId: Id, since: Timestamp })
export type RedeliverDead = Static<typeof RedeliverDead>

export const RedeliverDeadResponse = Type.Object({
  redelivered: Type.Integer(),
  /** Number of deliveries that are still dead. Another request would redeliver them. */
  left: Type.Integer(),
  sequence,
})
export type RedeliverDeadResponse = Static<typeof RedeliverDeadResponse>

/**
 * Sends a sample to a receiver and waits for its response. Rejected with `invalid_input` for an address that must not
 * be requested, and with `too_many_requests` if too many samples of the project are under way.
 */
export const TestWebhook = Type.Object({ projectId: Id, url: Type.String() })
export type TestWebhook = Static<typeof TestWebhook>

export const TestWebhookResponse = WebhookTestResult
export type TestWebhookResponse = WebhookTestResult

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
  response: ListDeliveriesResponse,
  callers: ['gateway'],
  server: 'webhook',
})

export const redeliver = rpc({
  subject: 'ask.webhook.redeliver',
  request: Redeliver,
  response: RedeliverResponse,
  callers: ['gateway'],
  server: 'webhook',
})

export const redeliverDead = rpc({
  subject: 'ask.webhook.redeliver-dead',
  request: RedeliverDead,
  response: RedeliverDeadResponse,
  callers: ['gateway'],
  server: 'webhook',
})

export const testWebhook = rpc({
  subject: 'ask.webhook.test',
  request: TestWebhook,
  response: TestWebhookResponse,
  callers: ['gateway'],
  server: 'webhook',
})
