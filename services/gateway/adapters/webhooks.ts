/** Commands and questions about webhooks to the service that tells them, who alone knows their secrets and attempts. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  ListDeliveries,
  ListDeliveriesAnswer,
  Redeliver,
  RedeliverAnswer,
  RedeliverDead,
  RedeliverDeadAnswer,
  RotateWebhookSecret,
  TestWebhook,
  TestWebhookAnswer,
  WebhookSecret,
  WebhookSecretAnswer,
} from '@tidemark/contracts/ask/webhook'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import { asks } from '@tidemark/contracts/subjects'

export type Webhooks = {
  /** In hex; made when it is first asked for. */
  readSecret(projectId: number): Promise<string>
  /** The new one. */
  rotateSecret(projectId: number, graceSeconds: number): Promise<string>
  /** None where nobody is told. */
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
      const answer = await ask<WebhookSecret, WebhookSecretAnswer>(bus, asks.webhookSecret, question, {
        timeoutMs,
      })
      return answer.secretHex
    },

    async rotateSecret(projectId, graceSeconds) {
      const command = { projectId, graceSeconds }
      const answer = await ask<RotateWebhookSecret, WebhookSecretAnswer>(
        bus,
        asks.rotateWebhookSecret,
        command,
        { timeoutMs },
      )
      return answer.secretHex
    },

    async list(projectId, runId) {
      const question = { projectId, runId }
      const answer = await ask<ListDeliveries, ListDeliveriesAnswer>(bus, asks.listDeliveries, question, {
        timeoutMs,
      })
      return answer.deliveries
    },

    async redeliver(command) {
      const answer = await ask<Redeliver, RedeliverAnswer>(bus, asks.redeliver, command, { timeoutMs })
      return answer.delivery
    },

    redeliverDead: command =>
      ask<RedeliverDead, RedeliverDeadAnswer>(bus, asks.redeliverDead, command, { timeoutMs: manyMs }),

    test: command =>
      ask<TestWebhook, TestWebhookAnswer>(bus, asks.testWebhook, command, { timeoutMs: testMs }),
  }
}
