/** Sends commands and requests about webhooks to the webhook service, which alone has their secrets and attempts. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type {
  ListDeliveries,
  ListDeliveriesAnswer,
  Redeliver,
  RedeliverDead,
  RedeliverDeadAnswer,
  TestWebhook,
  TestWebhookAnswer,
} from '@tidemark/contracts/rpc/webhook'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'

export type Webhooks = {
  /** Returns the secret in hex. The first request creates it. */
  readSecret(projectId: number): Promise<string>
  /** Returns the new secret. */
  rotateSecret(projectId: number, graceSeconds: number): Promise<string>
  /** Returns deliveries of a run; empty: it has no webhook. */
  list(wanted: ListDeliveries): Promise<ListDeliveriesAnswer>
  /** Returns null if the run has no such delivery. */
  redeliver(command: Redeliver): Promise<WebhookDelivery | null>
  redeliverDead(command: RedeliverDead): Promise<RedeliverDeadAnswer>
  test(command: TestWebhook): Promise<TestWebhookAnswer>
}

const timeoutMs = 5_000
/** Timeout in ms of requests that start up to a thousand deliveries. */
const manyMs = 15_000
/** Timeout in ms, longer than that of a receiver. */
const testMs = 22_000

/** Opens the requests. Every function throws the `Refusal` of the service, or `unavailable` if it does not respond. */
export function openWebhooks(bus: Bus): Webhooks {
  const limit = { timeoutMs }
  return {
    readSecret: async projectId =>
      (await call(bus, webhookRpc.webhookSecret, { projectId }, limit)).secretHex,
    rotateSecret: async (projectId, graceSeconds) =>
      (await call(bus, webhookRpc.rotateWebhookSecret, { projectId, graceSeconds }, limit)).secretHex,
    list: wanted => call(bus, webhookRpc.listDeliveries, wanted, limit),
    redeliver: async command => (await call(bus, webhookRpc.redeliver, command, limit)).delivery,
    redeliverDead: command => call(bus, webhookRpc.redeliverDead, command, { timeoutMs: manyMs }),
    test: command => call(bus, webhookRpc.testWebhook, command, { timeoutMs: testMs }),
  }
}
