/** Webhooks: the signing secret, deliveries and redeliveries. */
import { type Static, Type } from 'typebox'
import { described, Id, orNull, Timestamp } from '../primitives.ts'
import { SelectableEvent } from '../run-settings.ts'
import { warnings, windowOf } from './lists.ts'

export const WebhookSecretView = Type.Object(
  {
    secret_hex: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'The secret in hex. Its bytes are the key of HMAC-SHA256. X-Crawler-Signature is "sha256=" and the hex digest of the raw body.',
    }),
    warnings,
  },
  { $id: 'WebhookSecret' },
)

export const SecretRotation = Type.Object(
  {
    grace_seconds: Type.Integer({
      minimum: 0,
      maximum: 2_592_000,
      default: 86_400,
      description: 'Seconds for which the earlier secrets sign beside the new one; 0 ends them at once.',
    }),
  },
  { $id: 'SecretRotation' },
)

const outcome = {
  status: orNull(Type.Integer({ description: 'HTTP status of the receiver; null: no response.' })),
  latency_ms: Type.Integer({
    description: 'Duration in milliseconds, from the DNS lookup to the last byte of the response.',
  }),
  error: orNull(Type.String({ description: 'Reason of the failure; null: accepted.' })),
  response_excerpt: orNull(
    Type.String({
      maxLength: 200,
      description: 'Beginning of the response if it is text and not a 2xx; null otherwise.',
    }),
  ),
}

export const WebhookAttempt = Type.Object(
  {
    round: Type.Integer({ minimum: 1, description: '1 at first. Each redelivery begins another round.' }),
    attempt: Type.Integer({ minimum: 1, maximum: 5, description: 'Number of the attempt within its round.' }),
    at: described(Timestamp, 'Time of the attempt.'),
    ...outcome,
  },
  { $id: 'WebhookAttempt' },
)
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({
      description: 'Its `webhook-id`, the same in every attempt, by which receivers recognise repetitions.',
    }),
    run_id: described(Id, 'The crawl of the webhook.'),
    event: described(SelectableEvent, 'The event.'),
    url: Type.String({ description: 'URL of the receiver.' }),
    state: Type.String({
      description:
        'pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match.',
    }),
    decided_at: described(Timestamp, 'Time at which the delivery was created.'),
    ended_at: orNull(described(Timestamp, 'Time at which its state became final; null: pending.')),
    next_attempt_at: orNull(
      described(Timestamp, 'Time of the next attempt; null: an attempt is under way, or the state is final.'),
    ),
    attempts: Type.Array(WebhookAttempt, { description: 'The latest 100, in chronological order.' }),
    warnings,
  },
  { $id: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const DeliveriesQuery = Type.Object(windowOf(100))

export const WebhookDeliveryList = Type.Object(
  {
    items: Type.Array(WebhookDelivery, {
      description:
        'The delivery of the end, then those of crawl.started, page.fetched and crawl.failed in the order of their decisions. Empty if the crawl has no webhook.',
    }),
    next_offset: Type.Optional(
      Type.Integer({ description: 'Offset of the next part; absent: this is the last part.' }),
    ),
    warnings,
  },
  { $id: 'WebhookDeliveryList' },
)

export const DeliveryParams = Type.Object({
  id: Type.Integer({ description: 'The crawl.', examples: [42] }),
  delivery_id: Type.String({
    maxLength: 100,
    description: 'The `id` of the delivery, which is its `webhook-id`.',
    examples: ['msg_run42_crawl_done'],
  }),
})

export const Redelivery = Type.Object(
  {
    since: Type.String({
      format: 'date-time',
      description: 'A time in RFC 3339: deliveries that ended before this time are skipped.',
      examples: ['2026-01-02T00:00:00Z'],
    }),
    state: Type.Union([Type.Literal('dead')], {
      default: 'dead',
      description: 'The deliveries to repeat. Only dead ones are redelivered.',
    }),
  },
  { $id: 'Redelivery' },
)

export const RedeliveryStarted = Type.Object(
  {
    redelivered: Type.Integer({ description: 'Number of deliveries that are repeated.' }),
    left: Type.Integer({
      description:
        'Number of dead deliveries that remain, as one request repeats at most 1,000. Send the request again.',
    }),
    warnings,
  },
  { $id: 'RedeliveryStarted' },
)
export type RedeliveryStarted = Static<typeof RedeliveryStarted>

export const WebhookTest = Type.Object(
  { url: Type.String({ maxLength: 8192, description: 'The receiver.' }) },
  { $id: 'WebhookTest' },
)

export const WebhookTestResult = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of the sample.' }),
    delivered: Type.Boolean({ description: 'Whether the receiver accepted it with a 2xx.' }),
    ...outcome,
    warnings,
  },
  { $id: 'WebhookTestResult' },
)
export type WebhookTestResult = Static<typeof WebhookTestResult>
