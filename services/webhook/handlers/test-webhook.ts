/** Sends a test webhook while the client waits. It is signed like any delivery, sent once, and not recorded. */
import { randomUUID } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { TestWebhook, TestWebhookResponse } from '@tidemark/contracts/rpc/webhook'
import type { Receiver } from '../adapters/receiver.ts'
import type { SecretsHex } from '../adapters/secrets.ts'
import type { TenantShares } from '../concurrency/tenant-shares.ts'
import { sampleBodyOf } from '../domain/message.ts'
import { requestOf } from '../domain/request.ts'

export type Ports = {
  secretsOf: (projectId: number) => Promise<SecretsHex>
  send: Receiver
  /** Slots for test webhooks only. */
  shares: TenantShares
}

const event = 'crawl.done'

/**
 * Sends a test webhook. Rejects with `invalid_input` if the address is not allowed, and with `too_many_requests` if too
 * many tests of the project are in progress.
 */
export const testWebhook =
  ({ secretsOf, send, shares }: Ports) =>
  async ({ projectId, url }: TestWebhook): Promise<TestWebhookResponse> => {
    using slot = shares.take(projectId)
    if (slot === null) throw tooMany()
    const sentAt = new Date()
    const webhookId = `msg_test_${randomUUID()}`
    const body = sampleBodyOf(projectId, sentAt.toISOString())
    const request = requestOf({ url, runId: 0, event, webhookId, body, sentAt }, await secretsOf(projectId))
    const { status, error, isRefused, excerpt, elapsedMs } = await send(request)
    if (isRefused) throw refused(error ?? '')
    return {
      id: webhookId,
      delivered: error === null,
      status,
      latency_ms: Math.round(elapsedMs),
      error,
      response_excerpt: excerpt,
    }
  }

function refused(error: string) {
  const [code, message = ''] = error.split(': ')
  const reason = code === 'private_address' ? 'private_address' : 'bad_url'
  return refuse('invalid_input', { reason, field: 'url', message })
}

const tooMany = () =>
  refuse('too_many_requests', {
    reason: 'request_rate',
    message: 'Too many test webhooks of this project are in progress.',
    retryAfterSeconds: 5,
  })
