/** Webhooks of a project: the secret that they are signed with, a sample for a receiver, and what died told again. */
import {
  Redelivery,
  RedeliveryStarted,
  RotatedWebhookSecret,
  SecretRotation,
  WebhookSecretView,
  WebhookTest,
  WebhookTestResult,
} from '@tidemark/contracts/http/webhook'
import type { Webhooks } from '../adapters/webhooks.ts'
import type { App } from '../app.ts'
import { refusal } from '../domain/field-rule.ts'
import { withWarnings } from './answers.ts'

export type WebhookPorts = {
  webhooks: Webhooks
  /** Throws `ApiProblem` for an address that may not be reached. */
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
        summary: 'Read the secret that webhooks are signed with',
        tags,
        description: 'Made when it is first asked for. The same for all webhooks of the project.',
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
        summary: 'Make a new secret for webhooks',
        tags,
        description:
          'The secrets of today sign beside it for `grace_seconds`: `webhook-signature` then has one signature for each, separated by spaces. `X-Crawler-Signature` is of the new one at once.',
        body: SecretRotation,
        response: { 200: RotatedWebhookSecret },
      },
    },
    async ({ caller, body, warnings }, reply) => {
      reply.header('cache-control', 'no-store')
      const secret_hex = await webhooks.rotateSecret(caller.projectId, body.grace_seconds)
      return withWarnings({ secret_hex }, warnings)
    },
  )
}

function sendingRoutes(app: App, { webhooks, judgeTarget }: WebhookPorts): void {
  app.post(
    '/v1/webhook/redeliver',
    {
      schema: {
        operationId: 'redeliverDead',
        summary: 'Tell again what is dead since a time',
        tags,
        description:
          'Each under the `webhook-id` that it has, with five attempts from now on. At most 1,000 at once, the earliest first.',
        body: Redelivery,
        response: { 202: RedeliveryStarted },
      },
    },
    async ({ caller, body, warnings }, reply) => {
      reply.code(202)
      const wanted = { projectId: caller.projectId, since: readTime(body.since) }
      return withWarnings(await webhooks.redeliverDead(wanted), warnings)
    },
  )

  app.post(
    '/v1/webhook/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a sample to a receiver',
        tags,
        description:
          'A signed `crawl.done` with `id` 0 and `"test": true`, sent once and at once; the answer says what the receiver said within 15 seconds.',
        body: WebhookTest,
        response: { 200: WebhookTestResult },
      },
    },
    async ({ caller, body: { url }, warnings }) => {
      await judgeTarget(url)
      return withWarnings(await webhooks.test({ projectId: caller.projectId, url }), warnings)
    },
  )
}

const earliest = Date.UTC(1970)
const latest = Date.UTC(9999)

/** In UTC, and within what a calendar of years with four digits can say. Throws `ApiProblem` for a leap second. */
function readTime(text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw refusal('since', 'bad_value', 'since is a time that no clock here can show.')
  return new Date(Math.min(Math.max(ms, earliest), latest)).toISOString()
}
