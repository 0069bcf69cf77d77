/** Sends commands and requests about webhooks to the webhook service, which alone has their secrets and attempts. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { RedeliveryStarted, WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type {
  ListDeliveries,
  ListDeliveriesResponse,
  Redeliver,
  RedeliverDead,
  TestWebhook,
  TestWebhookResponse,
} from '@tidemark/contracts/rpc/webhook'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'
import { streams } from '@tidemark/contracts/subjects'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'

export type Webhooks = {
  /** Returns the secret in hex. The first request creates it. */
  readSecret(projectId: number): Promise<string>
  /** Returns the new secret. */
  rotateSecret(projectId: number, graceSeconds: number): Promise<string>
  /** Returns deliveries of a run; empty: it has no webhook. */
  list(wanted: ListDeliveries): Promise<ListDeliveriesResponse>
  /**
   * Restarts a delivery. Returns null if the run has no such delivery. Like `redeliverDead`, resolves when its state is
   * readable on the run, within a time limit.
   */
  redeliver(command: Redeliver): Promise<WebhookDelivery | null>
  redeliverDead(command: RedeliverDead): Promise<RedeliveryStarted>
  test(command: TestWebhook): Promise<TestWebhookResponse>
}

const timeoutMs = 5_000
/** Timeout in ms of requests that start up to a thousand deliveries. */
const manyMs = 15_000
/** Timeout in ms, longer than that of a receiver. */
const testMs = 22_000
const readYourWritesMs = 500

/** Opens the requests. Every function throws the `Refusal` of the service, or `unavailable` if it does not respond. */
export function openWebhooks(bus: Bus, clock: ReadModelClock): Webhooks {
  const limit = { timeoutMs }
  const seen = async (sequence?: number): Promise<void> => {
    if (sequence !== undefined) await clock.waitFor(streams.runs, sequence, readYourWritesMs)
  }
  return {
    readSecret: async projectId =>
      (await call(bus, webhookRpc.webhookSecret, { projectId }, limit)).secretHex,
    rotateSecret: async (projectId, graceSeconds) =>
      (await call(bus, webhookRpc.rotateWebhookSecret, { projectId, graceSeconds }, limit)).secretHex,
    list: wanted => call(bus, webhookRpc.listDeliveries, wanted, limit),
    async redeliver(command) {
      const { delivery, sequence } = await call(bus, webhookRpc.redeliver, command, limit)
      await seen(sequence)
      return delivery
    },
    async redeliverDead(command) {
      const answer = await call(bus, webhookRpc.redeliverDead, command, { timeoutMs: manyMs })
      await seen(answer.sequence)
      return { redelivered: answer.redelivered, left: answer.left }
    },
    test: command => call(bus, webhookRpc.testWebhook, command, { timeoutMs: testMs }),
  }
}
