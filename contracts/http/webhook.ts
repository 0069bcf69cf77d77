/** Webhooks: what a receiver verifies them with, what became of each, and telling them again. */
import { type Static, Type } from 'typebox'
import { Id, orNull, said, Timestamp } from '../primitives.ts'
import { WebhookEvent } from '../run-settings.ts'
import { warnings } from './lists.ts'

export const WebhookSecretView = Type.Object(
  {
    secret_hex: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'Its bytes are the key of HMAC-SHA256. X-Crawler-Signature is "sha256=" and the hex digest of the raw body.',
    }),
  },
  { $id: 'WebhookSecret' },
)
export type WebhookSecretView = Static<typeof WebhookSecretView>

export const RotatedWebhookSecret = Type.Object(
  { ...WebhookSecretView.properties, warnings },
  { $id: 'RotatedWebhookSecret' },
)

export const SecretRotation = Type.Object(
  {
    grace_seconds: Type.Integer({
      minimum: 0,
      maximum: 2_592_000,
      default: 86_400,
      description: 'How long the secrets of today sign beside the new one; 0 ends them at once.',
    }),
  },
  { $id: 'SecretRotation' },
)
export type SecretRotation = Static<typeof SecretRotation>

const outcome = {
  status: orNull(Type.Integer({ description: "The receiver's HTTP status; null: there was no answer." })),
  latency_ms: Type.Integer({ description: 'From resolving its name to the last byte of its answer.' }),
  error: orNull(Type.String({ description: 'Why it does not count as taken; null: it was taken.' })),
  response_excerpt: orNull(
    Type.String({
      maxLength: 200,
      description: 'How the answer began, where it was text and did not take it; null otherwise.',
    }),
  ),
}

export const WebhookAttempt = Type.Object(
  {
    round: Type.Integer({ minimum: 1, description: '1 at first; each redelivery begins another.' }),
    attempt: Type.Integer({ minimum: 1, maximum: 5, description: 'Which one of its round.' }),
    at: said(Timestamp, 'When it began.'),
    ...outcome,
  },
  { $id: 'WebhookAttempt' },
)
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({
      description: 'Its `webhook-id`, the same at every attempt: receivers tell repeats by it.',
    }),
    run_id: said(Id, 'The crawl that it tells of.'),
    event: said(WebhookEvent, 'What is told.'),
    url: Type.String({ description: 'Who is told.' }),
    state: Type.String({
      description: 'pending, delivered, dead, suppressed_no_change or suppressed_no_baseline.',
    }),
    decided_at: said(Timestamp, 'When it was decided what to tell.'),
    ended_at: orNull(said(Timestamp, 'When it came to its state; null while it is pending.')),
    next_attempt_at: orNull(
      said(Timestamp, 'When it is tried next; null while an attempt is under way, and at the end.'),
    ),
    attempts: Type.Array(WebhookAttempt, { description: 'The latest 100, in their order.' }),
  },
  { $id: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryList = Type.Object(
  { items: Type.Array(WebhookDelivery, { description: 'None where nobody was to be told.' }) },
  { $id: 'WebhookDeliveryList' },
)
export type WebhookDeliveryList = Static<typeof WebhookDeliveryList>

export const DeliveryParams = Type.Object({
  id: Type.Integer({ description: 'The crawl.', examples: [42] }),
  delivery_id: Type.String({
    maxLength: 100,
    description: 'The `id` of the delivery, which is its `webhook-id`.',
    examples: ['msg_run42_crawl_done'],
  }),
})
export type DeliveryParams = Static<typeof DeliveryParams>

export const Redelivery = Type.Object(
  {
    since: Type.String({
      format: 'date-time',
      description: 'a time in RFC 3339: what came to its end before it is left alone',
      examples: ['2026-01-02T00:00:00Z'],
    }),
    state: Type.Union([Type.Literal('dead')], {
      default: 'dead',
      description: 'Which ones. Only what is dead is told again.',
    }),
  },
  { $id: 'Redelivery' },
)
export type Redelivery = Static<typeof Redelivery>

export const RedeliveryStarted = Type.Object(
  {
    redelivered: Type.Integer({ description: 'How many are told once more from now on.' }),
    left: Type.Integer({
      description: 'How many are dead still: more than 1,000 at once are not taken. Ask again.',
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
export type WebhookTest = Static<typeof WebhookTest>

export const WebhookTestResult = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of the sample.' }),
    delivered: Type.Boolean({ description: 'Whether the receiver took it, with a 2xx.' }),
    ...outcome,
    warnings,
  },
  { $id: 'WebhookTestResult' },
)
export type WebhookTestResult = Static<typeof WebhookTestResult>
