/**
 * API reference of the webhooks that receivers get: the request of each event, its signature, and the effect of the
 * receiver's response. The signatures of the examples are valid for the secret that is shown.
 */
import { createHmac } from 'node:crypto'
import {
  BatchDoneEvent,
  CrawlDiffDetectedEvent,
  CrawlDoneEvent,
  CrawlFailedEvent,
  CrawlStartedEvent,
  PageFetchedEvent,
} from '@tidemark/contracts/http/webhook-events'
import { plain } from '../http/domain/plain-schema.ts'
import { batch, changed, done, failed, fetched, started } from './example-events.ts'

/** The secret of the examples only. */
const exampleSecret = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

const signing = `**Signatures.** Both schemes are HMAC-SHA256 with the bytes of \`secret_hex\` (\`GET /v1/webhook/secret\`) as the key, and sign
the body exactly as it is received. Verify one of them before you parse the body:

- \`X-Crawler-Signature\` is \`sha256=\` and the lower-case hex digest of the body.
- \`webhook-signature\` is that of Standard Webhooks 1.0: \`v1,\` and the base64 digest of \`<webhook-id>.<webhook-timestamp>.<body>\`.
  During a rotation of the secret it has one signature for each secret, separated by spaces.

The example is signed with \`${exampleSecret}\`; its body is sent without spaces between the tokens.`

const retries = `**Retries.** A delivery has up to five attempts, by default 1, 2, 4 and 8 seconds apart. The same event may arrive twice:
recognise it by \`webhook-id\`, which is the same at every attempt. \`POST /v1/webhook/redeliver\` sends dead ones again.`

const responses = {
  '2XX': { description: 'Delivered. The body is ignored.' },
  '3XX': { description: 'Redirects are not followed. The attempt failed and is retried.' },
  '4XX': {
    description:
      'The delivery is dead and is not retried, except for statuses that the installation retries (`WEBHOOK_RETRIED_STATUSES`).',
  },
  '5XX': {
    description:
      'The attempt failed and is retried. So is an attempt without a response within 15 seconds (`WEBHOOK_TIMEOUT_MS`).',
  },
}

const text = (name: string, description: string, example: string, pattern: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', pattern },
  example,
})

type Event =
  | CrawlDoneEvent
  | CrawlDiffDetectedEvent
  | CrawlStartedEvent
  | PageFetchedEvent
  | CrawlFailedEvent
  | BatchDoneEvent

function headersOf(example: Event) {
  const { id, event, delivered_at } = example
  const body = JSON.stringify(example)
  const key = Buffer.from(exampleSecret, 'hex')
  const kind = event === 'batch.done' ? 'batch' : 'run'
  const suffix = 'batch' in example ? `_${example.batch}` : ''
  const webhookId = `msg_${kind}${id}_${event.replace('.', '_')}${suffix}`
  const timestamp = String(Math.floor(Date.parse(delivered_at) / 1000))
  const hex = createHmac('sha256', key).update(body).digest('hex')
  const base64 = createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64')
  return [
    text(`X-Crawler-${kind === 'run' ? 'Run' : 'Batch'}-Id`, 'The `id` of the body.', String(id), '^[0-9]+$'),
    text('X-Crawler-Event', 'The `event` of the body.', event, `^${event.replace('.', '\\.')}$`),
    text('X-Crawler-Signature', 'Hex HMAC-SHA256 of the body.', `sha256=${hex}`, '^sha256=[0-9a-f]{64}$'),
    text(
      'webhook-id',
      'Identifies the delivery. It is the same in every attempt.',
      webhookId,
      '^msg_[0-9A-Za-z_-]+$',
    ),
    text(
      'webhook-timestamp',
      'Time of the signature of this attempt, in seconds since 1970.',
      timestamp,
      '^[0-9]+$',
    ),
    text(
      'webhook-signature',
      'One or more Standard Webhooks signatures, separated by spaces.',
      `v1,${base64}`,
      '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    ),
  ]
}

const posted = (
  operationId: string,
  words: { summary: string; description: string },
  schema: unknown,
  example: Event,
) => ({
  post: {
    operationId,
    ...words,
    description: [words.description, signing, retries].join('\n\n'),
    tags: ['Webhooks'],
    security: [],
    parameters: headersOf(example),
    requestBody: { required: true, content: { 'application/json': { schema: plain(schema), example } } },
    responses,
  },
})

/** The `webhooks` of the OpenAPI 3.1 document, by event. */
export const webhookEvents = {
  'crawl.done': posted(
    'onCrawlDone',
    {
      summary: 'A crawl has ended',
      description:
        'Sent to `webhook_url` when a crawl is `done`, if `webhook_events` has `crawl.done` (the default). With any `webhook_events`, it is also sent when a crawl has `failed`, when a limit ended it before its first page, and when a monitor waits for a comparison that is not possible. A monitor with `return_only_changed` sends nothing if nothing has changed, and one with `only_matching` nothing if the changes do not match its intent. Cancelled and deleted crawls send nothing.',
    },
    CrawlDoneEvent,
    done,
  ),
  'crawl.diff_detected': posted(
    'onCrawlDiffDetected',
    {
      summary: "A monitor's crawl differs from the previous one",
      description:
        'Sent to `webhook_url` instead of `crawl.done` when pages were added, removed or changed since the previous crawl of the monitor, if `webhook_events` has `crawl.diff_detected`.',
    },
    CrawlDiffDetectedEvent,
    changed,
  ),
  'crawl.started': posted(
    'onCrawlStarted',
    {
      summary: 'A crawl has started',
      description:
        'Sent to `webhook_url` when a crawl starts, if `webhook_events` has `crawl.started`. A crawl sends it once, even if its failed URLs are retried.',
    },
    CrawlStartedEvent,
    started,
  ),
  'page.fetched': posted(
    'onPageFetched',
    {
      summary: 'A crawl has fetched pages',
      description:
        'Sent to `webhook_url` for each batch of at most 100 fetched pages, if `webhook_events` has `page.fetched`. A batch is sent when it is full, when its first page has waited for 3 seconds (`WEBHOOK_PAGES_MS`), and at the end of the crawl. Each page is in one batch. Batches can arrive in another order than that of their numbers, and after `crawl.done`.',
    },
    PageFetchedEvent,
    fetched,
  ),
  'crawl.failed': posted(
    'onCrawlFailed',
    {
      summary: 'A crawl has failed',
      description:
        'Sent to `webhook_url` when a crawl ends as `failed`, in addition to `crawl.done`, if `webhook_events` has `crawl.failed`. Its fields are those of `crawl.done`.',
    },
    CrawlFailedEvent,
    failed,
  ),
  'batch.done': posted(
    'onBatchDone',
    {
      summary: 'A batch of scans is done',
      description:
        'Sent to `webhook_url` of the batch when every URL has a result. Read them from `GET /v1/scan/batches/{id}/results`. Cancelled and deleted batches send nothing.',
    },
    BatchDoneEvent,
    batch,
  ),
}
