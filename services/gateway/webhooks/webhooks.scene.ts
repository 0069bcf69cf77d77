/** Answers of a fake webhook service: one delivery per run, regardless of earlier calls. */
import { refuse } from '@tidemark/bus/refusal'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type { RequestOf, ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'

export type On = <Procedure extends Rpc>(
  rpc: Procedure,
  handler: (request: RequestOf<Procedure>) => Promise<ResponseOf<Procedure>>,
) => void

const at = '2026-01-02T03:04:05.678Z'

export function answerForWebhooks(on: On): void {
  on(webhookRpc.webhookSecret, async ({ projectId }) => ({
    secretHex: String(projectId).padStart(2, '0').repeat(32),
  }))
  on(webhookRpc.rotateWebhookSecret, async ({ graceSeconds }) => ({
    secretHex: String(graceSeconds).padStart(64, '0'),
  }))
  on(webhookRpc.listDeliveries, async ({ runId, limit = 100, offset = 0 }) => {
    if (offset >= 2 ** 63) throw new Error('Postgres rejects this offset')
    return {
      deliveries: [deliveryOf(runId)].slice(offset),
      // The first page of one item counts as incomplete.
      ...(limit === 1 && offset === 0 && { hasMore: true as const }),
    }
  })
  on(webhookRpc.redeliver, async ({ runId, deliveryId }) => {
    if (deliveryId === 'under-way') throw refuse('conflict', { reason: 'delivery_under_way' })
    const delivery = deliveryOf(runId)
    return { delivery: delivery.id === deliveryId ? { ...delivery, state: 'pending', ended_at: null } : null }
  })
  on(webhookRpc.redeliverDead, async ({ since }) => ({
    redelivered: Date.parse(since) / 1000,
    left: 0,
  }))
  on(webhookRpc.testWebhook, async () => ({
    id: 'msg_test_1',
    delivered: true,
    status: 204,
    latency_ms: 7,
    error: null,
    response_excerpt: null,
  }))
}

const deliveryOf = (runId: number): WebhookDelivery => ({
  id: `msg_run${runId}_crawl_done`,
  run_id: runId,
  event: 'crawl.done',
  url: 'https://hooks.example.com/',
  state: 'dead',
  decided_at: at,
  ended_at: at,
  next_attempt_at: null,
  attempts: [
    { round: 1, attempt: 1, at, status: 410, latency_ms: 7, error: 'HTTP 410', response_excerpt: 'Gone' },
  ],
})
