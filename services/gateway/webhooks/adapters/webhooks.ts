/** Commands and questions about webhooks to the webhook service, which alone knows their secrets and attempts. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type {
  Redeliver,
  RedeliverDead,
  RedeliverDeadAnswer,
  TestWebhook,
  TestWebhookAnswer,
} from '@tidemark/contracts/rpc/webhook'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'

export type Webhooks = {
  /** In hex; created on the first request. */
  readSecret(projectId: number): Promise<string>
  /** The new one. */
  rotateSecret(projectId: number, graceSeconds: number): Promise<string>
  /** Empty without a receiver. */
  list(projectId: number, runId: number): Promise<WebhookDelivery[]>
  /** Null when the run has no such delivery. */
  redeliver(command: Redeliver): Promise<WebhookDelivery | null>
  redeliverDead(command: RedeliverDead): Promise<RedeliverDeadAnswer>
  test(command: TestWebhook): Promise<TestWebhookAnswer>
}

const timeoutMs = 5_000
/** A thousand of them are begun. */
const manyMs = 15_000
/** Longer than a receiver is waited for. */
const testMs = 22_000

/** Every function throws the service's `Refusal`, or `unavailable` when it is away. */
export function openWebhooks(bus: Bus): Webhooks {
  return {
    async readSecret(projectId) {
      const question = { projectId }
      const answer = await call(bus, webhookRpc.webhookSecret, question, { timeoutMs })
      return answer.secretHex
    },

    async rotateSecret(projectId, graceSeconds) {
      const command = { projectId, graceSeconds }
      const answer = await call(bus, webhookRpc.rotateWebhookSecret, command, { timeoutMs })
      return answer.secretHex
    },

    async list(projectId, runId) {
      const question = { projectId, runId }
      const answer = await call(bus, webhookRpc.listDeliveries, question, { timeoutMs })
      return answer.deliveries
    },

    async redeliver(command) {
      const answer = await call(bus, webhookRpc.redeliver, command, { timeoutMs })
      return answer.delivery
    },

    redeliverDead: command => call(bus, webhookRpc.redeliverDead, command, { timeoutMs: manyMs }),

    test: command => call(bus, webhookRpc.testWebhook, command, { timeoutMs: testMs }),
  }
}
