/** Routes for the webhooks of a project: their secret, a test webhook, and the redelivery of dead ones. */
import {
  Redelivery,
  RedeliveryStarted,
  SecretRotation,
  WebhookSecretView,
  WebhookTest,
  WebhookTestResult,
} from '@tidemark/contracts/http/webhook'
import type { App } from '../app.ts'
import { refusal } from '../http/domain/refusal.ts'
import type { Webhooks } from './adapters/webhooks.ts'

export type WebhookPorts = {
  webhooks: Webhooks
  /** Throws `ApiProblem` for an address that must not be requested. */
  judgeTarget: (url: string, field?: string) => Promise<void>
}

const tags = ['Webhooks']

export function webhookRoutes(app: App, ports: WebhookPorts): void {
  secretRoutes(app, ports)
  sendingRoutes(app, ports)
}

function secretRoutes(app: App, { webhooks }: WebhookPorts): void {
  app.get(
    '/v1/webhook/secret',
    {
      schema: {
        operationId: 'getWebhookSecret',
        summary: 'Read the webhook secret',
        tags,
        description: 'Creates the secret on the first request. All webhooks of the project share it.',
        response: { 200: WebhookSecretView },
      },
    },
    async ({ caller }, reply) => {
      reply.header('cache-control', 'no-store')
      return { secret_hex: await webhooks.readSecret(caller.projectId) }
    },
  )

  app.post(
    '/v1/webhook/secret/rotate',
    {
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the webhook secret',
        tags,
        description:
          'The earlier secrets stay valid for `grace_seconds`: `webhook-signature` then has one signature per secret, separated by spaces. `X-Crawler-Signature` uses the new secret at once.',
        body: SecretRotation,
        response: { 200: WebhookSecretView },
      },
    },
    async ({ caller, body }, reply) => {
      reply.header('cache-control', 'no-store')
      return { secret_hex: await webhooks.rotateSecret(caller.projectId, body.grace_seconds) }
    },
  )
}

function sendingRoutes(app: App, { webhooks, judgeTarget }: WebhookPorts): void {
  app.post(
    '/v1/webhook/redeliver',
    {
      schema: {
        operationId: 'redeliverDead',
        summary: 'Redeliver dead webhooks since a time',
        tags,
        description:
          'Each delivery keeps its `webhook-id` and gets five new attempts. At most 1,000 per request, oldest first.',
        body: Redelivery,
        response: { 202: RedeliveryStarted },
      },
    },
    async ({ caller, body }, reply) => {
      reply.code(202)
      return webhooks.redeliverDead({ projectId: caller.projectId, since: readTime(body.since) })
    },
  )

  app.post(
    '/v1/webhook/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test webhook',
        tags,
        description:
          'Sends a signed `crawl.done` with `id` 0 and `"test": true` once and at once. Returns the response of the receiver, which has 15 seconds.',
        body: WebhookTest,
        response: { 200: WebhookTestResult },
      },
    },
    async ({ caller, body: { url } }) => {
      await judgeTarget(url)
      return webhooks.test({ projectId: caller.projectId, url })
    },
  )
}

const earliest = Date.UTC(1970)
const latest = Date.UTC(9999)

/** Returns the time in UTC, limited to 1970 to 9999. Throws `ApiProblem` for an impossible time, such as a leap second. */
function readTime(text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw refusal('since', 'bad_value', 'since is outside the range of supported times.')
  return new Date(Math.min(Math.max(ms, earliest), latest)).toISOString()
}
